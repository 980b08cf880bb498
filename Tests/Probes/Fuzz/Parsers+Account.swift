#if DEBUG || MEROKIT_FUZZING
    import Foundation
    import MeroDevNode
    @testable import MeroKit

    extension Parser {
        /// Everything that travels in Borsh, and what the account layer takes from outside as text.
        static func account(_ corpus: Corpus) throws -> [Parser] {
            let readers = borshReaders
            // Of all byte strings in the vectors, those that each reader takes.
            let seeds = try readers.map { reader in
                let taken = corpus.bytes.filter { (try? reader.read(Data($0))) != nil }
                if taken.isEmpty { throw Finding("no vector is a \(reader.name)") }
                return taken
            }
            return readers.indices.map { index in
                Parser("borsh-\(readers[index].name)") { mutator in
                    let other = mutator.pick(corpus.bytes)
                    let input = Data(mutator.maybeSpoil(mutator.pick(seeds[index]), with: other))
                    return try await reading({ $0 is BorshError }) {
                        // Borsh is canonical: whatever is taken is written as it came.
                        let again = try readers[index].read(input)
                        try Finding.require(again == input, "taken, and written in another way")
                    }
                }
            } + texts(corpus)
        }

        private struct BorshKind {
            let name: String
            /// Reads, and writes what was read.
            let read: (Data) throws -> Data

            init(_ name: String, _ read: @escaping (Data) throws -> Data) {
                self.name = name
                self.read = read
            }

            static func proof<Statement: RootStatement>(
                _ name: String, _ bytes: @escaping (Statement) -> Data
            ) -> BorshKind {
                BorshKind(name) { input in
                    let proof = try AccountProof<Statement>(input)
                    _ = try? proof.verify()
                    return written(proof, bytes)
                }
            }

            static func written<Statement: RootStatement>(
                _ proof: AccountProof<Statement>, _ bytes: (Statement) -> Data
            ) -> Data {
                let head = proof.genesis.bytes + LittleEndian.u32(UInt32(proof.handoffs.count))
                let chain = proof.handoffs.map {
                    $0.account + LittleEndian.u32($0.fromEpoch) + $0.newRootPublicKey + $0.signature
                }
                return head + chain.joined() + bytes(proof.statement) + proof.signature
            }

            static func warrant<Warrant: SignedWarrant>(_ name: String, _ type: Warrant.Type) -> BorshKind {
                BorshKind(name) { input in
                    let warrant = try Warrant(input)
                    _ = try? warrant.verify()
                    return warrant.bytes(signature: warrant.signature)
                }
            }
        }

        private static var borshReaders: [BorshKind] {
            [
                .proof("certificate") { (statement: DeviceCertificate) in statement.bytes },
                .proof("scope") { (statement: DeviceScopeStatement) in statement.bytes },
                .proof("owner-authorization") { (statement: OwnerAuthorization) in statement.bytes },
                .warrant("write-warrant", WriteWarrant.self), .warrant("creation-warrant", CreationWarrant.self),
                .warrant("governance-warrant", GovernanceWarrant.self),
                BorshKind("login-statement") { input in
                    let statement = try SignedLoginStatement(input)
                    _ = statement.isSigned
                    return statement.bytes
                },
                BorshKind("caller-proof") { input in
                    let proof = try CallerProof(input)
                    for now: UInt64 in [0, 1_760_000_001, .max] {
                        _ = try? proof.verify(
                            method: proof.request.method, path: proof.request.path, body: Data(), node: Data(count: 32),
                            now: now)
                    }
                    let session = proof.session.map { [1] + $0.bytes } ?? Data([0])
                    return BorshKind.written(proof.credential) { $0.bytes } + session + proof.request.bytes
                },
                BorshKind("member-join") { input in
                    let op = try MemberJoinOp(input)
                    _ = op.isSigned
                    return op.bytes(signature: op.signature)
                },
                BorshKind("signed-invitation") { input in
                    var reader = BorshReader(input)
                    let invitation = try SignedInvitation(from: &reader)
                    try reader.finish()
                    _ = invitation.isSigned
                    return invitation.bytes
                },
                BorshKind("invitation-body") { input in
                    var reader = BorshReader(input)
                    let body = try InvitationBody(from: &reader)
                    try reader.finish()
                    return body.bytes
                },
            ]
        }

        private static func texts(_ corpus: Corpus) -> [Parser] {
            let long = corpus.texts.filter { $0.utf8.count > 200 && Hex.decode($0) != nil }
            let credentials = long.filter { (try? DeviceCertificates.parse($0)) != nil }
            let fragments = [
                "#credential=\(credentials.first ?? "")&account=ab&device=cd&state=ef", "error=denied&state=1",
                "grant=g&account=ab",
                "access_token=a.b.c&refresh_token=r&application_id=x&context_id=y&node_url=http%3A%2F%2Fn",
            ]
            let words = RecoveryPhrase.list.split(separator: " ").prefix(64).map(String.init)
            let isAccountError: (any Error) -> Bool = { $0 is AccountError }
            return [
                Parser("credential") { mutator in
                    let input = mutator.maybeSpoil(mutator.pick(credentials), with: mutator.pick(long))
                    return try await reading(isAccountError) {
                        let parsed = try DeviceCertificates.parse(input)
                        if let verified = try? DeviceCertificates.verify(input) {
                            try Finding.require(verified == parsed, "verified as something else")
                        }
                    }
                },
                Parser("callback-fragment") { mutator in
                    let input = mutator.maybeSpoil(mutator.pick(fragments), with: mutator.pick(fragments))
                    _ = SsoLogin.parseAuthCallback("calimero://x#\(input)")
                    _ = try? AccountLink.readCallback(fragment: input)
                    return try await reading(isAccountError) {
                        guard let callback = try DeviceEnrolment.readCallback(fragment: input) else { return }
                        let device = try DeviceEnrolment.completeEnrolment(
                            callback, devicePublicKey: "00", kemPublicKey: nil, expectState: nil)
                        throw Finding("a device with the key 00: \(device.device)")
                    }
                },
                Parser("recovery-phrase") { mutator in
                    var phrase = RecoveryPhrase.encode(SecretBytes(mutator.bytes(32)))
                    let original = phrase
                    if !mutator.once(in: 4) { phrase = mutator.maybeSpoil(phrase, with: words.joined(separator: " ")) }
                    return try await reading({ $0 is RecoveryPhraseError }) {
                        let again = RecoveryPhrase.encode(try RecoveryPhrase.decode(phrase))
                        let given = phrase.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
                        try Finding.require(again == original || again == given, "another phrase")
                    }
                },
                Parser("jwt") { mutator in
                    let payload = JSONSpoiler.object([
                        ("sub", .string("u")), ("exp", .raw("1790000000")), ("iat", .raw("1")),
                        ("key_id", .string("k")),
                        ("node_url", .string("http://n")), ("device", .string("d")), ("token_type", .string("access")),
                        ("permissions", .array([.string("admin"), .string("context:execute[a,b]"), .raw("1")])),
                    ])
                    var token = "e30." + Base64URL.encode(payload.spoilt(&mutator)) + ".c2ln"
                    if mutator.once(in: 4) { token = mutator.maybeSpoil(token) }
                    guard let claims = SessionClaims(token: token) else { return .refused }
                    for scope in ["admin", "context:execute", mutator.maybeSpoil("context:execute[a,b]")] {
                        _ = claims.grants(scope)
                    }
                    _ = expiresAtFromJWT(token, fallback: Date())
                    return .accepted
                },
            ]
        }
    }
#endif
