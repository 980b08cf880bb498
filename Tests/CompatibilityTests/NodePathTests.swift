import Foundation
import MeroKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Programs written for the published package, as they stand. This file imports nothing `@testable`: what compiles here
// compiles in an app.

/// An `HttpClient` of an app's own.
private struct CannedClient: HttpClient {
    var body = Data()

    func send<T: Decodable>(_ req: HttpRequest) async throws -> T { try MeroJSON.decode(T.self, from: body) }
    func sendVoid(_ req: HttpRequest) async throws {}
    func sendRaw(_ req: HttpRequest) async throws -> (Data, HeadResult) {
        (body, HeadResult(status: 200, headers: [:]))
    }
    func head(_ path: String, headers: [String: String]) async throws -> HeadResult {
        HeadResult(status: 200, headers: headers)
    }
    func download(_ req: HttpRequest, to fileURL: URL) async throws -> HeadResult {
        try body.write(to: fileURL)
        return HeadResult(status: 200, headers: [:])
    }
}

/// A `TokenStore` of an app's own.
private final class OwnStore: TokenStore {
    func getTokens() -> TokenData? { nil }
    func setTokens(_ data: TokenData) {}
    func clear() {}
}

/// A type that is not `Sendable`, which `execute` must still be able to return.
private final class NotSendable: Decodable {
    var name = ""
}

@Suite struct NodePathTests {
    private let url = URL(string: "http://127.0.0.1:9") ?? URL(fileURLWithPath: "/")

    @Test func errors() {
        let http = HTTPError(status: 404, statusText: "Not Found", url: "u", headers: [:])
        let full = HTTPError(
            status: 403, statusText: "Forbidden", url: "u", headers: ["a": "b"], bodyText: #"{"error":"no"}"#)
        #expect(http.message == "HTTP 404 Not Found" && full.refusal?.message == "no")
        let cases: [MeroError] = [
            .http(http), .authRevoked(reason: "token_reuse", http: http), .rpc(RpcError(code: -1, message: "m")),
            .network("n"), .emptyResponse("e"), .authenticationFailed("a"), .noCredentials, .noRefreshToken,
            .decoding("d"),
        ]
        for error in cases {
            // A switch over the published cases stays exhaustive.
            switch error {
            case .http(let http): #expect(error.httpStatus == http.status)
            case .authRevoked(let reason, let http): #expect(!reason.isEmpty && error.httpStatus == http.status)
            case .rpc(let rpc): #expect(error.errorType == rpc.type)
            case .network(let text), .emptyResponse(let text), .authenticationFailed(let text), .decoding(let text):
                #expect(!text.isEmpty)
            case .noCredentials, .noRefreshToken: break
            }
            #expect(error.errorDescription == error.localizedDescription)
        }
        #expect(ErrorRefusal() == ErrorRefusal(message: nil, type: nil, data: nil))
        let rpc = RpcError(code: 1, message: "m", type: RpcError.readOnlyWriteRefusedType, data: ["context_id": "c"])
        #expect(rpc.isReadOnlyWriteRefused && rpc.refusedContextId == "c")
        #expect(MeroError.http(full).refusal == ErrorRefusal(message: "no"))
    }

    @Test func http() async throws {
        var request = HttpRequest(path: "/x")
        request = HttpRequest(
            path: "/x", method: .put, body: .data(Data(), contentType: "a/b"), headers: ["a": "b"], timeout: 3)
        request.body = .json(Data("{}".utf8))
        request.body = .file(url, contentType: "a/b")
        #expect(request.method == .put && HTTPMethod.head.rawValue == "HEAD")
        let client = CannedClient(body: Data("1".utf8))
        let one: Int = try await client.get("/x")
        let two: Int = try await client.get("/x", headers: ["a": "b"])
        let three: Int = try await client.post("/x", json: ["a": 1])
        let four: Int = try await client.post("/x", json: ["a": 1], headers: [:])
        let five: Int = try await client.post("/x")
        let six: Int = try await client.put("/x", json: ["a": 1])
        let seven: Int = try await client.put("/x")
        let eight: Int = try await client.patch("/x", json: ["a": 1])
        let nine: Int = try await client.delete("/x")
        let ten: Int = try await client.delete("/x", json: ["a": 1])
        #expect([one, two, three, four, five, six, seven, eight, nine, ten] == Array(repeating: 1, count: 10))
        _ = URLSessionHttpClient(baseURL: url)
        _ = URLSessionHttpClient(baseURL: url, timeout: 1, hooks: TransportHooks(), session: .shared)
        var hooks = TransportHooks(
            getAuthToken: { nil }, refreshToken: { "" }, onTokenRefresh: { _ in }, onAuthRevoked: {})
        hooks.getAuthToken = nil
        _ = URLSessionHttpClient(baseURL: url, hooks: hooks, session: URLSession(configuration: .ephemeral))
        let response = try MeroJSON.decode(ApiResponse<[Int]>.self, from: Data(#"{"data":[1]}"#.utf8))
        #expect(response.data == [1] && response.error == nil)
        _ = try MeroJSON.decode(Empty.self, from: Data("{}".utf8))
        _ = (MeroJSON.encoder, MeroJSON.decoder, Empty())
    }

    @Test func mero() async throws {
        var config = MeroConfig(baseURL: url)
        config = MeroConfig(
            baseURL: url, credentials: Credentials(username: "u", password: "p"), timeout: 1, tokenStore: OwnStore())
        config.timeout = 2
        let mero = Mero(config: config)
        let stubbed = Mero(config: config, session: .shared)
        #expect(await !mero.isAuthenticated)
        #expect(await stubbed.currentTokenData() == nil)
        _ = await (mero.auth, mero.admin, mero.rpc, mero.http)
        await mero.setTokenData(TokenData(accessToken: "a", refreshToken: "", expiresAt: Date()))
        #expect(await mero.isAuthenticated)
        await mero.clearToken()
        if let result = Mero.parseAuthCallback("app://cb#access_token=a&refresh_token=r&node_url=n") {
            await mero.setTokenData(from: result)
            #expect([result.applicationId, result.contextId, result.contextIdentity] == ["", "", ""])
            #expect(result.nodeUrl == "n" && result.accessToken == "a" && result.refreshToken == "r")
        }
        await mero.setTokenData(TokenData(accessToken: "a", refreshToken: "", expiresAt: Date()))
        await mero.logout()
        #expect(await !mero.isAuthenticated)
        let options = AuthLoginOptions(callbackUrl: "http://localhost/cb", mode: "login")
        let more = AuthLoginOptions(
            callbackUrl: "c", mode: "m", packageName: "p", permissions: ["a"], registryUrl: "r", packageVersion: "v")
        #expect(
            Mero.buildAuthLoginUrl(nodeUrl: "http://n", options: options)
                == SsoLogin.buildAuthLoginUrl(nodeUrl: "http://n", options: options))
        #expect(SsoLogin.parseAuthCallback("x") == nil && more.packageName == "p")
    }

    @Test func stores() throws {
        let store: any TokenStore = MemoryTokenStore()
        store.setTokens(TokenData(accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSince1970: 1)))
        let stored = try #require(store.getTokens())
        #expect(try MeroJSON.decode(TokenData.self, from: MeroJSON.encode(stored)) == stored)
        store.clear()
        #expect(expiresAtFromJWT("not-a-jwt", fallback: Date(timeIntervalSince1970: 9)).timeIntervalSince1970 == 9)
    }

    @Test func auth() {
        let api = AuthApi(http: CannedClient())
        // Types of the methods, so that a changed label or type does not compile.
        let calls: [Any] = [
            api.getHealth as () async throws -> HealthResponse,
            api.getIdentity as () async throws -> IdentityResponse,
            api.getProviders as () async throws -> ProvidersResponse,
            api.generateTokens as (TokenRequest) async throws -> TokenResponse,
            api.refreshToken as (RefreshTokenRequest) async throws -> TokenResponse,
            api.generateMockTokens as (MockTokenRequest) async throws -> TokenResponse,
            api.validateToken as (String) async -> TokenValidation,
            api.logout as (LogoutRequest) async throws -> LogoutResponse,
            api.revokeTokens as (RevokeTokenRequest) async throws -> RevokeTokenResponse,
            api.listRootKeys as () async throws -> [RootKey],
            api.createRootKey as (CreateKeyRequest) async throws -> CreateKeyResponse,
            api.deleteRootKey as (String) async throws -> DeleteKeyResponse,
            api.listClientKeys as () async throws -> [ClientKey],
            api.generateClientKey as (GenerateClientKeyRequest) async throws -> TokenResponse,
            api.deleteClientKey(keyId:clientId:) as (String, String) async throws -> DeleteClientResponse,
            api.getKeyPermissions as (String) async throws -> PermissionResponse,
            api.updateKeyPermissions(_:changes:)
                as (String, UpdateKeyPermissionsRequest) async throws
                -> PermissionResponse,
        ]
        #expect(calls.count == 17)
        _ = TokenRequest(
            authMethod: "user_password", publicKey: "k", clientName: "c", permissions: nil, timestamp: 1,
            providerData: ["username": "u"])
        _ = RefreshTokenRequest(accessToken: "a", refreshToken: "r")
        _ = LogoutRequest(refreshToken: "r")
        _ = LogoutResponse(success: true)
        _ = RevokeTokenRequest(clientId: "c")
        _ = CreateKeyRequest(publicKey: "k", authMethod: "user_password", providerData: [:])
        _ = CreateKeyRequest(publicKey: "k", authMethod: "user_password", providerData: [:], targetNodeUrl: "n")
        _ = GenerateClientKeyRequest()
        _ = GenerateClientKeyRequest(contextId: "c", permissions: ["a"], applicationId: "app", ttlSecs: 3600)
        _ = UpdateKeyPermissionsRequest(add: ["a"])
        _ = UpdateKeyPermissionsRequest(remove: ["a"])
        _ = MockTokenRequest(clientName: "c")
        _ = MockTokenRequest(
            clientName: "c", permissions: nil, nodeUrl: nil, accessTokenExpiry: nil, refreshTokenExpiry: nil)
    }

    @Test func rpc() async throws {
        let rpc = RpcClient(http: CannedClient(body: Data(#"{"result":{"output":{"name":"n"}}}"#.utf8)))
        let a: [String: String] = try await rpc.execute(contextId: "c", method: "m")
        let b: [String: String] = try await rpc.execute(contextId: "c", method: "m", argsJson: ["id": "42", "n": 1])
        let c: [String: String] = try await rpc.execute(
            contextId: "c", method: "m", argsJson: [:], executorPublicKey: nil)
        let d: [String: String] = try await rpc.execute(contextId: "c", method: "m", executorPublicKey: "k")
        let arguments: [String: JSONValue] = ["list": [1, 2.5, nil, true], "o": ["k": "v"]]
        let e: [String: String] = try await rpc.execute(contextId: "c", method: "m", argsJson: arguments)
        struct Arguments: Encodable { var amount = UInt64.max }
        let f: [String: String] = try await rpc.execute(contextId: "c", method: "m", argsJson: Arguments())
        #expect([a, b, c, d, e, f].allSatisfy { $0 == ["name": "n"] })
        let object: NotSendable = try await rpc.execute(contextId: "c", method: "m")
        let result: ExecuteResult<NotSendable> = try await rpc.executeWithMetadata(contextId: "c", method: "m")
        let sent: RpcExecuteResult<[String: String]> = try await rpc.executeWithMetadata(
            contextId: "c", method: "m", argsJson: ["a": 1])
        #expect(object.name == "n" && result.returns.name == "n" && sent.transport == .node && sent.rootHash == nil)
        let transport: any ExecuteTransport = rpc
        let g: [String: String] = try await transport.execute(contextId: "c", method: "m")
        let h: [String: String] = try await transport.execute(contextId: "c", method: "m", argsJson: ["key": "k"])
        let i: ExecuteResult<[String: String]> = try await transport.executeWithMetadata(contextId: "c", method: "m")
        #expect(g == h && i.returns == g && transport.kind == .node && transport.canSubscribe)
        #expect(RpcTransportKind.relay.rawValue == "relay")
        _ = ExecuteResult(returns: 1, transport: .relay)
        let summary = MigrateMyEntriesSummary(converted: 1, remaining: 0)
        #expect(summary.converted == 1)
        _ = rpc.migrateMyEntries as (String) async throws -> MigrateMyEntriesSummary
        _ = rpc.countMyPending as (String) async throws -> Int
    }

    @Test func jsonValues() {
        let value: JSONValue = ["a": [1, 2.5, "s", true, nil], "b": ["c": 1]]
        #expect(value["a"]?.arrayValue?.count == 5 && value["b"]?["c"]?.intValue == 1)
        #expect(value["a"]?.arrayValue?[1].doubleValue == 2.5 && value["x"] == nil)
        #expect(value.objectValue?.count == 2 && JSONValue.bool(true).boolValue == true)
        #expect(JSONValue.number(1e300).intValue == nil && JSONValue.string("s").stringValue == "s")
        switch value {
        case .null, .bool, .number, .string, .array: Issue.record("expected an object")
        case .object(let members): #expect(members.count == 2)
        }
        #expect(Capabilities.hasCap(513, Capabilities.canAuthorOnBehalf))
        #expect(Capabilities.withCap(1, Capabilities.manageMembers) == 9)
        #expect(Capabilities.withoutCap(9, Capabilities.canCreateContext) == 8)
    }

    /// The founding page's handling pattern.
    @Test func handlingPattern() async {
        struct Post: Decodable {}
        let mero = Mero(config: MeroConfig(baseURL: url, timeout: 1, retryPolicy: .never))
        do {
            let post: Post = try await mero.rpc.execute(
                contextId: "…", method: "get_post", argsJson: ["id": "42"])
            _ = post
            Issue.record("nothing listens there")
        } catch let error as MeroError {
            switch error {
            case .rpc(let rpc):
                print("contract error \(rpc.code): \(rpc.message)", rpc.data as Any)
            case .authRevoked:
                Issue.record("not revoked")
            case .http(let http):
                if http.status == 403 { print("permission denied") } else { print(http.message) }
            case .network(let detail):
                #expect(!detail.isEmpty)
            default:
                print(error.localizedDescription)
            }
        } catch {
            Issue.record("\(error)")
        }
    }
}
