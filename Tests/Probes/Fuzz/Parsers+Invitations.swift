#if DEBUG || MEROKIT_FUZZING
    import Foundation
    @testable import MeroKit

    extension Parser {
        /// Invitations in all their forms: JSON, deflated or plain in Base58, Base64url, links, and what is pasted.
        static func invitations(_ corpus: Corpus) throws -> [Parser] {
            let documents =
                corpus.texts.filter { (try? InvitationPayload(json: $0)) != nil }
                + (try corpus.texts.compactMap { try? InvitationPayload(token: $0) }.map { try $0.json })
            if documents.isEmpty { throw Finding("no vector is an invitation") }
            let trees = try documents.map { try JSONSpoiler(text: $0.utf8) }
            let tokens = corpus.texts.filter { InviteCodec.decode(token: $0) != nil }
            let isRefusal: (any Error) -> Bool = { error in
                if case MeroError.decoding = error { return true }
                return error is AccountError
            }
            return [
                Parser("invitation-json") { mutator in
                    let input = String(decoding: mutator.pick(trees).spoilt(&mutator), as: UTF8.self)
                    return try await reading(isRefusal) { try check(try InvitationPayload(json: input)) }
                },
                Parser("invitation-token") { mutator in
                    let bytes = mutator.pick(trees).spoilt(&mutator)
                    var input: String
                    switch mutator.below(5) {
                    case 0: input = String(decoding: bytes, as: UTF8.self)
                    case 1: input = Base58.encode((try? RawDeflate.deflate(bytes)) ?? bytes)
                    case 2: input = Base58.encode(bytes)
                    case 3: input = Base64URL.encode(bytes)
                    default: input = mutator.pick(tokens)
                    }
                    if mutator.once(in: 3) { input = mutator.maybeSpoil(input, with: mutator.pick(tokens)) }
                    return try await reading(isRefusal) { try check(try InvitationPayload(token: input)) }
                },
                Parser("invitation-bomb") { mutator in
                    // A little that unpacks to a lot, at the limits of what a token may hold.
                    let filler = [UInt8](
                        repeating: mutator.pick([0x20, 0x61, 0x7B]), count: mutator.pick([1 << 20, 3 << 20, 12 << 20]))
                    var packed = try RawDeflate.deflate(Array("{".utf8) + filler + Array("}".utf8))
                    if mutator.once(in: 2) { packed = mutator.spoil(packed, with: packed) }
                    let text = mutator.once(in: 2) ? Base58.encode(packed.prefix(16 << 10)) : Base64URL.encode(packed)
                    guard let json = InviteCodec.decode(token: text) else { return .refused }
                    try Finding.require(json.utf8.count <= 1 << 20, "\(json.utf8.count) bytes unpacked")
                    return .accepted
                },
                Parser("invitation-pasted") { mutator in
                    let token = mutator.pick(tokens)
                    let link = mutator.pick([
                        InviteLink.invitation(token: token, slug: "app"), "calimero://app/join?invitation=\(token)&x=%",
                        "  \(token)\n", "https://x/\(token)", "HTTPS://links/app/join?Invitation=\(token)#invitation=x",
                    ])
                    let input = mutator.maybeSpoil(link, with: token)
                    return try await reading(isRefusal) {
                        guard
                            let payload = try InvitationPayload.read(
                                pasted: input, expectedSlug: mutator.once(in: 2) ? "app" : nil)
                        else { return }
                        try check(payload)
                    }
                },
                Parser("invite-link") { mutator in
                    let token = mutator.maybeSpoil("3BVYAKByWypBH")
                    // Foundation drops a byte order mark at the beginning, with which no token begins.
                    if token.utf8.starts(with: [0xEF, 0xBB, 0xBF]) { return .refused }
                    let slug = mutator.maybeSpoil("app")
                    let link = InviteLink.invitation(token: token, slug: slug)
                    let read = InviteLink.token(fromPasted: link)
                    let isSame = read.map { $0.utf8.elementsEqual(token.utf8) } ?? false
                    try Finding.require(isSame, "\(token.debugDescription) came back as \(String(describing: read))")
                    return .accepted
                },
                Parser("inflate") { mutator in
                    let bytes = mutator.pick(trees).spoilt(&mutator)
                    let wrapper: RawDeflate.Wrapper = mutator.once(in: 2) ? .none : .gzip
                    let packed = try RawDeflate.deflate(bytes, wrapper: wrapper)
                    try Finding.require(
                        try RawDeflate.inflate(packed, limit: bytes.count, wrapper: wrapper) == bytes, "other bytes")
                    let input = mutator.spoil(packed, with: packed)
                    return try await reading({ $0 is RawDeflate.Problem }) {
                        let output = try RawDeflate.inflate(input, limit: 1 << 16, wrapper: wrapper)
                        try Finding.require(output.count <= 1 << 16, "more than the limit")
                    }
                },
            ]
        }

        /// Everything that is asked of an invitation, and that it survives being handed on.
        private static func check(_ payload: InvitationPayload) throws {
            try Finding.require(Hex.is32(payload.namespaceId), "a namespace that is none")
            _ = (
                payload.extra, payload.isWrapped, payload.invitation.expiresAt, payload.invitation.isExpired(at: Date())
            )
            _ = AppInvitation(payload)
            _ = try? GroupInvitations.hash(payload.invitation.invitation)
            _ = try? NamespaceOps.encodeSignedInvitation(payload.invitation)
            let again = try InvitationPayload(json: payload.json)
            try Finding.require(try again.json == payload.json, "another invitation when written and read")
            if let token = try? payload.token() {
                try Finding.require(try InvitationPayload(token: token).json == payload.json, "another one as a token")
            }
            let pending = try PendingInvitation(payload)
            let stored = try MeroJSON.decode(PendingInvitation.self, from: MeroJSON.encode(pending))
            try Finding.require(stored.json == pending.json, "another one when kept")
        }
    }
#endif
