import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Proofs that a namespace is somebody's own.
extension OwnerOpTests {
    // MARK: - Ownership proofs

    @Test func ownershipIsProven() async throws {
        try await withOwner { owner async throws in
            owner.node.clock.freeze(at: Date(timeIntervalSince1970: 1_790_000_000))
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let context = try owner.node.createContext(KeyValueContract(), inGroup: group)
            let nonce = String(repeating: "0f", count: 16)
            let body: JsonTree = [
                "audience": "shop", "contextId": .string(context), "subject": "é \"q\"", "nonce": .string(nonce),
                "expiresAtMs": 1_790_000_900_000,
            ]
            let answer = try await owner.post("/groups/\(id)/issue-ownership-proof", body)
            #expect(answer.status == 200)
            #expect(answer.json.names == ["signerPublicKey", "signedPayload", "signature"])
            let payload = try verified(answer, owner)
            #expect(
                payload.members.map(\.name) == [
                    "v", "audience", "group_id", "issuer_identity", "context_id", "subject", "nonce", "issued_at_ms",
                    "expires_at_ms",
                ])
            #expect(payload["v"] == 1)
            #expect(payload["group_id"] == .string(id))
            #expect(payload["context_id"] == .string(context))
            #expect(payload["subject"] == "é \"q\"")
            #expect(payload["issued_at_ms"] == 1_790_000_000_000)
            #expect(payload["expires_at_ms"] == 1_790_000_300_000, "five minutes at most")

            let space = try await owner.post(
                "/groups/\(id)/issue-namespace-ownership-proof", body.replacing("contextId", nil))
            #expect(
                space.json.names == ["signerPublicKey", "signedPayload", "signature", "founding", "credential"])
            #expect(try verified(space, owner)["context_id"] == "")
            let credential = try DeviceCertificates.verify(space.json["credential"]?.stringValue ?? "")
            #expect(credential.account == owner.account)
            #expect(credential.signPublicKey == owner.node.nodeKey)
            let salt = space.json["founding"]?["salt"]?.stringValue ?? ""
            #expect(try GovernanceOps.foundedNamespaceId(founder: owner.account, salt: salt) == id)
        }
    }

    private func verified(_ answer: Answer, _ owner: Owner) throws -> JsonTree {
        let payload = try #require(Data(base64Encoded: answer.json["signedPayload"]?.stringValue ?? ""))
        let signature = try #require(Data(base64Encoded: answer.json["signature"]?.stringValue ?? ""))
        #expect(answer.json["signerPublicKey"] == .string(owner.node.nodeKey))
        let key = Data(try #require(Hex.decode(owner.node.nodeKey)))
        let message = Data("calimero.ownership-claim.v1".utf8) + [0] + payload
        #expect(Ed25519.verify(publicKey: key, signature: signature, message: message))
        return try JsonParser.parse(payload)
    }

    @Test func whatOwnershipProofsRefuse() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let context = try owner.node.createContext(KeyValueContract(), inGroup: id)
            let later = JsonTree(UInt64(Date().timeIntervalSince1970 * 1000) + 60_000)
            let space: JsonTree = [
                "audience": "a", "subject": "s", "nonce": .string(String(repeating: "0", count: 32)),
                "expiresAtMs": later,
            ]
            let body = space.replacing("contextId", .string(context))
            let path = "/groups/\(id)/issue-ownership-proof"
            try await expectClosedBody(
                owner, "POST", path, body, required: ["audience", "contextId", "subject", "nonce", "expiresAtMs"])
            try await expectClosedBody(
                owner, "POST", "/groups/\(id)/issue-namespace-ownership-proof", space,
                required: ["audience", "subject", "nonce", "expiresAtMs"])
            func text(_ count: Int) -> JsonTree { .string(String(repeating: "0", count: count)) }
            let cases: [(String, JsonTree, String)] = [
                ("audience", "", "Field 'audience' is required but was empty"),
                ("audience", text(257), "Field 'audience' exceeds maximum length of 256 characters (got 257)"),
                ("subject", text(513), "Field 'subject' exceeds maximum length of 512 characters (got 513)"),
                ("subject", text(257), "subject has more than 256 bytes"),
                ("subject", "a\u{7}", "subject contains control characters"),
                ("nonce", text(33), "Field 'nonce' has invalid format: nonce hex string must have even length"),
                (
                    "nonce", text(30),
                    "Field 'nonce' has invalid format: nonce must be hex-encoded, 32..=128 characters"
                ),
                (
                    "nonce", text(130),
                    "Field 'nonce' has invalid format: nonce must be hex-encoded, 32..=128 characters"
                ),
                ("expiresAtMs", 1, "Field 'expiresAtMs' has invalid format: must be in the future"),
                ("contextId", "ab", "Field 'contextId' must be exactly 64 characters (got 2)"),
            ]
            for (name, value, error) in cases {
                let answer = try await owner.post(path, body.replacing(name, value))
                #expect(answer.status == 400)
                #expect(answer.error == error)
            }
            #expect(try await owner.post("/groups/\(group)/issue-ownership-proof", body).status == 404)
            #expect(try await owner.post("/groups/\(group)/issue-namespace-ownership-proof", space).status == 400)
            #expect(try await owner.post("/groups/\(Owner.unknown)/issue-ownership-proof", body).status == 404)
            let foreign = try owner.node.createNamespace(founder: ada, isRelay: false)
            #expect(try await owner.post("/groups/\(foreign)/issue-namespace-ownership-proof", space).status == 403)
        }
    }
}
