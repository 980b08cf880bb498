import Foundation
import Testing

@testable import MeroDevNode

@Suite struct RouterTests {
    @Test func theTableNamesEveryRoute() async throws {
        try await withNode { fixture async throws in
            let routes = fixture.node.core.router.routes
            let names = routes.map { "\($0.method) \($0.template.text)" }
            #expect(Set(names).count == names.count)
            #expect(
                Set(names).isSuperset(of: [
                    "GET /admin-api/health", "GET /admin-api/ready", "GET /admin-api/is-authed",
                    "GET /admin-api/identity", "POST /jsonrpc", "GET /auth/health", "GET /auth/providers",
                    "GET /auth/challenge", "POST /auth/token", "POST /auth/refresh", "POST /auth/logout",
                    "POST /auth/mock-token", "GET /auth/validate", "POST /auth/validate", "GET /admin/identity",
                    "GET /admin/metrics", "GET /admin/keys", "POST /admin/keys", "DELETE /admin/keys/{id}",
                    "POST /admin/revoke", "POST /admin/client-key", "GET /admin/keys/clients",
                    "DELETE /admin/keys/{id}/clients/{client}", "GET /admin/keys/{id}/permissions",
                    "PUT /admin/keys/{id}/permissions",
                ]))
            for route in routes where route.template.text.hasPrefix("/admin/") {
                guard case .authAdmin = route.access else {
                    Issue.record("\(route.template.text) is not behind the auth service's middleware")
                    continue
                }
            }
        }
    }

    @Test func unknownPathsAre404AndEmpty() async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens().accessToken
            for path in [
                "/", "/nope", "/admin-api", "/admin-api/", "/admin-api/health/", "/admin-api//health", "/jsonrpc/",
                "/auth/token/", "/auth/nope", "/admin/keys/", "/admin/keys//permissions", "/admin/nope",
                "/admin-api/made-up", "/ADMIN-API/health", "/admin-api/health%2F",
            ] {
                for token in [token, nil] {
                    let answer = try await fixture.call("GET", path, token: token)
                    #expect(answer.status == 404, "\(path)")
                    #expect(answer.body.isEmpty, "\(path)")
                    #expect(answer.authError == nil, "\(path)")
                }
            }
        }
    }

    @Test(arguments: [
        ("POST", "/admin-api/health", "GET, HEAD"), ("GET", "/jsonrpc", "POST"), ("HEAD", "/jsonrpc", "POST"),
        ("PUT", "/auth/token", "POST"), ("DELETE", "/auth/validate", "GET, POST, HEAD"),
        ("DELETE", "/admin/keys/clients", "GET, HEAD"), ("POST", "/admin/keys/x/permissions", "GET, PUT, HEAD"),
    ])
    func aWrongVerbIs405(method: String, path: String, allowed: String) async throws {
        try await withNode { fixture async throws in
            let answer = try await fixture.call(method, path)
            #expect(answer.status == 405)
            #expect(answer.body.isEmpty)
            #expect(answer.headers["allow"] == allowed)
        }
    }

    @Test func headIsGetWithoutABody() async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens(permissions: ["namespace:list"]).accessToken
            let get = try await fixture.call("GET", "/admin-api/identity", token: token)
            let head = try await fixture.call("HEAD", "/admin-api/identity", token: token)
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
            #expect(head.headers["content-length"] == "\(get.body.count)")
            #expect(head.headers["content-type"] == get.headers["content-type"])
            let weak = fixture.node.mintTokens(permissions: ["blob"]).accessToken
            #expect(try await fixture.call("HEAD", "/admin-api/identity", token: weak).authError == "permission_denied")
        }
    }

    @Test func aPathParameterIsDecoded() async throws {
        let router = NodeRouter([
            NodeRoute("GET", "/a/{x}/c/{y}", .open) { _ in .refused(200) },
            NodeRoute("GET", "/a/b/c/{y}", .open) { _ in .refused(201) },
        ])
        guard case .route(_, let parameters) = router.match(method: "GET", path: "/a/x%2Fy%20z/c/%C3%A9") else {
            Issue.record("no match")
            return
        }
        #expect(parameters == ["x": "x/y z", "y": "é"])
        guard case .route(let route, _) = router.match(method: "GET", path: "/a/b/c/1") else {
            Issue.record("no match")
            return
        }
        #expect(route.template.text == "/a/b/c/{y}")
        for path in ["/a//c/1", "/a/1/c", "/a/1/c/1/", "/a/%C3/c/1"] {
            guard case .none = router.match(method: "GET", path: path) else {
                Issue.record("\(path) matched")
                continue
            }
        }
    }

    @Test(arguments: ["/node1", "node1/", "/deep/er"])
    func aPrefixMovesTheNodesRoutes(prefix: String) async throws {
        try await withNode(.with { $0.pathPrefix = prefix }) { fixture async throws in
            let clean = "/" + prefix.split(separator: "/").joined(separator: "/")
            let token = fixture.node.mintTokens().accessToken
            for path in ["/admin-api/health", "/auth/health", "/admin/identity"] {
                #expect(try await fixture.call("GET", clean + path, token: token).status == 200)
            }
            #expect(try await fixture.call("GET", "/auth/health").status == 200)
            #expect(try await fixture.call("GET", "/admin-api/health").status == 404)
            #expect(try await fixture.call("POST", "/jsonrpc", token: token, json: "{}").status == 404)
            #expect(try await fixture.call("POST", clean + "/jsonrpc", token: token, json: "{}").status == 422)
            #expect(try await fixture.call("GET", clean + "x/admin-api/health").status == 404)
        }
    }
}
