import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// The claim by which an account has the namespace hosted that it founded.
@Suite struct FounderClaimTests {
    /// A claim, written here member by member.
    struct Claim {
        var members: [(String, JsonTree)]
        var path: String

        init(_ account: DevAccount, _ fixture: CloudFixture, relay: String? = nil, subject: String? = nil) throws {
            let salt = Hex.encode(SecureRandom.bytes(32))
            let namespace = try GovernanceOps.foundedNamespaceId(founder: account.accountId, salt: salt)
            let now = fixture.cloud.core.nowMs
            members = [
                ("v", 1),
                (
                    "audience",
                    subject == nil ? "mdma:enable-ha-namespace-as-account" : "mdma:enable-ha-namespace"
                ),
                ("group_id", .string(namespace)), ("account_id", .string(account.accountId)), ("salt", .string(salt)),
            ]
            if let subject { members.append(("subject", .string(subject))) }
            members += [
                ("nonce", .string(Hex.encode(SecureRandom.bytes(16)))), ("issued_at_ms", JsonTree(now)),
                ("expires_at_ms", JsonTree(now + 60_000)),
            ]
            if let relay { members.append(("relay_url", .string(relay))) }
            path =
                subject == nil
                ? "/api/cloud/accounts/\(account.accountId)/namespaces/\(namespace)/enable-ha"
                : "/api/cloud/me/namespaces/\(namespace)/enable-ha"
        }

        var namespace: String { members.first { $0.0 == "group_id" }?.1.stringValue ?? "" }

        mutating func set(_ name: String, _ value: JsonTree?) {
            guard let index = members.firstIndex(where: { $0.0 == name }) else {
                if let value { members.append((name, value)) }
                return
            }
            if let value { members[index].1 = value } else { members.remove(at: index) }
        }

        var text: String {
            "{" + members.map { "\"\($0.0)\":\($0.1.text)" }.joined(separator: ",") + "}"
        }

        func body(_ signer: DevAccount, credential: String? = nil, text: String? = nil) throws -> JsonTree {
            let payload = Data((text ?? self.text).utf8)
            let message = Data("calimero.mdma.account-ownership-claim.v1".utf8) + [0] + payload
            return [
                "ownership_proof": [
                    "kind": "account", "credential": .string(credential ?? signer.credential),
                    "signed_payload": .string(payload.base64EncodedString()),
                    "signature": .string(try signer.keys.sign(message).base64EncodedString()),
                ]
            ]
        }
    }

    private static func withLinked(_ test: (CloudFixture) async throws -> Void) async throws {
        try await withCloud { fixture in
            try fixture.cloud.link(account: fixture.ada.accountId, to: CloudFixture.email)
            fixture.cloud.add(
                DevCloudRelay(
                    peerId: "peer-1", url: "http://127.0.0.1:1", executorAccount: fixture.ada.deviceId,
                    teeRole: "RelayTee"))
            try await test(fixture)
        }
    }

    @Test func theClientsOwnClaimIsTaken() async throws {
        try await Self.withLinked { fixture in
            let salt = Hex.encode(SecureRandom.bytes(32))
            let namespace = try GovernanceOps.foundedNamespaceId(founder: fixture.ada.accountId, salt: salt)
            let proof = try AccountHaClaim.sign(
                namespaceId: namespace, accountId: fixture.ada.accountId, salt: salt,
                credential: fixture.ada.credential, keys: fixture.ada.keys, relayURL: "http://127.0.0.1:1/")
            let answer = try await fixture.post(
                "/api/cloud/accounts/\(fixture.ada.accountId)/namespaces/\(namespace)/enable-ha",
                [
                    "ownership_proof": [
                        "kind": .string(proof.kind), "credential": .string(proof.credential),
                        "signed_payload": .string(proof.signedPayload), "signature": .string(proof.signature),
                    ]
                ])
            #expect(answer.json == ["status": "enabled", "namespace_id": .string(namespace)])
            #expect(fixture.cloud.owner(ofNamespace: namespace) == CloudFixture.email)
            let relays = try await fixture.relays().json["relays"]?.arrayValue
            #expect(relays?.first?["peer_id"] == "peer-1")
        }
    }

    @Test func aClaimIsGoodOnceAndARefusalDoesNotSpendIt() async throws {
        try await Self.withLinked { fixture in
            let claim = try Claim(fixture.ada, fixture)
            let body = try claim.body(fixture.ada)
            fixture.cloud.unlink(account: fixture.ada.accountId, from: CloudFixture.email)
            #expect(try await fixture.post(claim.path, body).code == "account_not_linked")
            try fixture.cloud.link(account: fixture.ada.accountId, to: CloudFixture.email)
            #expect(try await fixture.post(claim.path, body).status == 200)
            let replay = try await fixture.post(claim.path, body)
            #expect(replay.status == 403 && replay.detail == "Ownership proof failed: the nonce has been used")
        }
    }

    /// What is changed in a claim that is good otherwise.
    enum Flaw: CaseIterable, Sendable {
        case version, audience, group, account, salt, nonce, nonceUpperCase, future, expired, tooLong, negative
        case relayURL, emptyRelayURL, subject, order, spaces, escapedSlash, missing, unknown, signature, signer,
            credential
        case uppercaseIds
    }

    @Test(arguments: Flaw.allCases) func eachPartOfAClaimCounts(_ flaw: Flaw) async throws {
        try await Self.withLinked { fixture in
            let other = try DevAccount()
            var claim = try Claim(fixture.ada, fixture, relay: "http://127.0.0.1:1")
            let now = fixture.cloud.core.nowMs
            switch flaw {
            case .version: claim.set("v", 2)
            case .audience: claim.set("audience", "mdma:enable-ha-namespace")
            case .group: claim.set("group_id", .string(other.accountId))
            case .account: claim.set("account_id", .string(other.accountId))
            case .salt: claim.set("salt", .string(other.accountId))
            case .nonce: claim.set("nonce", "00")
            case .nonceUpperCase: claim.set("nonce", .string(String(repeating: "AB", count: 16)))
            case .future:
                claim.set("issued_at_ms", JsonTree(now + 120_000))
                claim.set("expires_at_ms", JsonTree(now + 180_000))
            case .expired: fixture.cloud.clock.advance(by: 61)
            case .tooLong: claim.set("expires_at_ms", JsonTree(now + 400_000))
            case .negative: claim.set("expires_at_ms", JsonTree(now - 1))
            case .relayURL: claim.set("relay_url", .string(String(repeating: "x", count: 1025)))
            case .emptyRelayURL: claim.set("relay_url", "")
            case .subject: claim.members.insert(("subject", .string(CloudFixture.email)), at: 5)
            case .order: claim.members.swapAt(2, 3)
            case .missing: claim.set("salt", nil)
            case .unknown: claim.set("more", 1)
            case .uppercaseIds: claim.set("account_id", .string(fixture.ada.accountId.uppercased()))
            case .spaces, .escapedSlash, .signature, .signer, .credential: break
            }
            var body = try claim.body(fixture.ada)
            switch flaw {
            case .spaces:
                let spaced = claim.text.replacingOccurrences(of: "\":", with: "\": ")
                body = try claim.body(fixture.ada, text: spaced)
            case .escapedSlash:
                let escaped = claim.text.replacingOccurrences(of: "/", with: "\\/")
                body = try claim.body(fixture.ada, text: escaped)
            case .signature:
                let proof = body["ownership_proof"] ?? [:]
                let signature = proof["signature"]?.stringValue ?? ""
                body = ["ownership_proof": proof.replacing("signature", .string(signature.flipping(at: 4)))]
            case .signer: body = try claim.body(other, credential: fixture.ada.credential)
            case .credential: body = try claim.body(other)
            default: break
            }
            let answer = try await fixture.post(claim.path, body)
            #expect(answer.status == 403, "\(flaw): \(answer.text)")
            #expect(answer.detail?.hasPrefix("Ownership proof failed: ") == true)
            #expect(fixture.cloud.owner(ofNamespace: claim.namespace) == nil)
        }
    }

    @Test func theProofsShapeIsValidated() async throws {
        try await Self.withLinked { fixture in
            let claim = try Claim(fixture.ada, fixture)
            let proof = try claim.body(fixture.ada)["ownership_proof"] ?? [:]
            for name in ["kind", "credential", "signed_payload", "signature"] {
                let answer = try await fixture.post(claim.path, ["ownership_proof": proof.replacing(name, nil)])
                #expect(answer.status == 422 && answer.code == nil)
            }
            let kind = try await fixture.post(claim.path, ["ownership_proof": proof.replacing("kind", "node")])
            #expect(kind.status == 422)
            #expect(try await fixture.post(claim.path, [:]).status == 422)
        }
    }

    // MARK: - Refusals with a code

    @Test func refusalsCarryTheirCodes() async throws {
        try await Self.withLinked { fixture in
            let cloud = fixture.cloud
            func refused(_ relay: String? = nil) async throws -> (Int, String?) {
                let claim = try Claim(fixture.ada, fixture, relay: relay)
                let answer = try await fixture.post(claim.path, try claim.body(fixture.ada))
                return (answer.status, answer.code)
            }
            #expect(try await refused("https://relay.example/a") == (422, "unknown_relay"))
            cloud.change(relay: "peer-1") { $0.isDialable = false }
            #expect(try await refused("http://127.0.0.1:1") == (422, "relay_not_dialable"))
            cloud.change(relay: "peer-1") { $0.isDialable = true }
            cloud.addUser(CloudFixture.email, namespaceLimit: 0)
            #expect(try await refused() == (402, "namespace_limit_reached"))
            cloud.addUser(CloudFixture.email)
            cloud.options.assignmentDelay = 30
            #expect(try await refused() == (200, nil))
            #expect(try await refused() == (409, "ha_request_pending"))
            cloud.clock.advance(by: 31)
            #expect(try await refused() == (200, nil))
            try cloud.link(account: fixture.ada.accountId, to: "bob@example.com")
            #expect(try await refused() == (409, "account_linked_to_several_users"))
            cloud.unlink(account: fixture.ada.accountId, from: "bob@example.com")
            cloud.unlink(account: fixture.ada.accountId, from: CloudFixture.email)
            #expect(try await refused() == (409, "account_not_linked"))
        }
    }

    @Test func aLoginClaimsWithItsAddressAsTheSubject() async throws {
        try await Self.withLinked { fixture in
            let session = fixture.session()
            let claim = try Claim(fixture.ada, fixture, subject: CloudFixture.email)
            func body(_ claim: Claim) throws -> JsonTree { try claim.body(fixture.ada).replacing("groups", []) }
            #expect(try await fixture.post(claim.path, try body(claim), token: session).status == 200)
            let foreign = try Claim(fixture.ada, fixture, subject: "bob@example.com")
            let wrong = try await fixture.post(foreign.path, try body(foreign), token: session)
            #expect(wrong.status == 403 && wrong.detail == "Ownership proof failed: it is for another user")
            let bob = try await fixture.post(
                foreign.path, try body(foreign), token: fixture.session("bob@example.com"))
            #expect(bob.status == 409 && bob.code == "account_not_linked")
            let anonymous = try Claim(fixture.ada, fixture)
            let asLogin = try await fixture.post(
                "/api/cloud/me/namespaces/\(anonymous.namespace)/enable-ha", try body(anonymous), token: session)
            #expect(asLogin.status == 403)
        }
    }
}
