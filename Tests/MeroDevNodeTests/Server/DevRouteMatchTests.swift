import Testing

@testable import MeroDevNode

@Suite("Routes of faults and counts")
struct DevRouteMatchTests {
    @Test(
        "a star stands for a segment, at the end for all that follows",
        arguments: [
            ("POST /jsonrpc", "POST", "/jsonrpc", true), ("POST /jsonrpc", "GET", "/jsonrpc", false),
            ("/auth/*", "GET", "/auth/token", true), ("/auth/*", "GET", "/auth/a/b", true),
            ("/auth/*", "GET", "/auth", false), ("*", "GET", "/anything/at/all", true),
            ("/auth/to*", "GET", "/auth/token", true), ("/auth/to*", "GET", "/auth/x", false),
            ("POST /admin-api/contexts/*/intents", "POST", "/admin-api/contexts/ab/intents", true),
            ("POST /admin-api/contexts/*/intents", "GET", "/admin-api/contexts/ab/intents", false),
            ("/admin-api/contexts/*/intents", "POST", "/admin-api/contexts/ab/cd/intents", false),
            ("/admin-api/contexts/*/intents", "POST", "/admin-api/contexts//intents", false),
            ("/admin-api/contexts/*/intents", "POST", "/admin-api/contexts/ab/intents/x", false),
            ("/admin-api/contexts/*/intents", "POST", "/admin-api/contexts/ab/query", false),
            ("/a/*/b/*/c", "GET", "/a/1/b/2/c", true), ("/a/*/b/*/c", "GET", "/a/1/x/2/c", false),
            ("/a/*/b/*", "GET", "/a/1/b/2/3", true), ("/a/*/b/*", "GET", "/a/1/b/", true),
            ("/a/*/b/*", "GET", "/a/1/b", false), ("/a/*/b/q*", "GET", "/a/1/b/query/x", true),
            ("/a/*/b/q*", "GET", "/a/1/b/x", false),
        ])
    func matches(route: String, method: String, path: String, expected: Bool) {
        #expect(DevRouteMatch(stringLiteral: route).matches(method: method, path: path) == expected)
    }

    @Test("such a route takes a fault and is counted")
    func faultAndCount() async throws {
        try await withServer { server in
            let route: DevRouteMatch = "GET /a/*/intents"
            let fault = server.inject(.status(503), on: route)
            var statuses: [Int] = []
            for path in ["/a/1/query", "/a/1/intents", "/a/2/intents"] {
                statuses.append(try await get(server, path).status)
            }
            #expect(statuses == [200, 503, 200])
            #expect(fault.hits == 1)
            #expect(server.requestCount(route) == 2 && server.handlerRuns(route) == 1)
        }
    }
}
