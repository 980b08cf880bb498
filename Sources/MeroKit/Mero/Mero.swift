import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A client of one node: signs in, keeps the session alive, and calls contracts.
///
/// ```swift
/// let mero = Mero(config: MeroConfig(baseURL: URL(string: "http://localhost:2428")!))
/// try await mero.authenticate(Credentials(username: "alice", password: password))
/// let value: String? = try await mero.rpc.execute(contextId: id, method: "get", argsJson: ["key": "colour"])
/// ```
///
/// An expired access token is refreshed by itself, once for all calls that meet it. Everything thrown is a `MeroError`,
/// or `CancellationError` when the calling task is cancelled. Spec: 10, section 5.
public actor Mero {
    private let config: MeroConfig
    private let session: TokenSession
    private let client: URLSessionHttpClient
    private let sharedEvents: Lazily<SseClient>
    private let presence: Lazily<EphemeralClient>
    private let webSocket: Lazily<WsClient>
    private let cloudClient: Lazily<CloudClient>

    /// Uses the platform's default HTTP stack. Tokens left in the store are picked up at once.
    public init(config: MeroConfig) {
        self.init(
            config: config,
            engine: EngineChoice.engine(session: nil, options: config.httpOptions, baseURL: config.baseURL)
        ) {
            EngineChoice.streamEngine(session: nil, options: config.httpOptions, baseURL: config.baseURL)
        }
    }

    /// Sends everything through this session, or one of the same configuration.
    public init(config: MeroConfig, session: URLSession) {
        self.init(
            config: config,
            engine: EngineChoice.engine(session: session, options: config.httpOptions, baseURL: config.baseURL),
            session: session
        ) {
            EngineChoice.streamEngine(session: session, options: config.httpOptions, baseURL: config.baseURL)
        }
    }

    /// - Parameters:
    ///   - urlSession: The app's own, if it has one.
    ///   - streamEngine: Makes the engine for what stays open, when that is first needed.
    init(
        config: MeroConfig, engine: any HttpEngine, session urlSession: URLSession? = nil,
        streamEngine: @escaping @Sendable () -> any HttpEngine
    ) {
        let session = TokenSession(
            store: config.tokenStore ?? MemoryTokenStore(), onStoreFailure: config.onTokenStoreFailure)
        self.config = config
        self.session = session
        let client = URLSessionHttpClient(
            baseURL: config.baseURL, timeout: config.timeout,
            hooks: Self.hooks(config: config, session: session, engine: engine), engine: engine,
            retryPolicy: config.retryPolicy, options: config.httpOptions)
        self.client = client
        let credentials = Self.streamCredentials(client, session)
        let sharedEvents = Lazily {
            SseClient(baseURL: config.baseURL, credentials: credentials, engine: streamEngine())
        }
        self.sharedEvents = sharedEvents
        webSocket = Lazily {
            WsClient(
                baseURL: config.baseURL, token: { session.current?.accessToken },
                connector: WebSocketChoice.connector(
                    session: urlSession, options: config.httpOptions, baseURL: config.baseURL),
                refused: credentials.onRefused, revoked: credentials.onRevoked)
        }
        cloudClient = Lazily { config.cloud ?? CloudClient(session: urlSession) }
        presence = Lazily { EphemeralClient(http: client, events: sharedEvents.value) }
    }

    // MARK: Surfaces

    /// Calls contract methods.
    public var rpc: RpcClient { RpcClient(http: client) }
    /// The auth service: keys, tokens, providers.
    public var auth: AuthApi { AuthApi(http: client) }
    /// The admin API.
    public var admin: AdminApi { AdminApi(http: client) }
    /// The HTTP client below the others, for a route that they do not cover.
    public var http: any HttpClient { client }

    // MARK: Events

    /// Events of these contexts and groups, over a connection of their own, which is kept open and opened again by itself.
    ///
    /// ```swift
    /// for try await event in mero.events(contextIds: [contextId]) { await reload(event.contextId) }
    /// ```
    ///
    /// Work starts at once, and ends with the consuming task or when nobody holds the stream any more; `close()` and
    /// `logout()` do not end it. Expired tokens are refreshed, in the one flight that calls use. A 403 is thrown as
    /// `MeroError.http` and a revoked session as `MeroError.authRevoked`, which ends the `Mero`'s session as well.
    /// After each reconnect there is a mark for each id, see `ContextEvent.gapKind`. While nobody is signed in the stream
    /// waits. Spec: 40, section 2.8.
    ///
    /// - Parameters:
    ///   - contextIds: May be empty if `groupIds` is not.
    ///   - groupIds: 64 hexadecimal digits each.
    public nonisolated func events(
        contextIds: [String], groupIds: [String] = []
    ) -> AsyncThrowingStream<ContextEvent, Error> {
        sse.events(contextIds: contextIds, groupIds: groupIds)
    }

    /// The same, telling how the connection and each subscription are doing.
    ///
    /// Events flow from the moment in which a subscription is `active`. To miss nothing at the start, read the state then, not
    /// before.
    ///
    /// - Parameters:
    ///   - contextIds: The contexts to follow.
    ///   - groupIds: The groups to follow, namespaces among them.
    ///   - onStatus: Called on every change, in order, from any thread. Be quick.
    public nonisolated func events(
        contextIds: [String], groupIds: [String] = [], onStatus: @escaping @Sendable (EventStreamStatus) -> Void
    ) -> AsyncThrowingStream<ContextEvent, Error> {
        sse.events(contextIds: contextIds, groupIds: groupIds, onStatus: onStatus)
    }

    /// Events over one connection that all parts of an app can share. Always the same client; asking for it sends nothing.
    public nonisolated var sse: SseClient { sharedEvents.value }

    /// Presence in contexts, over the connection of `sse`. Always the same client; asking for it sends nothing.
    public nonisolated var ephemeral: EphemeralClient { presence.value }

    /// The node's WebSocket. Always the same client; asking for it sends nothing. Prefer `sse`.
    public nonisolated var ws: WsClient { webSocket.value }

    /// Closes the connections of `sse`, `ephemeral` and `ws`, which ends the presence streams. The session and its tokens
    /// stay, and streams made by `events` go on until their consumers end.
    public func close() { closeStreams() }

    nonisolated func closeStreams() {
        sharedEvents.existing?.close()
        webSocket.existing?.close()
    }

    // MARK: Cloud

    /// The cloud, wholly independent of the node: the configuration's client, else one with the default address. Always the
    /// same client; asking for it sends nothing.
    public nonisolated var cloud: CloudClient { cloudClient.value }

    // MARK: Session

    /// Whether there is a bundle of tokens. Says nothing about their expiry.
    public var isAuthenticated: Bool { session.current != nil }

    /// The current bundle of tokens.
    public func currentTokenData() -> TokenData? { session.current }

    /// Signs in with a user name and password, and keeps the tokens.
    ///
    /// - Parameter credentials: Nil takes those of the configuration.
    /// - Throws: `MeroError.noCredentials` when there are none; `MeroError.authenticationFailed` for everything else, a
    ///   node out of reach included. The session from before is left alone then.
    @discardableResult
    public func authenticate(_ credentials: Credentials? = nil) async throws -> TokenData {
        guard let credentials = credentials ?? config.credentials else { throw MeroError.noCredentials }
        do {
            let response = try await auth.generateTokens(Self.loginRequest(credentials))
            let bundle = Self.bundle(response)
            try await session.replaceExclusively(bundle)
            return bundle
        } catch let error where !(error is CancellationError) {
            throw MeroError.authenticationFailed(error.localizedDescription)
        }
    }

    /// Takes over tokens that came from elsewhere. An `expiresAt` of 1970 or before is read from the token itself.
    ///
    /// Nothing is sent. With an empty refresh token the session ends when the access token expires.
    public func setTokenData(_ data: TokenData) {
        var data = data
        if data.expiresAt.timeIntervalSince1970 <= 0 { data.expiresAt = Self.expiry(of: data.accessToken) }
        session.replace(data)
    }

    /// Takes over the tokens of a hosted login.
    ///
    /// The callback's `nodeUrl` comes from outside: compare it with the node you sent the user to.
    public func setTokenData(from result: AuthCallbackResult) {
        session.replace(
            TokenData(
                accessToken: result.accessToken, refreshToken: result.refreshToken,
                expiresAt: Self.expiry(of: result.accessToken)))
    }

    /// Takes over the tokens of a hosted login, if they are this node's, and newer than those that are held.
    ///
    /// A callback can be opened twice, and its refresh token may be spent by then: showing it again would end the session.
    /// False when the held tokens stay. Throws `AccountError.protocolViolation` for tokens of another node. Spec: 70,
    /// section 6.3.
    ///
    /// - Parameters:
    ///   - result: What the login page handed back.
    ///   - allowedNodeUrls: Other nodes whose tokens will do.
    @discardableResult
    public func adoptTokenData(
        from result: AuthCallbackResult, allowedNodeUrls: [String] = []
    ) throws -> Bool {
        guard result.isTrusted(startedWith: config.baseURL.absoluteString, allowedNodeUrls: allowedNodeUrls) else {
            throw AccountError.protocolViolation(
                "the login came back with tokens of another node than the one that was asked")
        }
        if let held = session.latest {
            if held.accessToken == result.accessToken { return false }
            if let heldSince = SessionClaims(token: held.accessToken)?.issuedAt,
                let since = SessionClaims(token: result.accessToken)?.issuedAt, since < heldSince
            {
                return false
            }
        }
        setTokenData(from: result)
        return true
    }

    /// Forgets the tokens, in memory and in the store. Nothing is sent: the node still honours them. See `logout()`.
    public func clearToken() { session.clear() }

    /// Retires the refresh token at the node, then forgets the tokens.
    ///
    /// Never fails: when the node cannot be reached the tokens are forgotten all the same. The access token stays valid
    /// at the node until it expires.
    public func logout() async {
        if let bundle = session.latest, !bundle.refreshToken.isEmpty {
            _ = try? await auth.logout(LogoutRequest(refreshToken: bundle.refreshToken))
        }
        session.clear()
        close()
    }

    // MARK: Hosted login

    /// Reads the tokens out of the URL that a hosted login came back to; nil when it holds none.
    public static func parseAuthCallback(_ url: String) -> AuthCallbackResult? { SsoLogin.parseAuthCallback(url) }

    /// The URL of a node's login page.
    public static func buildAuthLoginUrl(nodeUrl: String, options: AuthLoginOptions) -> String {
        SsoLogin.buildAuthLoginUrl(nodeUrl: nodeUrl, options: options)
    }
}

// MARK: - Tokens

extension Mero {
    /// The client's way to this session's tokens.
    private static func hooks(config: MeroConfig, session: TokenSession, engine: any HttpEngine) -> TransportHooks {
        // A refresh goes through a client without hooks: it carries no bearer and can never refresh in turn.
        let refresher = AuthApi(
            http: URLSessionHttpClient(
                baseURL: config.baseURL, timeout: config.timeout, engine: engine, retryPolicy: config.retryPolicy,
                options: config.httpOptions))
        let onAuthRevoked = config.onAuthRevoked
        var hooks = TransportHooks()
        hooks.getAuthToken = { session.current?.accessToken }
        hooks.refreshToken = {
            do {
                return try await session.refresh { pair in
                    bundle(
                        try await refresher.refreshToken(
                            RefreshTokenRequest(accessToken: pair.accessToken, refreshToken: pair.refreshToken)))
                }
            } catch MeroError.authRevoked(let reason, let http) {
                await onAuthRevoked?(reason)
                throw MeroError.authRevoked(reason: reason, http: http)
            } catch let error where !(error is MeroError || error is CancellationError) {
                // The store's own: its exclusive section cannot be had.
                throw MeroError.authenticationFailed("Token refresh failed: \(error.localizedDescription)")
            }
        }
        hooks.onTokenRefused = { reason, presented in
            if session.end(presented: presented) { await onAuthRevoked?(reason) }
        }
        return hooks
    }

    /// The streams' way to this session's tokens. Spec: 40, section 2.3.
    private static func streamCredentials(_ client: URLSessionHttpClient, _ session: TokenSession) -> StreamCredentials
    {
        StreamCredentials(
            source: .bearer { session.current?.accessToken },
            onRefused: { answer, presented in
                guard answer.headers["x-auth-error"] == "token_expired" else { return .retryAfterDelay }
                do {
                    return try await client.token(insteadOf: presented) == nil ? .retryAfterDelay : .retryNow
                } catch MeroError.authRevoked(let reason, let http) {
                    return .finish(MeroError.authRevoked(reason: reason, http: http))
                } catch {
                    return .retryAfterDelay
                }
            },
            onRevoked: { reason, presented in await client.tokenWasRefused(reason, presented: presented) })
    }

    private static func bundle(_ response: TokenResponse) -> TokenData {
        TokenData(
            accessToken: response.data.accessToken, refreshToken: response.data.refreshToken,
            expiresAt: expiry(of: response.data.accessToken))
    }

    /// The token's own expiry, an hour from now when it names none.
    private static func expiry(of token: String) -> Date {
        expiresAtFromJWT(token, fallback: Date(timeIntervalSinceNow: 3600))
    }

    private static func loginRequest(_ credentials: Credentials) -> TokenRequest {
        // The node strips all but printable ASCII from `public_key`, a mere label here, and refuses what is empty then.
        let hasLabel = credentials.username.utf8.contains { $0 > 0x20 && $0 < 0x7f }
        return TokenRequest(
            authMethod: "user_password", publicKey: hasLabel ? credentials.username : "user",
            clientName: "mero-swift-sdk", permissions: ["admin"],
            timestamp: Int(saturating: Date().timeIntervalSince1970),
            providerData: ["username": .string(credentials.username), "password": .string(credentials.password)])
    }
}
