import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Who may call what.
@Suite struct AdminPermissionTests {
    struct Row: Sendable, CustomStringConvertible {
        let method: String
        let path: String
        let scope: String
        /// A scope of the same family that is not enough.
        let tooLittle: String

        init(_ method: String, _ path: String, _ scope: String, not tooLittle: String = "namespace:list") {
            self.method = method
            self.path = path
            self.scope = scope
            self.tooLittle = tooLittle
        }

        var description: String { "\(method) \(path)" }
    }

    private static let id = SomeId.first

    static let rows: [Row] = [
        Row("GET", "/applications", "application:list", not: "application:install"),
        Row("GET", "/applications/\(id)", "application:list[\(id)]", not: "application:list[\(SomeId.second)]"),
        Row("GET", "/applications/\(id)/versions", "application:list", not: "package"),
        Row("GET", "/applications/\(id)/abi", "admin", not: "application"),
        Row("DELETE", "/applications/\(id)", "admin", not: "application"),
        Row("POST", "/install-application", "application:install", not: "application:list"),
        Row("POST", "/install-dev-application", "admin", not: "application"),
        Row("GET", "/packages", "package:list-packages", not: "package:list-versions"),
        Row("GET", "/packages/p/versions", "package:list-versions", not: "package:list-packages"),
        Row("GET", "/packages/p/latest", "package:get-latest-version", not: "package:list-packages"),
        Row("GET", "/contexts", "context:list", not: "context:list[\(id)]"),
        Row("POST", "/contexts", "context:create", not: "context:list"),
        Row("GET", "/contexts/\(id)", "context:list[\(id)]", not: "context:list[\(SomeId.second)]"),
        Row("DELETE", "/contexts/\(id)", "context:delete", not: "context:list"),
        Row("GET", "/contexts/\(id)/identities", "context:list", not: "context:create"),
        Row("GET", "/contexts/\(id)/identities-owned", "context:list", not: "context:create"),
        Row("GET", "/contexts/\(id)/storage", "context:list", not: "context:create"),
        Row("GET", "/contexts/\(id)/group", "context:list", not: "context:create"),
        Row("GET", "/contexts/for-application/\(id)", "context:list", not: "context:list[\(id)]"),
        Row("GET", "/contexts/with-executors/for-application/\(id)", "context:list", not: "context:create"),
        Row("POST", "/contexts/\(id)/application", "context:application:update", not: "context:execute"),
        Row("POST", "/contexts/\(id)/join", "context:execute[\(id)]", not: "context:execute[\(SomeId.second)]"),
        Row("POST", "/contexts/\(id)/leave", "context:execute", not: "context:list"),
        Row("POST", "/contexts/\(id)/resync", "context:execute", not: "context:list"),
        Row("POST", "/contexts/sync", "context:execute", not: "context:execute[\(id)]"),
        Row("POST", "/contexts/sync/\(id)", "context:execute[\(id)]", not: "context:list"),
        Row("POST", "/identity/context", "context:execute", not: "namespace:list"),
        Row("GET", "/identity", "namespace:list", not: "context:list"),
        Row("GET", "/peers", "admin"), Row("GET", "/network/status", "admin"), Row("GET", "/usage", "admin"),
        Row("PUT", "/blobs", "blob:add:stream", not: "blob:list"),
        Row("GET", "/blobs", "blob:list", not: "blob:get"),
        Row("GET", "/blobs/\(id)", "blob:get[\(id)]", not: "blob:list"),
        Row("HEAD", "/blobs/\(id)", "blob:get", not: "blob:list"),
        Row("DELETE", "/blobs/\(id)", "blob:remove", not: "blob:get"),
        Row("POST", "/tee/fleet-join", "admin"), Row("POST", "/tee/registration-attest", "admin"),
        Row("GET", "/contexts/\(id)/intents", "context:intent[\(id)]", not: "context:query"),
        Row("POST", "/contexts/\(id)/intents", "context:intent", not: "context:execute"),
        Row("POST", "/contexts/\(id)/presence-intents", "context:intent", not: "context:subscribe"),
        Row("GET", "/groups/\(id)/context-intents", "group:list[\(id)]", not: "group:manage"),
        Row("POST", "/groups/\(id)/context-intents", "group:manage", not: "context:create"),
        Row("GET", "/groups/\(id)/governance-intents", "group:list", not: "group:list[\(SomeId.second)]"),
        Row("POST", "/groups/\(id)/governance-intents", "group:manage[\(id)]", not: "group:list"),
        Row("POST", "/namespaces/\(id)/admit", "admin", not: "namespace"),
    ]

    @Test(arguments: rows)
    func everyRouteAsksForItsScope(row: Row) async throws {
        try await withNode { fixture async throws in
            func answer(_ token: String?) async throws -> Answer {
                try await fixture.call(
                    row.method, "/admin-api" + row.path, token: token, json: row.method == "POST" ? "{}" : nil)
            }
            let stranger = try await answer(nil)
            #expect(stranger.status == 401)
            #expect(stranger.body.isEmpty)
            let weak = try await answer(fixture.token(row.tooLittle, "context:list-own"))
            #expect(weak.status == 403)
            #expect(weak.authError == "permission_denied")
            #expect(weak.body.isEmpty)
            let allowed = try await answer(fixture.token(row.scope))
            #expect(![401, 403, 405].contains(allowed.status), "\(allowed.text)")
            #expect(![401, 403, 405].contains(try await answer(fixture.token("admin")).status))
        }
    }

    @Test(arguments: ["context", "application", "device"], ["create", "lookup", "delete", "list"])
    func everyAliasRouteHasAScopeOfItsOwn(kind: String, action: String) async throws {
        try await withNode { fixture async throws in
            let name = ["lookup", "delete"].contains(action) ? "/main" : ""
            func answer(_ scope: String) async throws -> Answer {
                try await fixture.call(
                    action == "list" ? "GET" : "POST", "/admin-api/alias/\(action)/\(kind)\(name)",
                    token: fixture.token(scope), json: action == "list" ? nil : "{}")
            }
            #expect(![401, 403, 404].contains(try await answer("context:alias:\(action):\(kind)").status))
            #expect(![401, 403, 404].contains(try await answer("context:alias").status))
            let other = kind == "device" ? "context" : "device"
            #expect(try await answer("context:alias:\(action):\(other)").status == 403)
        }
    }

    @Test func whatIsPublicNeedsNoToken() async throws {
        try await withNode { fixture async throws in
            for path in ["/health", "/ready", "/is-authed", "/tee/info", "/tee/release"] {
                let answer = try await fixture.call("GET", "/admin-api" + path)
                #expect(![401, 403].contains(answer.status), "\(path)")
            }
            #expect(try await fixture.call("POST", "/admin-api/tee/attest", json: "{}").status == 400)
        }
    }

    /// Where the warrant is the credential a token is not asked for, and its absence is no refusal; a query is somebody's
    /// all the same, and only an account's.
    @Test func aRelaysDelegatedRoutesAreOpen() async throws {
        try await withNode(.with { $0.delegatedAccess = true }) { fixture async throws in
            let delegated = Self.rows.filter { $0.path.hasSuffix("intents") || $0.path.hasSuffix("/admit") }
            #expect(delegated.count == 8)
            for row in delegated {
                let json = row.method == "POST" ? "{}" : nil
                let answer = try await fixture.call(row.method, "/admin-api" + row.path, json: json)
                #expect(![401, 403, 405].contains(answer.status), "\(row): \(answer.status)")
            }
            let query = "/admin-api/contexts/\(Self.id)/query"
            #expect(try await fixture.call("POST", query, json: "{}").status == 401)
            let weak = fixture.token("context:list")
            #expect(try await fixture.call("POST", query, token: weak, json: "{}").status == 403)
            let owner = try await fixture.call(
                "POST", query, token: fixture.token("admin"), json: #"{"method":"get","argsJson":{}}"#)
            #expect(owner.status == 401 && owner.error == "this endpoint requires an account-authenticated session")
        }
    }

    /// An account's session writes by warrant, and lets nobody in.
    @Test func anAccountsSessionDoesNotAdmit() {
        let access = RoutePermissions.standard.access(method: "POST", template: "/admin-api/namespaces/{group}/admit")
        #expect(access == .node(.scope(.admin)))
    }

    @Test(arguments: [
        "GET /certificate", "POST /tee/verify-quote", "GET /contexts/\(id)/client-keys",
        "GET /contexts/\(id)/permissions", "GET /contexts/\(id)/proposals",
        "POST /alias/create/identity", "GET /alias/list/identity", "POST /uninstall-application",
        "GET /namespaces/\(id)/identity", "GET /contexts/\(id)/warrant-nonce/\(id)", "GET /contexts/sync/",
        "POST /contexts/sync/",
    ])
    func whatIsNoRouteIs404(route: String) async throws {
        try await withNode { fixture async throws in
            let parts = route.split(separator: " ").map(String.init)
            let answer = try await fixture.admin(parts[0], parts[1], parts[0] == "POST" ? "{}" : nil)
            #expect(answer.status == 404)
            #expect(answer.body.isEmpty)
        }
    }

    @Test(arguments: [("PATCH", "/blobs"), ("POST", "/applications"), ("PUT", "/contexts"), ("GET", "/contexts/sync")])
    func aWrongVerbIs405(method: String, path: String) async throws {
        try await withNode { fixture async throws in
            let answer = try await fixture.admin(method, path)
            #expect(answer.status == 405)
            #expect(answer.body.isEmpty)
        }
    }

    /// Faults strike on these routes as on any.
    @Test(arguments: ["GET /applications", "GET /blobs", "GET /contexts", "GET /alias/list/context", "GET /usage"])
    func faultsStrikeEverywhere(route: String) async throws {
        try await withNode { fixture async throws in
            let path = String(route.dropFirst(4))
            let match = DevRouteMatch("GET", "/admin-api" + path)
            fixture.node.inject(.status(503, retryAfter: "1"), on: match)
            fixture.node.inject(.tokenExpired, on: match)
            let failed = try await fixture.admin("GET", path)
            #expect(failed.status == 503)
            #expect(failed.headers["retry-after"] == "1")
            #expect(try await fixture.admin("GET", path).authError == "token_expired")
            #expect(fixture.node.handlerRuns("GET", "/admin-api" + path) == 0)
            #expect(try await fixture.admin("GET", path).status == 200)
            #expect(fixture.node.handlerRuns("GET", "/admin-api" + path) == 1)
        }
    }
}
