import Foundation
import Testing

@testable import MeroDevNode

@Suite struct ClientKeyTests {
    private func create(_ fixture: NodeFixture, _ body: JsonTree, token: String? = nil) async throws -> Answer {
        try await fixture.post("/admin/client-key", body, token: token ?? fixture.node.mintTokens().accessToken)
    }

    @Test func aClientKeyCarriesBindingsAndShortLifetimes() async throws {
        try await withNode { fixture in
            let root = try await fixture.login().pair.accessToken
            let answer = try await create(
                fixture,
                [
                    "context_id": "c1", "context_identity": "i1", "permissions": ["context:execute"],
                    "application_id": "a1", "ttl_secs": 3600, "target_node_url": "http://127.0.0.1:1",
                ], token: root)
            #expect(answer.status == 200)
            #expect(answer.data?.names == ["access_token", "refresh_token", "error"])
            let access = claims(answer.pair.accessToken)
            #expect(access["permissions"] == ["context[c1,i1]", "application-binding[a1]", "context:execute"])
            #expect(access["node_url"] == "http://127.0.0.1:1")
            #expect(access["sub"] == claims(root)["sub"])
            #expect(access["key_id"] != claims(root)["key_id"])
            let issued = try #require(access["iat"]?.integer(Int64.self))
            #expect(access["exp"] == JsonTree(issued + 900))
            #expect(claims(answer.pair.refreshToken)["exp"] == JsonTree(issued + 7 * 86_400))

            let list = try await fixture.call("GET", "/admin/keys/clients", token: root)
            let item = try #require(list.data?.arrayValue?.first)
            #expect(
                item.names == [
                    "client_id", "root_key_id", "name", "permissions", "created_at", "revoked_at", "is_valid",
                ])
            #expect(item["client_id"] == access["key_id"])
            #expect(item["root_key_id"] == claims(root)["key_id"])
            #expect(item["is_valid"] == true)
            #expect(item["revoked_at"] == .null)
            fixture.node.clock.advance(by: 3600)
            let fresh = fixture.node.mintTokens().accessToken
            let later = try await fixture.call("GET", "/admin/keys/clients", token: fresh)
            #expect(later.data?.arrayValue?.first?["is_valid"] == false)
        }
    }

    @Test func lifetimesAreCappedByTheNode() async throws {
        try await withNode(
            .with {
                $0.accessTokenLifetime = 300
                $0.refreshTokenLifetime = 1000
            }
        ) { fixture in
            let pair = try await create(fixture, [:]).pair
            let issued = try #require(claims(pair.accessToken)["iat"]?.integer(Int64.self))
            #expect(claims(pair.accessToken)["exp"] == JsonTree(issued + 300))
            #expect(claims(pair.refreshToken)["exp"] == JsonTree(issued + 1000))
        }
    }

    @Test func oneHalfOfABindingBindsNothing() async throws {
        try await withNode { fixture in
            for body in [
                ["context_id": "c1"], ["context_identity": "i1"], ["context_id": "!!", "context_identity": "i"],
            ]
                as [JsonTree]
            {
                let answer = try await create(fixture, body)
                #expect(answer.status == 200)
                #expect(claims(answer.pair.accessToken)["permissions"] == [])
            }
        }
    }

    @Test(arguments: ["keys", "keys:list", "keys:permissions:get", "admin:all", "nonsense", "admin["])
    func whatIsNotGrantable(permission: String) async throws {
        try await withNode { fixture in
            let answer = try await create(fixture, ["permissions": [.string(permission)]])
            #expect(answer.status == 400)
            #expect(answer.error == "Permission cannot be granted to a client key: \(permission)")
        }
    }

    @Test func adminIsGrantableOnlyUnbound() async throws {
        try await withNode { fixture in
            #expect(try await create(fixture, ["permissions": ["admin"]]).status == 200)
            for name in ["context_id", "context_identity"] {
                let answer = try await create(
                    fixture,
                    .object([JsonMember(name: name, value: "x"), JsonMember(name: "permissions", value: ["admin"])]))
                #expect(answer.error == "Permission cannot be granted to a client key: admin")
            }
        }
    }

    @Test func theCallerMustBeAnAdministratorsRootKey() async throws {
        try await withNode { fixture in
            let scoped = fixture.node.mintTokens(permissions: ["context:execute"]).accessToken
            let refused = try await create(fixture, [:], token: scoped)
            #expect(refused.status == 403)
            #expect(refused.error == "Token does not have admin permissions")
            #expect(refused.authError == nil)
            let client = try await create(fixture, ["permissions": ["admin"]]).pair.accessToken
            let nested = try await create(fixture, [:], token: client)
            #expect(nested.status == 404)
            #expect(nested.error == "Root key not found")
            #expect(try await fixture.post("/admin/client-key", [:]).status == 400)
        }
    }

    @Test func theBodyIsClosedAndTyped() async throws {
        try await withNode { fixture in
            for body in [
                ["extra": 1], ["ttl_secs": -1], ["ttl_secs": "1"], ["permissions": "admin"], ["context_id": 1],
            ]
                as [JsonTree]
            {
                #expect(try await create(fixture, body).status == 400)
            }
            #expect(try await create(fixture, ["ttl_secs": .null, "context_id": .null]).status == 200)
            let forever = try await create(fixture, ["ttl_secs": .number("18446744073709551615")])
            #expect(forever.status == 200)
            #expect(
                try await fixture.call("GET", "/admin/identity", token: forever.pair.accessToken).status == 200)
        }
    }

    // MARK: - Rotation and reuse

    @Test func aRefreshRotatesTheKeyIdAndReuseRevokesTheFamily() async throws {
        try await withNode { fixture in
            let first = try await create(fixture, ["permissions": ["context:list"]]).pair
            fixture.node.expireAccessTokens()
            let second = try await fixture.refresh(first).pair
            #expect(claims(second.accessToken)["key_id"] != claims(first.accessToken)["key_id"])
            #expect(claims(second.accessToken)["sub"] == claims(first.accessToken)["sub"])
            #expect(claims(second.accessToken)["permissions"] == ["context:list"])
            #expect(try await fixture.call("GET", "/admin/identity", token: second.accessToken).status == 200)
            let admin = fixture.node.mintTokens().accessToken
            let list = try await fixture.call("GET", "/admin/keys/clients", token: admin)
            #expect(list.data?.arrayValue?.map { $0["client_id"] } == [claims(second.accessToken)["key_id"]])

            let third: DevTokens
            do {
                fixture.node.expireAccessTokens()
                third = try await fixture.refresh(second).pair
            }
            let reuse = try await fixture.refresh(first)
            #expect(reuse.status == 401)
            #expect(reuse.authError == "token_reuse")
            let revoked = try await fixture.call("GET", "/admin/identity", token: third.accessToken)
            #expect(revoked.status == 403)
            #expect(revoked.authError == "token_revoked")
            fixture.node.expireAccessTokens()
            #expect(try await fixture.refresh(third).status == 500)
        }
    }

    @Test func anotherFamilyIsNotTouchedByReuse() async throws {
        try await withNode { fixture in
            let first = try await create(fixture, [:]).pair
            let other = try await create(fixture, [:]).pair
            fixture.node.expireAccessTokens()
            _ = try await fixture.refresh(first)
            let live = try await fixture.refresh(other).pair
            #expect(try await fixture.refresh(first).authError == "token_reuse")
            #expect(try await fixture.call("GET", "/admin/identity", token: live.accessToken).status == 200)
        }
    }

    @Test func aKeyThatExpiredIsRefusedEverywhere() async throws {
        try await withNode { fixture in
            let pair = try await create(fixture, ["ttl_secs": 10, "permissions": ["namespace:list"]]).pair
            #expect(try await fixture.call("GET", "/admin-api/identity", token: pair.accessToken).status == 200)
            fixture.node.clock.advance(by: 10)
            let guarded = try await fixture.call("GET", "/admin-api/identity", token: pair.accessToken)
            #expect(guarded.status == 401)
            #expect(guarded.authError == nil)
            let admin = try await fixture.call("GET", "/admin/identity", token: pair.accessToken)
            #expect(admin.status == 401)
            #expect(admin.authError == "invalid_token")
            fixture.node.expireAccessTokens()
            #expect(try await fixture.refresh(pair).status == 500)
        }
    }

    // MARK: - Deleting

    @Test func deletingAClientKey() async throws {
        try await withNode { fixture in
            let root = try await fixture.login().pair.accessToken
            let rootId = claims(root)["key_id"]?.stringValue ?? ""
            let pair = try await create(fixture, ["permissions": ["namespace:list"]], token: root).pair
            let id = claims(pair.accessToken)["key_id"]?.stringValue ?? ""
            let unknown = try await fixture.call("DELETE", "/admin/keys/\(rootId)/clients/nope", token: root)
            #expect(unknown.status == 404)
            #expect(unknown.error == "Client key not found")
            let foreign = try await fixture.call("DELETE", "/admin/keys/nope/clients/\(id)", token: root)
            #expect(foreign.status == 400)
            #expect(foreign.error == "Client key does not belong to specified root key")
            let done = try await fixture.call("DELETE", "/admin/keys/\(rootId)/clients/\(id)", token: root)
            #expect(done.status == 200)
            #expect(done.data?.names == ["message", "revoked_at"])
            #expect(done.data?["message"] == "Client key revoked successfully")
            let revoked = try await fixture.call("GET", "/admin-api/identity", token: pair.accessToken)
            #expect(revoked.status == 403)
            #expect(revoked.authError == "token_revoked")
            #expect(revoked.body.isEmpty)
        }
    }

    // MARK: - Bindings in front of JSON-RPC

    @Test func aBoundKeyExecutesOnlyInItsContext() async throws {
        try await withNode { fixture in
            let inside = try fixture.node.createContext(KeyValueContract())
            let outside = try fixture.node.createContext(KeyValueContract())
            let bound = try await create(
                fixture,
                [
                    "context_id": .string(inside.uppercased()), "context_identity": "i",
                    "permissions": ["context:execute"],
                ]
            ).pair.accessToken
            #expect(try await fixture.execute(inside, "len", token: bound).output == 0)
            let refused = try await fixture.execute(outside, "len", token: bound)
            #expect(refused.status == 403)
            #expect(refused.authError == "permission_denied")
            #expect(refused.body.isEmpty)
            let sync = try await fixture.post(
                "/jsonrpc",
                [
                    "jsonrpc": "2.0", "id": 1, "method": "sync_status",
                    "params": ["contextId": .string(outside)],
                ], token: bound)
            #expect(sync.status == 403)
        }
    }

    @Test(arguments: [
        ("/admin-api/contexts/C1", 200), ("/admin-api/contexts/c1/identities", 200), ("/admin-api/contexts/c2", 403),
        ("/admin-api/contexts", 200), ("/admin-api/contexts/for-application/A1", 200),
        ("/admin-api/contexts/for-application/a2", 403), ("/admin-api/applications/a2", 403),
    ])
    func aProxyAskingForABoundKeyHearsTheSame(uri: String, status: Int) async throws {
        try await withNode { fixture in
            let token = try await create(
                fixture,
                [
                    "context_id": "c1", "context_identity": "i", "application_id": "a1",
                    "permissions": ["context:list", "application:list"],
                ]
            ).pair.accessToken
            let answer = try await fixture.call(
                "GET", "/auth/validate", token: token,
                headers: [("X-Forwarded-Uri", uri), ("X-Forwarded-Method", "GET")])
            #expect(answer.status == status)
        }
    }

    @Test func anApplicationBindingHoldsToo() async throws {
        try await withNode { fixture in
            let store = try fixture.node.createContext(KeyValueContract())
            let probe = try fixture.node.createContext(ProbeContract())
            let application = ContextBox.applicationId(ofContract: "kv-store")
            let bound = try await create(
                fixture, ["application_id": .string(application), "permissions": ["context:execute"]]
            ).pair.accessToken
            #expect(try await fixture.execute(store, "len", token: bound).output == 0)
            #expect(try await fixture.execute(probe, "count", token: bound).status == 403)
            #expect(
                try await fixture.execute(String(repeating: "0", count: 64), "count", token: bound).status == 403)
        }
    }
}
