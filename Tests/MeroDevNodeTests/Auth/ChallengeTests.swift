import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct ChallengeTests {
    @Test func withoutTheProviderItIs404() async throws {
        try await withNode { fixture in
            let answer = try await fixture.call("GET", "/auth/challenge")
            #expect(answer.status == 404)
            #expect(
                answer.json == [
                    "data": .null, "error": "The account_proof provider is not enabled on this node",
                ])
        }
    }

    @Test func aChallengeCarriesItsExpiry() async throws {
        try await withNode(
            .with {
                $0.accountProof = true
                $0.challengeLifetime = 45
            }
        ) { fixture in
            let answer = try await fixture.call("GET", "/auth/challenge")
            #expect(answer.status == 200)
            #expect(answer.data?.names == ["challenge", "expires_at"])
            let text = try #require(answer.data?["challenge"]?.stringValue)
            let bytes = try #require(Hex.decode(text))
            #expect(bytes.count == 32)
            #expect(text == text.lowercased())
            let expiry = try #require(answer.data?["expires_at"]?.integer(Int64.self))
            #expect(bytes[..<8].enumerated().reduce(Int64(0)) { $0 | Int64($1.element) << (8 * $1.offset) } == expiry)
            #expect(abs(Double(expiry) - 45 - Date().timeIntervalSince1970) < 30)
            #expect(try await fixture.call("GET", "/auth/challenge").data?["challenge"] != .string(text))
            let names = try await fixture.call("GET", "/auth/providers").data?["providers"]?.arrayValue
            #expect(names?.map { $0["name"] } == ["user_password", "account_proof"])
            #expect(names?.last?["config"]?["challenge_ttl_secs"] == 45)
            fixture.node.setStorageAvailable(false)
            let failed = try await fixture.call("GET", "/auth/challenge")
            #expect(failed.status == 500)
            #expect(failed.error == "Failed to issue a challenge")
        }
    }

    @Test func theLoginChecksTheChallengeFirst() async throws {
        try await withNode(.with { $0.accountProof = true }) { fixture in
            func login(_ challenge: String, drop: String? = nil) async throws -> String? {
                let data: JsonTree = ["challenge": .string(challenge), "login_statement": "00", "account_proof": "00"]
                let body = NodeFixture.loginBody(method: "account_proof").replacing(
                    "provider_data", drop.map { data.replacing($0, nil) } ?? data)
                let answer = try await fixture.post("/auth/token", body)
                #expect(answer.status == 401)
                return answer.error
            }
            let good = try await fixture.call("GET", "/auth/challenge").data?["challenge"]?.stringValue ?? ""
            let prefix = "Authentication failed: Authentication failed: "
            #expect(try await login("xyz")?.hasPrefix(prefix + "challenge is not valid hex: ") == true)
            #expect(try await login("00") == prefix + "challenge must be 32 bytes")
            #expect(
                try await login(String(repeating: "0", count: 64)) == prefix + "challenge was not issued by this node")
            #expect(
                try await login(good, drop: "account_proof")
                    == "Authentication failed: Invalid request: Invalid account-proof data: missing field `account_proof`"
            )
            #expect(try await login(good)?.hasPrefix(prefix + "login statement is not a valid encoding: ") == true)
            fixture.node.clock.advance(by: 62)
            #expect(try await login(good) == prefix + "challenge has expired")
        }
    }

    @Test func nobodyElseIssuesChallenges() throws {
        let mine = ChallengeMint(secret: [1])
        var challenge = mine.issue(expiresAt: 100)
        try mine.check(challenge, now: 100)
        #expect(throws: ChallengeMint.Problem.expired) { try mine.check(challenge, now: 101) }
        #expect(throws: ChallengeMint.Problem.notIssuedHere) {
            try ChallengeMint(secret: [2]).check(challenge, now: 100)
        }
        challenge[0] ^= 0xff
        #expect(throws: ChallengeMint.Problem.notIssuedHere) { try mine.check(challenge, now: 100) }
    }
}
