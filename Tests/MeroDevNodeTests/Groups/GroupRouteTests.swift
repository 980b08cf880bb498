import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Who may call what, and what a caller may not even learn.
@Suite struct GroupRouteTests {
    private static let id = Owner.unknown
    private static let other = String(repeating: "6", count: 64)

    private struct Route {
        var method: String
        var path: String
        /// `[id]` is the id in the path.
        var permission: String
    }

    private static let routes: [Route] = {
        var routes: [Route] = []
        func add(_ method: String, _ permission: String, _ paths: [String]) {
            for path in paths { routes.append(Route(method: method, path: path, permission: permission)) }
        }
        let (group, namespace) = ("/groups/\(id)", "/namespaces/\(id)")
        add("GET", "namespace:list", ["/identity", "/namespaces"])
        add("GET", "namespace:list[\(id)]", ["/namespaces/for-application/\(id)", namespace, namespace + "/groups"])
        add("POST", "namespace:create", ["/namespaces"])
        add("DELETE", "namespace:manage[\(id)]", [namespace])
        add("POST", "namespace:manage[\(id)]", ["/invite", "/join", "/leave"].map { namespace + $0 })
        add("POST", "group:create", [namespace + "/groups", "/groups"])
        add("POST", "group:manage", ["/groups/join"])
        add("DELETE", "group:manage[\(id)]", [group, group + "/settings/tee-authoring-policy"])
        let reads: [String] = [
            "", "/members", "/member-devices", "/contexts", "/subgroups", "/metadata", "/members/\(id)/metadata",
            "/members/\(id)/capabilities", "/contexts/\(id)/metadata", "/upgrade/status", "/cascade-status",
            "/migration-status", "/settings/tee-admission-policy",
        ]
        add("GET", "group:list[\(id)]", reads.map { group + $0 })
        let posts: [String] = [
            "invite", "leave", "members", "members/remove", "reparent", "join-via-inheritance", "sync", "upgrade",
            "upgrade/retry", "migration/abort", "transfer-ownership", "owner-delete", "issue-ownership-proof",
            "issue-namespace-ownership-proof", "contexts/\(id)/remove", "accounts/\(id)/seal",
        ]
        add("POST", "group:manage[\(id)]", posts.map { group + "/" + $0 })
        let puts: [String] = [
            "metadata", "members/\(id)/role", "members/\(id)/capabilities", "members/\(id)/auto-follow",
            "members/\(id)/metadata", "contexts/\(id)/metadata", "settings/default-capabilities",
            "settings/subgroup-visibility", "settings/tee-admission-policy", "settings/tee-authoring-policy",
        ]
        add("PUT", "group:manage[\(id)]", puts.map { group + "/" + $0 })
        add("GET", "admin", ["/account/devices", "/account/applications"])
        let owned: [String] = [
            "/account/pair-init", "/account/pair-complete", "/account/devices/\(id)/relink", "/account/sign-with-root",
        ]
        add("POST", "admin", owned)
        add("POST", "admin", ["account/revoke", "account/link-device", "admit", "admin"].map { namespace + "/" + $0 })
        add("PUT", "admin", ["/account/devices/\(id)/scope", "/account/devices/\(id)/label"])
        return routes
    }()

    @Test func everyRouteTakesItsPermissionAndNoOther() async throws {
        try await withNode { fixture async throws in
            var tokens: [String: String] = [:]
            func token(_ permission: String) -> String {
                if let known = tokens[permission] { return known }
                let minted = fixture.node.mintTokens(permissions: [permission]).accessToken
                tokens[permission] = minted
                return minted
            }
            let wrong = token("blob")
            for route in Self.routes {
                let (method, path, permission) = (route.method, route.path, route.permission)
                let target = "/admin-api\(path)"
                let json = method == "GET" ? nil : "{}"
                let without = try await fixture.call(method, target, json: json)
                #expect(without.status == 401, "\(method) \(path)")
                let refused = try await fixture.call(method, target, token: wrong, json: json)
                #expect(refused.status == 403, "\(method) \(path)")
                #expect(refused.authError == "permission_denied", "\(method) \(path)")
                let allowed = try await fixture.call(method, target, token: token(permission), json: json)
                #expect(allowed.authError == nil, "\(method) \(path) with \(permission)")
                #expect(allowed.status != 401 && allowed.status != 405, "\(method) \(path) with \(permission)")
                if permission.hasSuffix("]") {
                    let elsewhere = permission.replacingOccurrences(of: Self.id, with: Self.other)
                    let missed = try await fixture.call(method, target, token: token(elsewhere), json: json)
                    #expect(missed.authError == "permission_denied", "\(method) \(path) with \(elsewhere)")
                }
            }
        }
    }

    @Test func unknownGroupsAre404OnEveryRoute() async throws {
        try await withOwner { owner async throws in
            for route in Self.routes where route.path.hasPrefix("/groups/\(Self.id)") && route.method == "GET" {
                let answer = try await owner.get(route.path)
                #expect(answer.status == 404, "\(route.path)")
                #expect(answer.error == "this node knows no such group", "\(route.path)")
            }
            for suffix in ["leave", "sync", "join-via-inheritance", "owner-delete", "upgrade/retry", "migration/abort"]
            {
                #expect(try await owner.post("/groups/\(Self.id)/\(suffix)").status == 404, "\(suffix)")
            }
        }
    }

    @Test func anAccountsSessionReadsItsOwnAndChangesNothing() async throws {
        try await withNode(.with { $0.delegatedAccess = true }) { fixture in
            let owner = Owner(fixture.node)
            let ada = try DevAccount()
            let id = try await owner.namespace()
            let closed = try await owner.subgroup(of: id)
            #expect(try await owner.add(ada.accountId, to: id).status == 200)
            func call(_ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
                let now = UInt64(Date().timeIntervalSince1970)
                let target = "/admin-api\(path)"
                let proof = try RequestSigner.header(ada, method, target, body ?? "", now)
                return try await fixture.call(method, target, json: body, headers: [("X-Calimero-Proof", proof)])
            }
            #expect(try await call("GET", "/groups/\(id)").status == 200)
            #expect(try await call("GET", "/groups/\(closed)").status == 403)
            #expect(try await call("GET", "/groups/\(id)/upgrade/status").json == ["data": .null])
            #expect(try await call("GET", "/groups/\(id)/cascade-status").json == ["data": []])
            #expect(try await call("GET", "/groups/\(id)/migration-status").status == 403, "not an admin there")
            #expect(try await owner.put("/groups/\(id)/members/\(ada.accountId)/role", ["role": "Admin"]).status == 200)
            #expect(try await call("GET", "/groups/\(id)/migration-status").status == 200)
            let cases: [(String, String)] = [
                ("GET", "/namespaces/for-application/\(Owner.application)"), ("POST", "/namespaces"),
                ("POST", "/namespaces/\(id)/invite"), ("POST", "/groups/\(id)/leave"),
                ("DELETE", "/groups/\(closed)"), ("POST", "/groups/\(id)/upgrade"), ("GET", "/account/devices"),
                ("GET", "/groups/\(id)/settings/tee-admission-policy"),
            ]
            for (method, path) in cases {
                let answer = try await call(method, path, method == "GET" ? nil : "{}")
                #expect(answer.status == 403, "\(method) \(path)")
            }
        }
    }

    @Test func aKeyBoundToAContextActsOnItsGroupAlone() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let other = try await owner.namespace()
            let context = try owner.node.createContext(KeyValueContract(), inGroup: id)
            let bound = Owner(
                owner.node, permissions: ["context[\(context)]", "group:list", "group:manage", "context:list"])
            #expect(try await bound.get("/groups/\(id)").status == 200)
            for (method, path, what) in [
                ("GET", "/groups/\(other)", "group"), ("POST", "/groups/\(other)/sync", "group"),
                ("GET", "/contexts/\(Self.id)", "context"),
                ("GET", "/groups/\(id)/contexts/\(Self.id)/metadata", "context"),
            ] {
                let answer = try await bound.send(method, path, method == "GET" ? nil : [:])
                #expect(answer.status == 403, "\(path)")
                #expect(
                    answer.json == ["error": .string("This key is not permitted to act on this \(what)")], "\(path)")
            }
        }
    }

    @Test func routesThatAreGone() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let cases: [(String, String, Int)] = [
                ("GET", "/groups", 405), ("PATCH", "/groups/\(id)", 405), ("PUT", "/groups/\(id)/alias", 404),
                ("POST", "/groups/\(id)/nest", 404), ("POST", "/groups/\(id)/signing-key", 404),
                ("GET", "/groups/\(id)/devices", 404), ("GET", "/namespaces/\(id)/identity", 404),
                ("POST", "/namespaces/\(id)/account/pair-init", 404),
                ("GET", "/groups/\(id)/settings/tee-authoring-policy", 405),
            ]
            for (method, path, status) in cases {
                #expect(try await owner.send(method, path, nil).status == status, "\(method) \(path)")
            }
        }
    }
}

/// Signs single requests as an account.
enum RequestSigner {
    static func header(_ account: DevAccount, _ method: String, _ path: String, _ body: String, _ now: UInt64) throws
        -> String
    {
        let hash = domainHash("calimero.auth.request.body.v1", [Data(body.utf8)])
        let preimage = domainHash(
            "calimero.auth.request.v1",
            [
                Data(method.utf8), Data(path.utf8), hash, LittleEndian.u64(now), LittleEndian.u64(now + 60),
            ])
        var writer = BorshWriter()
        writer.raw(Data(Hex.decode(account.credential) ?? []))
        writer.u8(0)
        writer.string(method)
        writer.string(path)
        writer.raw(hash)
        writer.u64(now)
        writer.u64(now + 60)
        writer.raw(try account.keys.sign(preimage))
        return Hex.encode(writer.data)
    }
}
