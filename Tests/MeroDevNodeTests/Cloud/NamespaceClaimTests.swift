import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// A node's proof that a namespace is its user's.
@Suite struct NamespaceClaimTests {
    private static let path = "/api/cloud/namespaces/claim"

    /// The proof that a node issues, as it is.
    private static func proof(
        _ node: NodeFixture, _ namespace: String, subject: String = CloudFixture.email,
        audience: String = "mdma:claim-namespace"
    ) async throws -> JsonTree {
        let answer = try await node.post(
            "/admin-api/groups/\(namespace)/issue-namespace-ownership-proof",
            [
                "audience": .string(audience), "subject": .string(subject),
                "nonce": .string(Hex.encode(SecureRandom.bytes(16))),
                "expiresAtMs": JsonTree(UInt64(node.node.clock.seconds + 60) * 1000),
            ], token: node.node.mintTokens().accessToken)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.json
    }

    private static func body(_ namespace: String, _ proof: JsonTree) -> JsonTree {
        ["namespace_id": .string(namespace), "ownership_proof": proof]
    }

    private static func withBoth(_ test: (CloudFixture, NodeFixture, String) async throws -> Void) async throws {
        try await withNode { node in
            try await withCloud { fixture in
                try await test(fixture, node, try node.node.createNamespace())
            }
        }
    }

    @Test func theOwnerClaimsAndOthersCannot() async throws {
        try await Self.withBoth { fixture, node, namespace in
            let session = fixture.session()
            let proof = try await Self.proof(node, namespace)
            let answer = try await fixture.post(Self.path, Self.body(namespace, proof), token: session)
            #expect(answer.status == 200 && fixture.cloud.owner(ofNamespace: namespace) == CloudFixture.email)
            let replay = try await fixture.post(Self.path, Self.body(namespace, proof), token: session)
            #expect(replay.status == 403 && replay.detail == "Ownership proof failed: the nonce has been used")
            let fresh = try await Self.proof(node, namespace)
            #expect(try await fixture.post(Self.path, Self.body(namespace, fresh), token: session).status == 200)
            let bobs = try await Self.proof(node, namespace, subject: "bob@example.com")
            let taken = try await fixture.post(
                Self.path, Self.body(namespace, bobs), token: fixture.session("bob@example.com"))
            #expect(taken.status == 409)
            let rows = try await fixture.call("GET", "/api/cloud/me/namespaces", token: session).json.arrayValue
            #expect(rows?.count == 1 && rows?.first?["namespace_id"]?.stringValue == namespace)
            #expect(rows?.first?["ha_status"] == "none" && rows?.first?["group_id"]?.stringValue == namespace)
        }
    }

    @Test func bothSpellingsAreTakenAndOthersAreNot() async throws {
        try await Self.withBoth { fixture, node, namespace in
            let session = fixture.session()
            let proof = try await Self.proof(node, namespace)
            let snake = proof.replacing("signerPublicKey", nil).replacing("signedPayload", nil)
                .replacing("signer_public_key", proof["signerPublicKey"])
                .replacing("signed_payload", proof["signedPayload"])
            #expect(try await fixture.post(Self.path, Self.body(namespace, snake), token: session).status == 200)
            let wrong = proof.replacing("signedPayload", nil).replacing("payload", proof["signedPayload"])
            let refused = try await fixture.post(Self.path, Self.body(namespace, wrong), token: session)
            #expect(refused.status == 422 && refused.code == nil)
            #expect(refused.invalidPlaces == [#"["body","ownership_proof","signed_payload"]"#])
        }
    }

    /// What is changed in a proof that is good otherwise.
    enum Flaw: CaseIterable, Sendable {
        case signature, payload, signer, namespace, subject, audience, expired, founding, credential
    }

    @Test(arguments: Flaw.allCases) func eachPartOfAProofCounts(_ flaw: Flaw) async throws {
        try await Self.withBoth { fixture, node, namespace in
            var id = namespace
            var proof = try await Self.proof(
                node, namespace, subject: flaw == .subject ? "bob@example.com" : CloudFixture.email,
                audience: flaw == .audience ? "another:claim" : "mdma:claim-namespace")
            let other = try DevAccount()
            func text(_ name: String) -> String { proof[name]?.stringValue ?? "" }
            switch flaw {
            case .signature: proof = proof.replacing("signature", .string(text("signature").flipping(at: 9)))
            case .payload:
                // Another spelling of the same JSON is another payload.
                let payload = Data(base64Encoded: text("signedPayload")) ?? Data()
                proof = proof.replacing("signedPayload", .string((payload + Data(" ".utf8)).base64EncodedString()))
            case .signer: proof = proof.replacing("signerPublicKey", .string(other.keys.signPublicKey))
            case .namespace: id = try node.node.createNamespace()
            case .expired: fixture.cloud.clock.advance(by: 61)
            case .founding:
                let founding = (proof["founding"] ?? [:]).replacing("salt", .string(other.deviceId))
                proof = proof.replacing("founding", founding)
            case .credential: proof = proof.replacing("credential", .string(other.credential))
            case .subject, .audience: break
            }
            let answer = try await fixture.post(Self.path, Self.body(id, proof), token: fixture.session())
            #expect(answer.status == 403, "\(flaw): \(answer.text)")
            #expect(answer.detail?.hasPrefix("Ownership proof failed: ") == true)
            #expect(fixture.cloud.owner(ofNamespace: namespace) == nil)
        }
    }

    @Test func hostingIsTurnedOnAndOff() async throws {
        try await withCloud { fixture in
            let namespace = String(repeating: "a1", count: 32)
            let session = fixture.session()
            let path = "/api/cloud/namespaces/\(namespace)"
            #expect(try await fixture.post("\(path)/enable-ha", [:], token: session).status == 404)
            fixture.cloud.add(DevCloudRelay(peerId: "peer-1", url: "http://127.0.0.1:1"))
            fixture.cloud.addUser(CloudFixture.email, namespaceLimit: 1)
            try fixture.cloud.claim(namespace, for: CloudFixture.email)
            let bad = try await fixture.post("\(path)/enable-ha", ["admitter_addrs": ["x"]], token: session)
            #expect(bad.status == 422)
            let first = try await fixture.post(
                "\(path)/enable-ha", ["admitter_addrs": ["/ip4/203.0.113.7/tcp/1/p2p/ME"]], token: session)
            #expect(first.status == 200)
            #expect(try await fixture.post("\(path)/enable-ha", [:], token: session).status == 200)
            #expect(fixture.cloud.admitterAddrs(ofNamespace: namespace) == ["/ip4/203.0.113.7/tcp/1/p2p/ME"])
            _ = try await fixture.post("\(path)/enable-ha", ["admitter_addrs": []], token: session)
            #expect(fixture.cloud.admitterAddrs(ofNamespace: namespace) == [])
            let row = try await fixture.call("GET", "/api/cloud/me/namespaces", token: session).json.arrayValue?.first
            #expect(row?["ha_status"] == "enabled" && row?["fleet_replicas"] == ["current": 1, "limit": 2])
            let second = String(repeating: "b2", count: 32)
            try fixture.cloud.claim(second, for: CloudFixture.email)
            let full = try await fixture.post("/api/cloud/namespaces/\(second)/enable-ha", [:], token: session)
            #expect(full.status == 402 && full.code == "namespace_limit_reached")
            #expect(try await fixture.post("\(path)/disable-ha", [:], token: session).json["status"] == "disabled")
            let relays = try await fixture.call(
                "GET", "/api/cloud/me/namespaces/\(namespace)/relays", token: session)
            #expect(relays.json["relays"] == [])
        }
    }
}
