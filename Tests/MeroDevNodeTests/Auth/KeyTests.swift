import Foundation
import Testing

@testable import MeroDevNode

@Suite struct KeyTests {
    private static func newUser(_ name: String, _ password: String, method: String = "user_password") -> JsonTree {
        [
            "public_key": "label", "auth_method": .string(method),
            "provider_data": ["username": .string(name), "password": .string(password)],
        ]
    }

    @Test func rootKeysAreListedFlat() async throws {
        try await withNode { fixture in
            let token = try await fixture.login().pair.accessToken
            let answer = try await fixture.call("GET", "/admin/keys", token: token)
            #expect(answer.status == 200)
            #expect(answer.json["error"] == .null)
            let keys = try #require(answer.data?.arrayValue)
            #expect(keys.count == 1)
            #expect(
                keys[0].names == ["key_id", "public_key", "auth_method", "created_at", "revoked_at", "permissions"])
            #expect(keys[0]["key_id"] == claims(token)["key_id"])
            #expect(keys[0]["auth_method"] == "user_password")
            #expect(keys[0]["public_key"] == "dev")
            #expect(keys[0]["revoked_at"] == .null)
            #expect(keys[0]["permissions"] == ["admin"])
            #expect(answer.headers["x-auth-user"] == claims(token)["sub"]?.stringValue)
            #expect(answer.headers["x-auth-permissions"] == "admin")
        }
    }

    @Test func creatingAndUpdatingAUser() async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens().accessToken
            let created = try await fixture.post("/admin/keys", Self.newUser("eve", "password-1"), token: token)
            #expect(created.status == 200)
            #expect(created.json == ["data": ["status": true, "message": "Key was created"], "error": .null])
            let first = try await fixture.login(username: "eve", password: "password-1")
            #expect(claims(first.pair.accessToken)["permissions"] == ["admin"])
            let updated = try await fixture.post("/admin/keys", Self.newUser("eve", "password-2"), token: token)
            #expect(updated.data?["message"] == "Key was updated")
            #expect(try await fixture.login(username: "eve", password: "password-1").status == 401)
            let second = try await fixture.login(username: "eve", password: "password-2")
            #expect(claims(second.pair.accessToken)["sub"] == claims(first.pair.accessToken)["sub"])
        }
    }

    private static let unusable: [(String, JsonTree, Int, String)] = [
        ("public_key", "\u{e9}", 400, "Public key cannot be empty after sanitization"),
        ("auth_method", "!!", 400, "Authentication method must contain valid characters"),
        ("auth_method", "near_wallet", 500, "Provider not found"),
        ("auth_method", "account_proof", 500, "Provider not found"),
        (
            "provider_data", ["username": "u", "password": "short12"], 500,
            "Password must be at least 8 characters long"
        ),
        (
            "provider_data", ["username": "u", "password": .string(String(repeating: "p", count: 129))], 500,
            "Password must be at most 128 characters long"
        ),
        ("provider_data", "x", 400, "Invalid JSON: invalid type: string, expected a map"),
        (
            "other", 1, 400,
            "Invalid JSON: unknown field `other`, expected one of "
                + "`public_key`, `auth_method`, `provider_data`, `target_node_url`"
        ),
        ("public_key", "", 422, "Validation error: public_key: must not be empty"),
    ]

    @Test(arguments: unusable)
    func whatMakesNoKey(name: String, value: JsonTree, status: Int, text: String) async throws {
        try await withNode { fixture in
            let body = Self.newUser("u", "password-1").replacing(name, value)
            let answer = try await fixture.post("/admin/keys", body, token: fixture.node.mintTokens().accessToken)
            #expect(answer.status == status)
            #expect(answer.error == text)
        }
    }

    @Test func anAccountProviderMakesNoRootKeys() async throws {
        try await withNode(.with { $0.accountProof = true }) { fixture in
            let answer = try await fixture.post(
                "/admin/keys", Self.newUser("u", "password-1", method: "account_proof"),
                token: fixture.node.mintTokens().accessToken)
            #expect(answer.status == 500)
            #expect(answer.error?.hasPrefix("the account_proof provider does not mint root keys; ") == true)
        }
    }

    @Test func deletingARootKey() async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens().accessToken
            let own = try await fixture.login().pair.accessToken
            let id = claims(own)["key_id"]?.stringValue ?? ""
            let last = try await fixture.call("DELETE", "/admin/keys/\(id)", token: token)
            #expect(last.status == 200)
            #expect(
                last.json == [
                    "data": ["status": false, "message": "Cannot delete the last active root key"], "error": .null,
                ])
            #expect(try await fixture.call("GET", "/admin/identity", token: own).status == 200)

            fixture.node.addUser(username: "second", password: "second-password")
            let done = try await fixture.call("DELETE", "/admin/keys/\(id)", token: token)
            #expect(done.status == 200)
            #expect(done.data?.names == ["key_id", "revoked_at"])
            #expect(done.data?["key_id"] == .string(id))
            #expect(try await fixture.call("GET", "/admin/identity", token: own).authError == "token_revoked")
            #expect(try await fixture.login().status == 401)

            let unknown = try await fixture.call("DELETE", "/admin/keys/nope", token: token)
            #expect(unknown.status == 404)
            #expect(unknown.error == "Root key not found")
            let client = try await fixture.post("/admin/client-key", [:], token: token).pair.accessToken
            let wrong = try await fixture.call(
                "DELETE", "/admin/keys/\(claims(client)["key_id"]?.stringValue ?? "")", token: token)
            #expect(wrong.status == 400)
            #expect(wrong.error == "Not a root key")
        }
    }

    @Test func revokingAKeyById() async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens().accessToken
            let pair = fixture.node.mintTokens()
            let id = claims(pair.accessToken)["key_id"] ?? .null
            let answer = try await fixture.post("/admin/revoke", ["client_id": id], token: token)
            #expect(answer.status == 200)
            #expect(
                answer.json == [
                    "data": ["success": true, "message": "Tokens revoked successfully"], "error": .null,
                ])
            let refused = try await fixture.call("GET", "/admin/identity", token: pair.accessToken)
            #expect(refused.status == 403)
            #expect(refused.authError == "token_revoked")

            let invalid = try await fixture.post("/admin/revoke", ["client_id": "!!"], token: token)
            #expect(invalid.status == 400)
            #expect(invalid.error == "Client ID must contain valid characters")
            let unknown = try await fixture.post("/admin/revoke", ["client_id": "nope"], token: token)
            #expect(unknown.status == 500)
            #expect(unknown.error?.hasPrefix("Failed to revoke tokens: ") == true)
            #expect(try await fixture.post("/admin/revoke", ["client_id": "x", "y": 1], token: token).status == 400)
        }
    }

    // MARK: - Permissions of a key

    @Test func permissionsAreChangedByADelta() async throws {
        try await withNode { fixture in
            let admin = fixture.node.mintTokens().accessToken
            let pair = fixture.node.mintTokens(permissions: ["context:list", "blob:get"])
            let path = "/admin/keys/\(claims(pair.accessToken)["key_id"]?.stringValue ?? "")/permissions"
            let before = try await fixture.call("GET", path, token: admin)
            #expect(before.json == ["data": ["permissions": ["context:list", "blob:get"]], "error": .null])
            let change: JsonTree = ["add": ["blob:list", "context:list"], "remove": ["context:list", "absent"]]
            let after = try await fixture.call("PUT", path, token: admin, json: change.text)
            #expect(after.status == 200)
            #expect(after.data?["permissions"] == ["blob:get", "blob:list", "context:list"])
            #expect(try await fixture.call("GET", path, token: admin).data == after.data)
            #expect(try await fixture.call("PUT", path, token: admin, json: "{}").data == after.data)

            // A token never gets more than it was minted with, and loses what its key loses.
            let narrowed: JsonTree = ["add": ["admin"], "remove": ["blob:get", "blob:list", "context:list"]]
            #expect(try await fixture.call("PUT", path, token: admin, json: narrowed.text).status == 200)
            #expect(
                try await fixture.call("GET", "/auth/validate", token: pair.accessToken).headers["x-auth-permissions"]
                    == "context:list,blob:get")
            let less: JsonTree = ["add": ["blob:get"], "remove": ["admin"]]
            #expect(try await fixture.call("PUT", path, token: admin, json: less.text).status == 200)
            #expect(
                try await fixture.call("GET", "/auth/validate", token: pair.accessToken).headers["x-auth-permissions"]
                    == "blob:get")
        }
    }

    @Test func whatMayNotBeChanged() async throws {
        try await withNode { fixture in
            let admin = fixture.node.mintTokens().accessToken
            let pair = fixture.node.mintTokens(permissions: ["blob"])
            let id = claims(pair.accessToken)["key_id"]?.stringValue ?? ""
            let path = "/admin/keys/\(id)/permissions"
            func put(_ body: JsonTree, _ path: String) async throws -> Answer {
                try await fixture.call("PUT", path, token: admin, json: body.text)
            }
            let format = try await put(["add": ["blob:get", "bad scope"]], path)
            #expect(format.status == 400)
            #expect(format.error == "Invalid permission format: bad scope")
            let empty = try await put(["remove": ["blob"]], path)
            #expect(empty.status == 400)
            #expect(empty.error == "Key must have at least one permission")
            let unknown = try await put([:], "/admin/keys/nope/permissions")
            #expect(unknown.status == 404)
            #expect(unknown.error == "Key not found")
            #expect(try await put(["set": []], path).status == 400)
            #expect(
                try await fixture.call("GET", "/admin/keys/nope/permissions", token: admin).error == "Key not found")
            _ = try await fixture.post("/admin/revoke", ["client_id": .string(id)], token: admin)
            let revoked = try await put(["add": ["blob:get"]], path)
            #expect(revoked.status == 400)
            #expect(revoked.error == "Key is revoked")
            let read = try await fixture.call("GET", path, token: admin)
            #expect(read.status == 404)
            #expect(read.error == "Key is revoked")
        }
    }

    @Test func nobodyGrantsMoreThanTheyHave() async throws {
        try await withNode { fixture in
            // `admin` by its token, but its key has lost it: the guard already refuses.
            let admin = fixture.node.mintTokens().accessToken
            let pair = fixture.node.mintTokens()
            let path = "/admin/keys/\(claims(pair.accessToken)["key_id"]?.stringValue ?? "")/permissions"
            let less: JsonTree = ["add": ["blob"], "remove": ["admin"]]
            #expect(try await fixture.call("PUT", path, token: admin, json: less.text).status == 200)
            let raise: JsonTree = ["add": ["admin"]]
            let answer = try await fixture.call("PUT", path, token: pair.accessToken, json: raise.text)
            #expect(answer.status == 403)
            #expect(answer.authError == "permission_denied")
        }
    }

    // MARK: - Scopes

    @Test(arguments: [
        ("GET", "/admin/keys", "keys:list"), ("POST", "/admin/keys", "admin"),
        ("DELETE", "/admin/keys/K", "keys:delete"),
        ("POST", "/admin/revoke", "keys:delete"), ("GET", "/admin/keys/clients", "keys:clients:list"),
        ("DELETE", "/admin/keys/K/clients/C", "keys:clients:delete"),
        ("GET", "/admin/keys/K/permissions", "keys:permissions:get[K]"), ("PUT", "/admin/keys/K/permissions", "admin"),
    ])
    func everyAdminRouteNeedsItsScope(method: String, path: String, scope: String) async throws {
        try await withNode { fixture in
            let wrong = scope == "keys:list" ? "keys:delete" : "keys:list"
            for held in [wrong, "keys:permissions:get[other]"] {
                let token = fixture.node.mintTokens(permissions: [held]).accessToken
                let answer = try await fixture.call(method, path, token: token, json: method == "GET" ? nil : "{}")
                #expect(answer.status == 403)
                #expect(answer.authError == "permission_denied")
                #expect(answer.body.isEmpty)
            }
            let token = fixture.node.mintTokens(permissions: [scope]).accessToken
            let answer = try await fixture.call(method, path, token: token, json: method == "GET" ? nil : "{}")
            #expect(answer.authError == nil)
            #expect(![401, 403].contains(answer.status))
        }
    }

    @Test(arguments: ["GET /admin/identity", "GET /admin/metrics", "GET /admin/keys", "POST /admin/client-key"])
    func theMiddlewareInFrontOfAdmin(route: String) async throws {
        try await withNode { fixture in
            let parts = route.split(separator: " ").map(String.init)
            for header in [nil, "Basic eDp5", "Bearer", "Bearer  ", "x"] as [String?] {
                let headers = header.map { [("Authorization", $0)] } ?? []
                let answer = try await fixture.call(parts[0], parts[1], headers: headers)
                #expect(answer.status == 400)
                #expect(answer.authError == "invalid_request")
                #expect(answer.body.isEmpty)
            }
            let query = try await fixture.call(
                parts[0], parts[1] + "?token=" + fixture.node.mintTokens().accessToken)
            #expect(query.status == 400)
            let old = fixture.node.mintTokens().accessToken
            fixture.node.expireAccessTokens()
            let expired = try await fixture.call(parts[0], parts[1], token: old)
            #expect(expired.status == 401)
            #expect(expired.authError == "token_expired")
            #expect(expired.body.isEmpty)
            fixture.node.setStorageAvailable(false)
            #expect(try await fixture.call(parts[0], parts[1], token: old).status == 500)
        }
    }
}
