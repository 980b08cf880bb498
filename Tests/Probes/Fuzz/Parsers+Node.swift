#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroDevNode
    @testable import MeroKit

    /// A dev node that is asked over real HTTP, and replaced by another one before it has grown large.
    final class NodeUnderFire {
        struct Place {
            let method: String
            let template: String
        }

        private(set) var node: DevNode
        private(set) var places: [Place]
        private(set) var token: String
        private var asked = 0
        private let options: DevNodeOptions

        init() async throws {
            var options = DevNodeOptions()
            options.delegatedAccess = true
            options.mockTokens = .enabled()
            options.sealing = DevSealing()
            self.options = options
            (node, places, token) = try await Self.start(options)
        }

        private static func start(_ options: DevNodeOptions) async throws -> (DevNode, [Place], String) {
            let node = try await DevNode.start(options)
            let context = try node.createContext(KeyValueContract(), id: AdminIds().context)
            guard context == AdminIds().context else { throw Finding("another context") }
            let places = node.core.router.routes.map { Place(method: $0.method, template: $0.template.text) }
            return (node, places, node.mintTokens().accessToken)
        }

        /// What the node answered.
        struct Answer: CustomStringConvertible {
            let status: Int
            let description: String
        }

        /// Asks once, on a connection of its own. Nil when the node closed the connection without an answer.
        func ask(_ request: [UInt8], patience: Int32 = 10_000) async throws -> Answer? {
            asked += 1
            if asked % 3000 == 0 {
                await node.stop()
                (node, places, token) = try await Self.start(options)
            }
            let port = node.port
            return try await BlockingWork.run { _ in try Self.exchange(request, port, patience) }
        }

        private static func exchange(_ request: [UInt8], _ port: UInt16, _ patience: Int32) throws -> Answer? {
            let socket = try RawConnection(port: port)
            defer { socket.close() }
            socket.send(request)
            let answer = try socket.receive(patience: patience)
            let text = String(decoding: answer.prefix(12), as: UTF8.self)
            guard !answer.isEmpty else { return nil }
            guard text.hasPrefix("HTTP/1."), let status = Int(text.suffix(3)), 100...599 ~= status else {
                throw Finding("an answer that begins with \(text.debugDescription)")
            }
            return Answer(status: status, description: String(decoding: answer.prefix(1500), as: UTF8.self))
        }
    }

    /// A connection to this machine.
    struct RawConnection {
        private let descriptor: Int32

        init(port: UInt16) throws {
            #if canImport(Darwin)
                descriptor = socket(AF_INET, SOCK_STREAM, 0)
            #else
                descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            #endif
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let descriptor = descriptor
            let status = withUnsafeBytes(of: &address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) {
                    connect(descriptor, $0.baseAddress, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else {
                Foundation.close(descriptor)
                throw Finding("the node takes no connection: \(errno)")
            }
        }

        func close() { Foundation.close(descriptor) }

        /// As much of it as the other side takes.
        func send(_ bytes: [UInt8]) {
            var sent = 0
            while sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    #if canImport(Darwin)
                        Foundation.send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, 0)
                    #else
                        Foundation.send(
                            descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent,
                            Int32(MSG_NOSIGNAL))
                    #endif
                }
                guard count > 0 else { return }
                sent += count
            }
            // There is no more to come: a request that is cut short is one.
            shutdown(descriptor, Int32(SHUT_WR))
        }

        /// Until the other side closes. Of an event stream and of a WebSocket, only the beginning.
        func receive(patience: Int32) throws -> [UInt8] {
            var all: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = poll(&state, 1, patience)
                guard ready > 0 else {
                    throw Finding("no answer within \(patience) ms: \(String(decoding: all, as: UTF8.self))")
                }
                let count = room.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
                guard count > 0 else { return all }
                if all.count < 64 << 10 { all += room.prefix(count) }
                let head = String(decoding: all.prefix(1000), as: UTF8.self)
                if head.hasPrefix("HTTP/1.1 101") || head.contains("text/event-stream") { return all }
            }
        }
    }

    extension Parser {
        /// Everything that a dev node reads off the network.
        static func node(_ corpus: Corpus) async throws -> [Parser] {
            let target = try await NodeUnderFire()
            let ids = AdminIds()
            let calls = try AdminCall.all.map { call -> (method: String, path: String, body: JSONSpoiler) in
                var body = "{}"
                if case .json(let text) = call.body { body = ids.json(text) }
                return (call.method, ids.url(call.target), try JSONSpoiler(text: body.utf8))
            }
            let known = try knownBodies.map { try JSONSpoiler(text: $0.utf8) }
            func check(_ answer: NodeUnderFire.Answer?, _ request: [UInt8]) throws -> Parser.Outcome {
                func finding(_ text: String) -> Finding {
                    Finding("\(text)\nto \(String(decoding: request.prefix(1500), as: UTF8.self))")
                }
                guard let answer else {
                    // A head that fills the server's memory for it leaves no room to say so: each field of a query takes some.
                    let fields = request.reduce(0) { $0 + ($1 == UInt8(ascii: "&") ? 1 : 0) }
                    guard request.count > 1500 || fields > 200 else {
                        throw finding("the node closed the connection without an answer")
                    }
                    return .refused
                }
                // An answer to HEAD has no text to be known by.
                let isKnown =
                    answer.status < 500 || request.starts(with: "HEAD ".utf8)
                    || knownFailures.contains { answer.description.contains($0) }
                if !isKnown { throw finding(answer.description) }
                return answer.status < 400 ? .accepted : .refused
            }
            return [
                Parser("node-calls") { mutator in
                    let call = mutator.pick(calls)
                    let body = call.body.spoilt(&mutator)
                    let path = mutator.once(in: 4) ? safe(mutator.maybeSpoil(call.path)) : call.path
                    let input = request(call.method, path, target.token, body, &mutator)
                    return try check(try await target.ask(input), input)
                },
                Parser("node-routes") { mutator in
                    let place = mutator.pick(target.places)
                    var path = ""
                    for part in place.template.split(separator: "/") {
                        path += "/" + (part.hasPrefix("{") ? safe(mutator.maybeSpoil(ids.context)) : String(part))
                    }
                    if mutator.once(in: 3) { path += "?" + safe(mutator.maybeSpoil("offset=0&limit=10&contextId=x")) }
                    let tree = mutator.once(in: 2) ? mutator.pick(known) : mutator.pick(corpus.trees)
                    let method =
                        mutator.once(in: 20)
                        ? mutator.pick(["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "TRACE"]) : place.method
                    let input = request(method, path, target.token, tree.spoilt(&mutator), &mutator)
                    return try check(try await target.ask(input), input)
                },
                Parser("node-http") { mutator in
                    let call = mutator.pick(calls)
                    let sound = request(call.method, call.path, target.token, Array("{}".utf8), &mutator)
                    let input = mutator.spoil(sound, with: sound)
                    let answer = try await target.ask(input)
                    if mutator.once(in: 20) {
                        let alive = try await target.ask(
                            Array("GET /admin-api/health HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n".utf8))
                        try Finding.require(alive?.status == 200, "the node is not well: \(String(describing: alive))")
                    }
                    // What is no HTTP may be answered by closing.
                    return answer == nil ? .refused : try check(answer, input)
                },
                Parser("node-websocket") { mutator in
                    var input = Array(
                        "GET /ws?token=\(target.token) HTTP/1.1\r\nHost: n\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer \(target.token)\r\n\r\n"
                            .utf8)
                    for _ in 0...mutator.below(3) { input += frame(mutator.pick(known).spoilt(&mutator), &mutator) }
                    if mutator.once(in: 3) { input = mutator.spoil(input, with: input) }
                    return try await target.ask(input)?.status == 101 ? .accepted : .refused
                },
            ]
        }

        /// What a node answers with a status of 500 and something to a request that is sound.
        private static let knownFailures = [
            "Failed to get TEE info", "failed to install", " is not installed", "could not resolve",
            "Provider not found",
        ]

        /// Without what would end a request line.
        private static func safe(_ text: String) -> String {
            String(decoding: text.utf8.map { $0 > 0x20 && $0 < 0x7F && $0 != 0x23 ? $0 : 0x78 }, as: UTF8.self)
        }

        private static func request(
            _ method: String, _ path: String, _ token: String, _ body: [UInt8], _ mutator: inout Mutator
        ) -> [UInt8] {
            var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            if !mutator.once(in: 20) { head += "Authorization: Bearer \(token)\r\n" }
            if mutator.once(in: 10) { head += "X-Calimero-Proof: \(safe(mutator.maybeSpoil("02ab00")))\r\n" }
            if !mutator.once(in: 20) { head += "Content-Type: application/json\r\n" }
            let carries = method != "GET" && method != "HEAD" || mutator.once(in: 20)
            if carries { head += "Content-Length: \(body.count)\r\n" }
            return Array((head + "\r\n").utf8) + (carries ? body : [])
        }

        /// A masked frame, mostly of a text.
        private static func frame(_ text: [UInt8], _ mutator: inout Mutator) -> [UInt8] {
            let mask = mutator.bytes(4)
            let length: [UInt8] =
                text.count < 126
                ? [0x80 | UInt8(text.count)]
                : text.count < 65_536
                    ? [0xFE, UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
                    : [0xFF] + BigEndian.bytes(UInt64(text.count))
            let opcode: UInt8 = mutator.once(in: 10) ? UInt8(mutator.below(256)) : 0x81
            return [opcode] + length + mask + text.enumerated().map { $0.element ^ mask[$0.offset & 3] }
        }

        private static let knownBodies = [
            #"{"jsonrpc":"2.0","id":1,"method":"execute","params":{"contextId":"c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0","method":"set","argsJson":{"key":"a","value":"b"},"executorPublicKey":"k"}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"set_ephemeral","params":{"contextId":"c0","state":[1,2,3]}}"#,
            #"{"id":1,"method":"subscribe","params":{"contextIds":["c0"],"groupIds":["g"]}}"#,
            #"{"id":1,"method":"execute","params":{"contextId":"c0","method":"get","argsJson":{"key":"a"}}}"#,
            #"{"auth_method":"user_password","public_key":"u","client_name":"c","timestamp":1,"permissions":["admin"],"provider_data":{"username":"dev","password":"x"}}"#,
            #"{"access_token":"a.b.c","refresh_token":"d.e.f"}"#, #"{"client_id":"c","refresh_token":"r"}"#,
            #"{"client_name":"c","permissions":["context:execute[a]"],"node_url":"http://n","access_token_expiry":1}"#,
            #"{"public_key":"p","auth_method":"a","provider_data":{}}"#, #"{"add":["a"],"remove":["b"]}"#,
            #"{"warrant":"00","authorProof":"02","method":"set","argsJson":{"a":1}}"#,
            #"{"op":"00","warrant":"00","authorProof":"02","kind":"group"}"#,
            #"{"nonce":"abababababababababababababababababababababababababababababababab","bindNodeKey":true,"bindTransportKey":true,"includeCollateral":true}"#,
            #"{"invitation":{"inviter_identity":[1],"group_id":[2],"expiration_timestamp":1,"secret_salt":[3],"invited_role":1,"admitters":["ab"]},"inviter_signature":"00","inviter_account":"ab","admitter_addrs":[]}"#,
            #"{"id":"s","contextIds":["c0"],"method":"subscribe"}"#,
        ]
    }
#endif
