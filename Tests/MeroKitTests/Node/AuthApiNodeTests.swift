import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Every method of `AuthApi` and of the first part of `AdminApi`, against the dev node.
@Suite struct AuthApiNodeTests {
    @Test(arguments: EngineUnderTest.allCases)
    func theAuthServiceTellsAboutItself(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let auth = await fixture.mero.auth
        let health = try await auth.getHealth()
        #expect(health.status == "alive" && health.storage && health.uptimeSeconds >= 0)
        let identity = try await auth.getIdentity()
        #expect(identity.service == "calimero-auth" && identity.providers == ["user_password"])
        let providers = try await auth.getProviders()
        #expect(providers.count == 1 && providers.providers[0].name == "user_password")
        #expect(providers.providers[0].configured && providers.providers[0].config["enabled"] == true)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func validatesTokens(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let auth = await fixture.mero.auth
        let token = try #require(fixture.store.getTokens()).accessToken
        let good = await auth.validateToken(token)
        #expect(good.valid && good.status == 200 && good.headers["x-auth-permissions"] == "admin")
        for bad in ["", "nonsense", token + "x", String(token.dropLast())] {
            let answer = await auth.validateToken(bad)
            #expect(!answer.valid && answer.status == 401 && answer.headers.isEmpty)
        }
        let foreign = fixture.node.mintTokens()
        fixture.node.expireAccessTokens()
        #expect(await !auth.validateToken(foreign.accessToken).valid)
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 0)
        #expect(await fixture.mero.isAuthenticated)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func managesKeys(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine, signedIn: false)
        try await fixture.mero.authenticate()
        let auth = await fixture.mero.auth
        let created = try await auth.createRootKey(
            CreateKeyRequest(
                publicKey: "second", authMethod: "user_password",
                providerData: ["username": "second", "password": "long-enough"]))
        #expect(created.status && created.message == "Key was created")
        let roots = try await auth.listRootKeys()
        #expect(roots.count == 2 && roots.allSatisfy { $0.permissions == ["admin"] && $0.revokedAt == nil })
        let second = try #require(roots.first { $0.publicKey == "second" })
        #expect(try await auth.getKeyPermissions(second.keyId).data.permissions == ["admin"])

        let tokens = try await auth.generateClientKey(
            GenerateClientKeyRequest(
                contextId: fixture.probe, contextIdentity: "abc", permissions: ["context:execute"], ttlSecs: 3600))
        #expect(!tokens.data.accessToken.isEmpty && !tokens.data.refreshToken.isEmpty)
        let sent = try #require(fixture.node.requests.last)
        #expect(
            try MeroJSON.decode([String: JSONValue].self, from: sent.body).keys.sorted()
                == ["context_id", "context_identity", "permissions", "ttl_secs"])
        let clients = try await auth.listClientKeys()
        let client = try #require(clients.first)
        #expect(client.isValid && client.permissions.contains("context:execute"))
        let changed = try await auth.updateKeyPermissions(
            client.clientId, changes: UpdateKeyPermissionsRequest(add: ["context:list"], remove: ["context:execute"]))
        #expect(
            changed.data.permissions.contains("context:list") && !changed.data.permissions.contains("context:execute"))
        let deleted = try await auth.deleteClientKey(keyId: client.rootKeyId, clientId: client.clientId)
        #expect(deleted.success && deleted.message == "Client key revoked successfully")
        #expect(
            await meroError { _ = try await auth.deleteClientKey(keyId: client.rootKeyId, clientId: "none") }?
                .httpStatus == 404)

        let third = try await auth.generateClientKey(GenerateClientKeyRequest(permissions: ["context:list"]))
        let keyId = try #require(SessionClaims(token: third.data.accessToken)?.keyId)
        let revoked = try await auth.revokeTokens(RevokeTokenRequest(clientId: keyId))
        #expect(revoked.success && revoked.message == "Tokens revoked successfully")
        #expect(await !auth.validateToken(third.data.accessToken).valid)

        #expect(try await auth.deleteRootKey(second.keyId).success)
        let first = try #require(roots.first { $0.publicKey != "second" })
        let last = try await auth.deleteRootKey(first.keyId)
        #expect(!last.success && last.message == "Cannot delete the last active root key")
        #expect(await meroError { _ = try await auth.deleteRootKey("a/b c") }?.httpStatus == 404)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func mintsMockTokensWhereAllowed(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let request = MockTokenRequest(clientName: "tests", permissions: ["context:list"])
        #expect(await meroError { _ = try await fixture.mero.auth.generateMockTokens(request) }?.httpStatus == 404)
        await fixture.stop()
        var options = DevNodeOptions()
        options.mockTokens = .enabled()
        let node = try await DevNode.start(options)
        let auth = AuthApi(http: URLSessionHttpClient(baseURL: node.url, engine: try engine.make()))
        let tokens = try await auth.generateMockTokens(request)
        #expect(SessionClaims(token: tokens.data.accessToken)?.permissions == ["context:list"])
        await node.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func readsTheNodesState(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine, policy: .never)
        let admin = await fixture.mero.admin
        #expect(try await admin.healthCheck().status == "alive")
        #expect(try await admin.readinessCheck().status == "ready")
        #expect(try await admin.isAuthed().data.status == "alive")
        let identity = try await admin.getNodeIdentity()
        for id in [identity.accountId, identity.publicKey, identity.accountRootPublicKey] {
            #expect(id.count == 64 && Hex.decode(id) != nil)
        }
        #expect(try await admin.getPeersCount().count == 0)
        #expect(try await admin.getNetworkStatus()["autonat"]?["reachability"] == "unknown")
        #expect(try await admin.getUsage()["namespaces"] == [])
        fixture.node.setStorageAvailable(false)
        let sick = await meroError { _ = try await admin.healthCheck() }
        guard case .http(let http) = sick else { return #expect(Bool(false), "\(String(describing: sick))") }
        #expect(
            http.status == 503 && http.bodyText?.contains("store_unavailable") == true && http.refusal?.message == nil)
        await fixture.stop()
    }

    @Test func everyDeclaredEndpointIsDocumented() {
        // Spec 10, section 9.1.
        let documented: Set<String> = [
            "GET /auth/health", "GET /admin/identity", "GET /auth/providers", "POST /auth/token", "POST /auth/refresh",
            "POST /auth/mock-token", "HEAD /auth/validate", "POST /auth/logout", "POST /admin/revoke",
            "GET /admin/keys",
            "POST /admin/keys", "DELETE /admin/keys/{keyId}", "GET /admin/keys/clients", "POST /admin/client-key",
            "DELETE /admin/keys/{keyId}/clients/{clientId}", "GET /admin/keys/{keyId}/permissions",
            "PUT /admin/keys/{keyId}/permissions",
        ]
        let declared = AuthEndpoints.all.map { "\($0.method.rawValue) \($0.template)" }
        #expect(Set(declared) == documented && declared.count == documented.count)
        let once = AuthEndpoints.all.filter(\.sendOnce).map(\.template)
        #expect(once == ["/auth/refresh", "/auth/logout"])
    }
}
