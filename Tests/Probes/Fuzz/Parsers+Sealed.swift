#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroDevNode
    @testable import MeroKit

    extension Parser {
        /// The sealed transport, both sides.
        static func sealed(_ corpus: Corpus) throws -> [Parser] {
            let vectors = try corpus.json("sealed/responses.json")
            let session = try NoiseHandshake.Outcome(
                sessionId: hex(vectors, "sessionId"), lifetimeSeconds: 3600,
                requestKey: SecretBytes(hex(vectors, "requestKey")),
                responseKey: SecretBytes(hex(vectors, "responseKey")))
            guard case .array(let cases)? = vectors["cases"] else { throw Seeds.Unreadable(file: "responses.json") }
            var streams: [(id: UInt64, bytes: [UInt8])] = []
            for entry in cases {
                let stream = try hex(entry, "stream")
                guard stream.count < 4096, case .number(let id)? = entry["requestId"], let id = UInt64(id) else {
                    continue
                }
                streams.append((id, stream))
            }
            let handshakes = try corpus.json("sealed/handshake.json")
            guard case .array(let made)? = handshakes["cases"], let first = made.first, streams.count > 3 else {
                throw Seeds.Unreadable(file: "handshake.json")
            }
            let handshake = try NoiseHandshake(
                transportKey: hex(first, "transportPublic"), ephemeral: SecretBytes(hex(first, "clientEphemeralSecret"))
            )
            let reply = try hex(first, "handshakeReply")
            let nodeSecret = SecretBytes(random: 32)
            let nodePublic = Array(try X25519.publicKey(secret: nodeSecret))
            let request = try NoiseHandshake(transportKey: nodePublic).request
            let heads = try headTexts.map { try JSONSpoiler(text: $0.utf8) }
            return [
                Parser("noise-reply") { mutator in
                    let input = mutator.maybeSpoil(reply)
                    return try await reading({ $0 is SealedTransportError }) {
                        _ = try handshake.finish(input)
                        try Finding.require(input == reply, "taken though it was changed")
                    }
                },
                Parser("noise-request") { mutator in
                    let input = mutator.maybeSpoil(Array(request.dropFirst(33)))
                    return try await reading({ $0 is NoiseResponder.Refusal }) {
                        _ = try NoiseResponder.answer(
                            input, secret: nodeSecret, publicKey: nodePublic, payload: mutator.bytes(20))
                        try Finding.require(input == Array(request.dropFirst(33)), "taken though it was changed")
                    }
                },
                Parser("sealed-frames") { mutator in
                    let (id, stream) = mutator.pick(streams)
                    let input = mutator.maybeSpoil(stream, with: mutator.pick(streams).bytes)
                    let whole = try frames([input[...]], session, id)
                    let pieces = try frames(mutator.cut(input), session, id)
                    try Finding.require(whole == pieces, "\(whole) in one piece, \(pieces) in others")
                    return whole.hasSuffix("end") ? .accepted : .refused
                },
                Parser("sealed-own-frames") { mutator in
                    // Sealed with the right key: what is read then is what a node gone wrong may send.
                    var stream: [UInt8] = []
                    let header = try hex(vectors, "sessionId")
                    let index = mutator.below(3)
                    var kinds: [(UInt8, [UInt8])] = [(0, mutator.pick(heads).spoilt(&mutator))]
                    kinds += (0..<index).map { _ in (1, mutator.bytes(mutator.below(40))) } + [(2, [])]
                    if mutator.once(in: 4) { kinds.swapAt(mutator.below(kinds.count), mutator.below(kinds.count)) }
                    let aad = [2] + header + BigEndian.bytes(UInt64(1))
                    for (index, kind) in kinds.enumerated() {
                        let nonce = BigEndian.bytes(UInt64(1)) + BigEndian.bytes(UInt32(index))
                        let key = session.responseKey.withUnsafeBytes { Array($0) }
                        guard let sealed = AesGcm.seal([kind.0] + kind.1, key: key, nonce: nonce, aad: aad) else {
                            throw Finding("cannot be sealed")
                        }
                        stream += BigEndian.bytes(UInt32(sealed.count)) + sealed
                    }
                    let whole = try frames([stream[...]], session)
                    let pieces = try frames(mutator.cut(stream), session)
                    try Finding.require(whole == pieces, "\(whole) in one piece, \(pieces) in others")
                    return whole.hasSuffix("end") ? .accepted : .refused
                },
                Parser("sealed-request") { mutator in
                    let head = mutator.pick(heads).spoilt(&mutator)
                    let length = mutator.once(in: 6) ? UInt32(truncatingIfNeeded: mutator.number()) : UInt32(head.count)
                    let input = BigEndian.bytes(length) + head + mutator.bytes(mutator.below(20))
                    return try await reading({ $0 is MeroDevNode.SealedRefusal }) {
                        let outer = DevHttpRequest(
                            method: "POST", path: "/sealed/v2/request", query: [], rawTarget: "/sealed/v2/request",
                            headers: ["host": "n"], body: Data(), peer: "", faultHint: nil)
                        _ = try SealedInnerRequest(input).request(within: outer, prefix: "/p")
                    }
                },
            ]
        }

        private static func frames(
            _ pieces: [ArraySlice<UInt8>], _ outcome: NoiseHandshake.Outcome, _ id: UInt64 = 1
        ) throws -> String {
            var reader = try SealedSession(outcome, now: 0, lastId: id - 1).seal(head: [], body: Data()).reader
            var text = ""
            var body: [UInt8] = []
            do {
                for piece in pieces {
                    try piece.withUnsafeBytes { bytes in
                        try reader.read(bytes) { frame in
                            switch frame {
                            case .head(let head): text += "\(head.status) \(head.headers.sorted { $0.key < $1.key })"
                            case .data(let data): body += data
                            case .end: text += " end"
                            }
                        }
                    }
                }
            } catch let error as SealedTransportError {
                // What came before the fault may depend on the pieces; that there is one may not.
                return "\(error)"
            } catch {
                throw Finding("an error of another type: \(error)")
            }
            return "\(body) \(text)"
        }

        private static func hex(_ json: ExactJSON, _ name: String) throws -> [UInt8] {
            guard case .string(let text)? = json[name], let bytes = Hex.decode(text) else {
                throw Seeds.Unreadable(file: name)
            }
            return bytes
        }

        private static let headTexts = [
            #"{"status":200,"headers":[["Content-Type","application/json"],["Set-Cookie","a=1"],["set-cookie","b=2"]]}"#,
            #"{"status":204}"#, #"{"status":999,"headers":[]}"#,
            #"{"method":"POST","path":"/admin-api/x?y=%20&z","headers":[["host","evil"],["X-Auth-User","u"],["cookie","a"]]}"#,
            #"{"method":"GET","path":"/","headers":[]}"#,
        ]
    }
#endif
