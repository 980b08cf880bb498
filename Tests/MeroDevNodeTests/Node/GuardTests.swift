import Foundation
import Testing

@testable import MeroDevNode

@Suite struct GuardTests {
    private static let routes = ["GET /admin-api/identity", "POST /jsonrpc"]

    private func call(
        _ fixture: NodeFixture, _ route: String, token: String? = nil, headers: [(String, String)] = [],
        query: String = ""
    ) async throws -> Answer {
        let parts = route.split(separator: " ").map(String.init)
        return try await fixture.call(
            parts[0], parts[1] + query, token: token, json: parts[0] == "POST" ? "{}" : nil, headers: headers)
    }

    private func expectRefused(
        _ answer: Answer, _ status: Int, _ authError: String?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(answer.status == status, sourceLocation: sourceLocation)
        #expect(answer.authError == authError, sourceLocation: sourceLocation)
        #expect(answer.body.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: routes)
    func everyVerdict(route: String) async throws {
        try await withNode { fixture in
            let node = fixture.node
            expectRefused(try await call(fixture, route), 401, nil)
            for header in ["Basic eDp5", "Bearer", "Bearer ", "x"] {
                expectRefused(try await call(fixture, route, headers: [("Authorization", header)]), 401, nil)
            }
            expectRefused(try await call(fixture, route, token: "nonsense"), 401, nil)
            expectRefused(try await call(fixture, route, token: node.mintTokens().refreshToken), 401, nil)
            let elsewhere = node.mintTokens(nodeURL: "https://node.example").accessToken
            expectRefused(try await call(fixture, route, token: elsewhere), 401, nil)
            let weak = node.mintTokens(permissions: ["blob", "context", "context:list"]).accessToken
            expectRefused(try await call(fixture, route, token: weak), 403, "permission_denied")
            let old = node.mintTokens().accessToken
            node.expireAccessTokens()
            expectRefused(try await call(fixture, route, token: old), 401, "token_expired")
            let revoked = node.mintTokens().accessToken
            node.revokeFamilies()
            expectRefused(try await call(fixture, route, token: revoked), 403, "token_revoked")
            let good = node.mintTokens().accessToken
            #expect(![401, 403].contains(try await call(fixture, route, token: good).status))
            #expect(
                ![401, 403].contains(
                    try await call(fixture, route, headers: [("authorization", "bearer \(good)")]).status))
            node.setStorageAvailable(false)
            expectRefused(try await call(fixture, route, token: good), 500, nil)
        }
    }

    @Test(arguments: routes)
    func theQueryCountsOnlyWithoutAHeader(route: String) async throws {
        try await withNode { fixture in
            let good = fixture.node.mintTokens().accessToken
            #expect(![401, 403].contains(try await call(fixture, route, query: "?token=\(good)").status))
            expectRefused(try await call(fixture, route, token: "nonsense", query: "?token=\(good)"), 401, nil)
            expectRefused(
                try await call(fixture, route, headers: [("Authorization", "x")], query: "?token=\(good)"), 401, nil)
            expectRefused(try await call(fixture, route, query: "?token="), 401, nil)
        }
    }

    @Test func aRefusedRequestNeverReachesItsHandler() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(ProbeContract())
            _ = try await fixture.execute(context, "increment", token: "nonsense")
            #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 0)
            #expect(fixture.node.requestCount("POST", "/jsonrpc") == 1)
            _ = try await fixture.execute(context, "increment", token: fixture.node.mintTokens().accessToken)
            #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 1)
            #expect(fixture.node.contextState(context) == ["count": 1])
        }
    }

    @Test func aBodyOverTheLimitIs413BehindTheGuard() async throws {
        try await withNode(.with { $0.bodyLimit = 1000 }) { fixture in
            let body = String(repeating: " ", count: 1001)
            expectRefused(try await fixture.call("POST", "/jsonrpc", json: body), 401, nil)
            let token = fixture.node.mintTokens().accessToken
            let answer = try await fixture.call("POST", "/jsonrpc", token: token, json: body)
            #expect(answer.status == 413)
            #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
            #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 0)
        }
    }

    // MARK: - Faults that only the guard can act out

    @Test func theExpiryFaultStrikesWhateverTheToken() async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens().accessToken
            fixture.node.inject(.tokenExpired, on: "/admin-api/*")
            expectRefused(
                try await call(fixture, "GET /admin-api/identity", token: token), 401, "token_expired")
            #expect(try await call(fixture, "GET /admin-api/identity", token: token).status == 200)
            fixture.node.inject(.tokenExpired, on: "GET /admin/keys")
            expectRefused(try await fixture.call("GET", "/admin/keys", token: token), 401, "token_expired")
            fixture.node.inject(.tokenExpired, on: "/auth/validate")
            #expect(try await fixture.call("GET", "/auth/validate", token: token).authError == "token_expired")
        }
    }

    @Test func theRevocationFaultEndsTheCallersSession() async throws {
        try await withNode { fixture in
            let pair = try await fixture.login().pair
            let other = fixture.node.mintTokens().accessToken
            fixture.node.inject(.revokeFamily, on: "POST /jsonrpc")
            expectRefused(try await call(fixture, "POST /jsonrpc", token: pair.accessToken), 403, "token_revoked")
            expectRefused(
                try await call(fixture, "GET /admin-api/identity", token: pair.accessToken), 403, "token_revoked")
            #expect(try await call(fixture, "GET /admin-api/identity", token: other).status == 200)
            #expect(try await fixture.login().status == 200)

            let next = try await fixture.login().pair
            fixture.node.expireAccessTokens()
            fixture.node.inject(.revokeFamily, on: "/auth/refresh")
            #expect(try await fixture.refresh(next).status == 500)
        }
    }
}
