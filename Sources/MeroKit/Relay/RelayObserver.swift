import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An account's view of a relay's events: logs in when a stream needs it, and again when the session is about to end.
///
/// Nothing is sent before somebody connects or asks for the token. Both streams share one session, and all who need a login
/// at the same time share that. Spec: 60, section 9.2.
///
/// ```swift
/// let observer = RelayObserver(relayURL: url, nodeKey: pinned, credential: credential, keys: keys)
/// for try await event in observer.events.events(contextIds: [contextId]) { show(event) }
/// ```
public actor RelayObserver {
    /// The key that the relay signs with, 64 hex characters in lower case.
    public nonisolated let nodeKey: String
    private nonisolated let session: RelaySession
    private nonisolated let sse: Lazily<SseClient>
    private nonisolated let webSocket: Lazily<WsClient>

    /// Signs with the device's keys.
    ///
    /// - Parameters:
    ///   - relayURL: The relay's origin.
    ///   - nodeKey: The key that the relay signs with, pinned or attested: never read from the relay itself.
    ///   - credential: The device's certificate, in hex.
    ///   - keys: The device's keys.
    ///   - audience: Who asks.
    ///   - clientName: A label; nil takes the relay's URL.
    ///   - ttlSeconds: How long a login's statement is valid.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - options: Limits and trust of the HTTP stack.
    public init(
        relayURL: String, nodeKey: String, credential: String, keys: DeviceKeys, audience: LoginAudience = .current,
        clientName: String? = nil, ttlSeconds: UInt64 = 300, session: URLSession? = nil,
        options: HttpOptions = HttpOptions()
    ) {
        self.init(
            relayURL: relayURL, nodeKey: nodeKey, credential: credential, signer: keys, audience: audience,
            clientName: clientName, ttlSeconds: ttlSeconds, session: session, options: options)
    }

    /// Signs with a signer; everything else is the same.
    public init(
        relayURL: String, nodeKey: String, credential: String, signer: any DeviceSigner,
        audience: LoginAudience = .current, clientName: String? = nil, ttlSeconds: UInt64 = 300,
        session: URLSession? = nil, options: HttpOptions = HttpOptions()
    ) {
        let base = RelayOrigin.url(RelayOrigin.trimmed(relayURL))
        self.init(
            relayURL: relayURL, nodeKey: nodeKey, credential: credential, signer: signer, audience: audience,
            clientName: clientName, ttlSeconds: ttlSeconds, session: session, options: options,
            engine: EngineChoice.engine(session: session, options: options, baseURL: base)
        ) { EngineChoice.streamEngine(session: session, options: options, baseURL: base) }
    }

    init(
        relayURL: String, nodeKey: String, credential: String, signer: any DeviceSigner, audience: LoginAudience,
        clientName: String?, ttlSeconds: UInt64, session: URLSession? = nil, options: HttpOptions = HttpOptions(),
        engine: any HttpEngine, now: @escaping @Sendable () -> Date = { Date() },
        streamEngine: @escaping @Sendable () -> any HttpEngine
    ) {
        let relayURL = RelayOrigin.trimmed(relayURL)
        let base = RelayOrigin.url(relayURL)
        let nodeKey = nodeKey.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        self.nodeKey = nodeKey
        let http = URLSessionHttpClient(baseURL: base, engine: engine, options: options)
        let relay = RelaySession(now: now) {
            try await RelayLogin.login(
                http: http, relayURL: relayURL, nodeKey: nodeKey, credential: credential, signer: signer,
                audience: audience, clientName: clientName, ttlSeconds: ttlSeconds, now: now())
        }
        self.session = relay
        let credentials = relay.streamCredentials
        sse = Lazily { SseClient(baseURL: base, credentials: credentials, engine: streamEngine()) }
        webSocket = Lazily {
            WsClient(
                baseURL: base, token: { try await credentials.token() },
                connector: WebSocketChoice.connector(session: session, options: options, baseURL: base),
                refused: credentials.onRefused, revoked: credentials.onRevoked, accepted: credentials.onAccepted)
        }
    }

    /// A token of the account's session that lives for at least half a minute.
    ///
    /// Logs in when there is none. A token that does not say how long it lives is never used twice. Throws what
    /// `RelayLogin.login` throws; a failure is not remembered.
    public func accessToken() async throws -> String { try await session.accessToken() }

    /// The relay's event stream, as the account. Always the same client; asking for it sends nothing.
    public nonisolated var events: SseClient { sse.value }

    /// The relay's WebSocket, as the account. Always the same client; asking for it sends nothing.
    public nonisolated var ws: WsClient { webSocket.value }

    /// Forgets the session: the next one who asks logs in.
    public func invalidate() { session.invalidate() }

    /// Closes both streams. Connecting again opens them anew.
    public nonisolated func close() {
        sse.existing?.close()
        webSocket.existing?.close()
    }
}
