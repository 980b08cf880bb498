import Foundation

/// A relay, as a `MeroTransportClient` sees it.
///
/// Spec: 60, section 8.2.
final class RelayWay: Sendable {
    let config: RelayTransportConfig
    let rpc: any ExecuteTransport
    /// Made on first use, whether or not anybody subscribes.
    let presence: Lazily<RelayPresenceClient>
    private let observer: RelayObserver?
    private let adminApi: AdminApi?
    /// The stream without a session: signed by the proof, or one that waits for a node key.
    private let sessionless: Lazily<SseClient>?
    private let isDormant: Bool

    /// - Parameters:
    ///   - isDormant: Events without a node key are kept waiting in place of being signed.
    ///   - wrap: Makes the calls of something else than warrants.
    convenience init(_ config: RelayTransportConfig) throws {
        try self.init(config, isDormant: false) { rpc, _ in rpc }
    }

    init(
        _ config: RelayTransportConfig, isDormant: Bool,
        wrap: (RelayTransport, AdminApi?) -> any ExecuteTransport
    ) throws {
        let relay = config.relay
        let base = try RelayOrigin.base(relay.relayURL)
        try config.proof?.checkCredential()
        let observer = try config.observe?.observer(for: relay)
        self.config = config
        self.observer = observer
        self.isDormant = isDormant
        if let token = config.sessionToken {
            adminApi = AdminApi(http: RelayAdminHttp.bearing(token, at: relay))
        } else {
            adminApi = config.proof.map { AdminApi(http: RelayAdminHttp.signed(by: $0, at: relay)) }
        }
        rpc = wrap(RelayTransport(relay, observer: observer), adminApi)
        let source: StreamCredentials.Source? =
            isDormant
            ? .bearer { nil }
            : config.proof.map { proof in .authorizer { try await proof.headers(method: $0, path: $1, body: $2) } }
        let session = relay.session
        let options = relay.options
        sessionless = source.map { source in
            Lazily {
                SseClient(
                    baseURL: base, credentials: StreamCredentials(source: source),
                    engine: EngineChoice.streamEngine(session: session, options: options, baseURL: base))
            }
        }
        let stream = sessionless
        presence = Lazily {
            RelayPresenceClient(relay: relay, events: { try Self.events(observer, stream) })
        }
    }

    var canSubscribe: Bool { observer != nil || (config.proof != nil && !isDormant) }

    var admin: AdminApi {
        get throws {
            guard let adminApi else { throw MeroTransportError.noAdminCredential }
            return adminApi
        }
    }

    var events: SseClient { get throws { try Self.events(observer, sessionless) } }

    private static func events(_ observer: RelayObserver?, _ sessionless: Lazily<SseClient>?) throws -> SseClient {
        guard let events = observer?.events ?? sessionless?.value else {
            throw MeroTransportError.missingNodeKey(surface: "SSE events")
        }
        return events
    }

    var ws: WsClient {
        get throws {
            if let observer { return observer.ws }
            if config.proof != nil && !isDormant { throw MeroTransportError.proofCannotOpenWebSocket }
            throw MeroTransportError.missingNodeKey(surface: "WebSocket events")
        }
    }

    func close() {
        observer?.close()
        sessionless?.existing?.close()
        presence.existing?.close()
    }
}
