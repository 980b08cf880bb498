import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct RoutingProofTests {
    @Test func aProofReadsTheAccountsRelaysOnce() async throws {
        try await withCloud { fixture in
            let place = "accounts/\(fixture.ada.accountId)"
            let challenge = try await fixture.call("GET", "/api/cloud/\(place)/challenge")
            #expect(challenge.json["account_id"]?.stringValue == fixture.ada.accountId)
            let expiry: Int64 = challenge.json["expires_at_ms"]?.integer() ?? 0
            #expect(abs(expiry - fixture.cloud.core.nowMs - 120_000) < 5_000)
            let proof = try await fixture.proof(place)
            let first = try await fixture.call("GET", "/api/cloud/\(place)/relays", headers: proof.headers)
            #expect(first.status == 200)
            #expect(first.json == ["account_id": .string(fixture.ada.accountId), "relays": []])
            let second = try await fixture.call("GET", "/api/cloud/\(place)/relays", headers: proof.headers)
            #expect(second.status == 403 && second.detail == "The nonce has been used")
        }
    }

    @Test func theVectorOfTheContractVerifies() throws {
        let seed = Data(repeating: 0x21, count: 32)
        let signature = try Ed25519.sign(seed: seed, message: CloudProof.routingRead.message(nonce: "n-42"))
        #expect(
            signature.base64EncodedString()
                == "EGNgB1RKakjPi7iyOWxF3tzU/TAKJalqFSE9COWxgp5PkbcwG/SQbbBzJNNGEg4FtpoyNiY5F6zvGJcvk2ptCA==")
    }

    /// What is wrong with a proof, and what the cloud says to it.
    enum Flaw: CaseIterable, Sendable {
        case none, credentialNotHex, credentialTruncated, credentialSignature, credentialOfAnother, nonceForged
        case nonceOfAnother, nonceOfNamespace, nonceExpired, signature, signatureNotBase64, signatureDomain
        case signatureByAnother, missingCredential, missingNonce, missingSignature, missingAll

        var status: Int {
            switch self {
            case .none: return 200
            case .credentialNotHex, .credentialTruncated, .missingCredential, .missingNonce, .missingSignature:
                return 400
            case .missingAll: return 401
            default: return 403
            }
        }
    }

    @Test(arguments: Flaw.allCases) func eachPartOfAProofCounts(_ flaw: Flaw) async throws {
        try await withCloud { fixture in
            let place = "accounts/\(fixture.ada.accountId)"
            let other = try DevAccount()
            var proof = try await fixture.proof(place)
            var left: Set<String> = []
            switch flaw {
            case .none: break
            case .credentialNotHex: proof.credential = "xyz"
            case .credentialTruncated: proof.credential = String(proof.credential.dropLast(2))
            case .credentialSignature: proof.credential = proof.credential.flipping(at: proof.credential.count - 1)
            case .credentialOfAnother:
                proof.credential = other.credential
                proof.signature = try CloudFixture.sign(other, nonce: proof.nonce)
            case .nonceForged:
                proof.nonce += "0"
                proof.signature = try CloudFixture.sign(fixture.ada, nonce: proof.nonce)
            case .nonceOfAnother: proof = try await fixture.proof("accounts/\(other.accountId)")
            case .nonceOfNamespace: proof = try await fixture.proof("namespaces/\(fixture.ada.accountId)")
            case .nonceExpired: fixture.cloud.clock.advance(by: 121)
            case .signature: proof.signature = proof.signature.flipping(at: 5)
            case .signatureNotBase64: proof.signature = "%%%"
            case .signatureDomain:
                proof.signature = try CloudFixture.sign(fixture.ada, nonce: proof.nonce, domain: "account-login")
            case .signatureByAnother: proof.signature = try CloudFixture.sign(other, nonce: proof.nonce)
            case .missingCredential: left = ["X-Calimero-Credential"]
            case .missingNonce: left = ["X-Calimero-Nonce"]
            case .missingSignature: left = ["X-Calimero-Signature"]
            case .missingAll: left = Set(proof.headers.map(\.0))
            }
            let answer = try await fixture.call(
                "GET", "/api/cloud/\(place)/relays", headers: proof.headers.filter { !left.contains($0.0) })
            #expect(answer.status == flaw.status, "\(flaw): \(answer.text)")
        }
    }

    @Test func aNamespaceIsToldWithoutAProofUnlessOneIsAskedFor() async throws {
        try await withCloud { fixture in
            let id = String(repeating: "a1", count: 32)
            let open = try await fixture.admitters(id)
            #expect(
                open.json == ["namespace_id": .string(id), "admitters": [], "servable": false, "writable": false])
            fixture.cloud.options.requiresNamespaceProof = true
            #expect(try await fixture.admitters(id).status == 401)
            let proof = try await fixture.proof("namespaces/\(id)")
            let path = "/api/cloud/namespaces/\(id)/admitters"
            #expect(try await fixture.call("GET", path, headers: proof.headers).status == 200)
            fixture.cloud.options.requiresNamespaceProof = false
            // A proof that is shown has to hold all the same.
            #expect(try await fixture.call("GET", path, headers: proof.headers).status == 403)
        }
    }

    @Test func idsInPathsAreLowerCaseHex() async throws {
        try await withCloud { fixture in
            for id in ["x", String(repeating: "A1", count: 32), String(repeating: "a1", count: 31)] {
                let answer = try await fixture.call("GET", "/api/cloud/accounts/\(id)/challenge")
                #expect(answer.status == 422 && answer.invalidPlaces == [#"["path","account_id"]"#])
            }
        }
    }
}
