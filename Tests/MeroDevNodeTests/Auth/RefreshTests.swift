import Foundation
import Testing

@testable import MeroDevNode

@Suite struct RefreshTests {
    @Test func anExpiredPairIsRotatedOnce() async throws {
        try await withNode { fixture in
            let old = try await fixture.login(clientName: "app").pair
            fixture.node.clock.advance(by: 3600 + 61)
            let answer = try await fixture.refresh(old)
            #expect(answer.status == 200)
            #expect(answer.data?.names == ["access_token", "refresh_token", "error"])
            let new = answer.pair
            #expect(new.accessToken != old.accessToken)
            #expect(new.refreshToken != old.refreshToken)
            for name in ["sub", "key_id", "permissions", "node_url"] {
                #expect(claims(new.accessToken)[name] == claims(old.accessToken)[name])
            }
            #expect(try await fixture.call("GET", "/admin/identity", token: new.accessToken).status == 200)

            let reused = try await fixture.refresh(old)
            #expect(reused.status == 401)
            #expect(reused.authError == "token_reuse")
            #expect(reused.error == "Refresh token reuse detected; re-authentication required")
            // A root key survives that.
            #expect(try await fixture.call("GET", "/admin/identity", token: new.accessToken).status == 200)
        }
    }

    @Test func theTimeWindowIsExact() async throws {
        try await withNode(.with { $0.accessTokenLifetime = 100 }) { fixture in
            let clock = fixture.node.clock
            clock.freeze(at: Date(timeIntervalSince1970: 1_800_000_000))
            let pair = fixture.node.mintTokens()
            #expect(claims(pair.accessToken)["exp"] == 1_800_000_100)
            // The last moment of the last good second.
            clock.advance(by: 160.9)
            let early = try await fixture.refresh(pair)
            #expect(early.status == 401)
            #expect(early.error == "Access token still valid")
            #expect(early.authError == nil)
            #expect(try await fixture.call("GET", "/admin/identity", token: pair.accessToken).status == 200)
            clock.advance(by: 0.1)
            let late = try await fixture.call("GET", "/admin/identity", token: pair.accessToken)
            #expect(late.status == 401)
            #expect(late.authError == "token_expired")
            #expect(try await fixture.refresh(pair).status == 200)
        }
    }

    @Test func theLeewayIsAdjustable() async throws {
        try await withNode(
            .with {
                $0.accessTokenLifetime = 10
                $0.expiryLeeway = 0
            }
        ) { fixture async throws in
            let pair = fixture.node.mintTokens()
            fixture.node.clock.advance(by: 12)
            #expect(try await fixture.refresh(pair).status == 200)
        }
    }

    @Test func accessTokensCanBeExpiredByHand() async throws {
        try await withNode { fixture in
            let old = fixture.node.mintTokens()
            fixture.node.expireAccessTokens()
            let later = fixture.node.mintTokens()
            #expect(
                try await fixture.call("GET", "/admin/identity", token: old.accessToken).authError == "token_expired")
            #expect(try await fixture.call("GET", "/admin/identity", token: later.accessToken).status == 200)
            let new = try await fixture.refresh(old).pair
            #expect(try await fixture.call("GET", "/admin/identity", token: new.accessToken).status == 200)
            #expect(try await fixture.refresh(later).error == "Access token still valid")
            fixture.node.expireAccessTokens()
            #expect(
                try await fixture.call("GET", "/admin/identity", token: new.accessToken).authError == "token_expired")
        }
    }

    @Test func checksComeInOrder() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let pair = node.mintTokens()
            let other = node.mintTokens()
            let secret = node.core.auth.vault.secret
            func refused(_ access: String, _ refresh: String) async throws -> Answer {
                try await fixture.refresh(DevTokens(accessToken: access, refreshToken: refresh))
            }
            // 1: the access token, before anything about the other.
            for bad in ["x", "a.b.c", pair.refreshToken, forge(claims(pair.accessToken), secret: [1])] {
                let answer = try await refused(bad, "nonsense")
                #expect(answer.status == 401)
                #expect(answer.error?.hasPrefix("Invalid access token: Invalid token: ") == true)
                #expect(answer.authError == nil)
            }
            // 2: still valid.
            #expect(try await refused(pair.accessToken, "nonsense").error == "Access token still valid")
            node.expireAccessTokens()
            // 3: the refresh token.
            for bad in ["nonsense", pair.accessToken, forge(claims(pair.refreshToken), secret: [1])] {
                let answer = try await refused(pair.accessToken, bad)
                #expect(answer.status == 401)
                #expect(answer.error?.hasPrefix("Invalid refresh token: Invalid token: ") == true)
                #expect(answer.authError == nil)
            }
            let stale = forge(claims(pair.refreshToken).replacing("exp", 1_000_000), secret: secret)
            #expect(
                try await refused(pair.accessToken, stale).error == "Invalid refresh token: Token has expired")
            // 4: two keys.
            let mixed = try await refused(pair.accessToken, other.refreshToken)
            #expect(mixed.status == 401)
            #expect(mixed.error == "Access and refresh tokens do not belong to the same key")
            #expect(mixed.authError == nil)
            // None of that spent a token.
            #expect(try await fixture.refresh(pair).status == 200)
            #expect(try await fixture.refresh(other).status == 200)
        }
    }

    @Test func aPairBoundToAnotherHostIs403AndNotSpent() async throws {
        try await withNode { fixture in
            let pair = fixture.node.mintTokens(nodeURL: "https://Node.example:2428/x")
            fixture.node.expireAccessTokens()
            let refused = try await fixture.refresh(pair)
            #expect(refused.status == 403)
            #expect(refused.authError == "invalid_node")
            #expect(refused.error != nil)
            let body: JsonTree = [
                "access_token": .string(pair.accessToken), "refresh_token": .string(pair.refreshToken),
            ]
            let answer = try await fixture.call("POST", "/auth/refresh", json: body.text, host: "NODE.example:80")
            #expect(answer.status == 200)
        }
    }

    @Test func aRevokedKeyIs500AndTheTokenIsSpent() async throws {
        try await withNode { fixture in
            let pair = fixture.node.mintTokens()
            fixture.node.expireAccessTokens()
            fixture.node.revokeFamilies()
            let answer = try await fixture.refresh(pair)
            #expect(answer.status == 500)
            #expect(answer.error == "Failed to refresh token: Token has been revoked")
            #expect(answer.authError == nil)
            #expect(try await fixture.refresh(pair).authError == "token_reuse")
        }
    }

    @Test func aMissingKeyIs500() async throws {
        try await withNode { fixture in
            let pair = fixture.node.mintTokens()
            fixture.node.expireAccessTokens()
            let secret = fixture.node.core.auth.vault.secret
            func stray(_ token: String) -> String {
                forge(claims(token).replacing("key_id", "0000"), secret: secret)
            }
            let answer = try await fixture.refresh(
                DevTokens(accessToken: stray(pair.accessToken), refreshToken: stray(pair.refreshToken)))
            #expect(answer.status == 500)
            #expect(answer.error?.hasPrefix("Failed to refresh token: ") == true)
        }
    }

    @Test func aStorageFailureIs500AndSpendsNothing() async throws {
        try await withNode { fixture in
            let pair = fixture.node.mintTokens()
            fixture.node.expireAccessTokens()
            fixture.node.setStorageAvailable(false)
            let answer = try await fixture.refresh(pair)
            #expect(answer.status == 500)
            #expect(answer.error?.hasPrefix("Failed to refresh token: ") == true)
            fixture.node.setStorageAvailable(true)
            #expect(try await fixture.refresh(pair).status == 200)
        }
    }

    @Test func theBodyIsClosed() async throws {
        try await withNode { fixture in
            let pair = fixture.node.mintTokens()
            let body: JsonTree = [
                "access_token": .string(pair.accessToken), "refresh_token": .string(pair.refreshToken), "x": 1,
            ]
            let answer = try await fixture.post("/auth/refresh", body)
            #expect(answer.status == 400)
            #expect(answer.error?.contains("unknown field `x`") == true)
            let empty = try await fixture.post("/auth/refresh", ["access_token": "a", "refresh_token": ""])
            #expect(empty.status == 422)
        }
    }

    @Test func concurrentRefreshesOfOneTokenGiveOnePair() async throws {
        try await withNode { fixture in
            let pair = fixture.node.mintTokens()
            fixture.node.expireAccessTokens()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 { group.addTask { try await fixture.refresh(pair).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1)
            #expect(statuses.filter { $0 == 401 }.count == 15)
        }
    }

    // MARK: - Logout

    @Test func logoutRetiresTheRefreshTokenOnly() async throws {
        try await withNode { fixture in
            let pair = try await fixture.login().pair
            let body: JsonTree = ["refresh_token": .string(pair.refreshToken)]
            let answer = try await fixture.post("/auth/logout", body)
            #expect(answer.status == 200)
            #expect(answer.json == ["data": ["success": true], "error": .null])
            #expect(try await fixture.call("GET", "/admin/identity", token: pair.accessToken).status == 200)
            let again = try await fixture.post("/auth/logout", body)
            #expect(again.status == 401)
            #expect(again.error?.hasPrefix("Invalid refresh token: ") == true)
            fixture.node.expireAccessTokens()
            #expect(try await fixture.refresh(pair).authError == "token_reuse")
        }
    }

    @Test func logoutRefusesWhatIsNoRefreshToken() async throws {
        try await withNode { fixture in
            let pair = fixture.node.mintTokens()
            for token in ["x", pair.accessToken] {
                let answer = try await fixture.post("/auth/logout", ["refresh_token": .string(token)])
                #expect(answer.status == 401)
                #expect(answer.error?.hasPrefix("Invalid refresh token: ") == true)
            }
            #expect(try await fixture.post("/auth/logout", ["refresh_token": ""]).status == 422)
            #expect(try await fixture.post("/auth/logout", ["refresh_token": "x", "all": true]).status == 400)
            fixture.node.setStorageAvailable(false)
            let answer = try await fixture.post("/auth/logout", ["refresh_token": .string(pair.refreshToken)])
            #expect(answer.status == 500)
            #expect(answer.error == "Failed to end the session")
        }
    }
}
