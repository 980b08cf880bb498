import Foundation

/// One client for code that runs on a node of one's own and through a relay: chosen at construction, the same calls after.
///
/// ```swift
/// let client = MeroTransportClient(mero: mero)
/// let client = try MeroTransportClient(.relay(RelayTransportConfig(relay: relay)))
///
/// let value: String = try await client.rpc.execute(contextId: id, method: "get", argsJson: ["key": "colour"])
/// ```
///
/// What the chosen way does not have throws `MeroTransportError`, which names what is missing; nothing is ever looked for
/// elsewhere. Construction and reading a property send nothing. Spec: 60, section 8.
public final class MeroTransportClient: MeroTransportEvents {
    private enum Way: Sendable {
        case node(NodeTransportConfig, MeroRpcTransport)
        case relay(RelayWay)
    }

    private let way: Way

    /// Through a node: exactly the `Mero` that you already have.
    public init(mero: Mero) { way = .node(NodeTransportConfig(mero: mero), MeroRpcTransport(mero)) }

    /// Through a node, with a cloud client of its own. Nil takes the `Mero`'s.
    public init(mero: Mero, cloud: CloudClient?) {
        way = .node(NodeTransportConfig(mero: mero, cloud: cloud), MeroRpcTransport(mero))
    }

    /// Through whatever the configuration says.
    ///
    /// Throws `AccountError.invalidInput` for a relay URL that is no `http` or `https` one, a node key that is not 64 hex
    /// characters, and a credential that is empty or no hex.
    public init(_ config: MeroTransportConfig) throws {
        switch config {
        case .node(let config): way = .node(config, MeroRpcTransport(config.mero))
        case .relay(let config): way = .relay(try RelayWay(config))
        }
    }

    /// A client whose calls and events are not quite those of a plain relay.
    init(_ way: RelayWay) { self.way = .relay(way) }

    /// Where calls run. Never changes.
    public var transport: RpcTransportKind {
        switch way {
        case .node: return .node
        case .relay: return .relay
        }
    }

    /// Calls contract methods.
    public var rpc: any ExecuteTransport {
        switch way {
        case .node(_, let rpc): return rpc
        case .relay(let way): return way.rpc
        }
    }

    /// Whether events work as configured.
    public var canSubscribe: Bool {
        switch way {
        case .node: return true
        case .relay(let way): return way.canSubscribe
        }
    }

    /// The node. Throws `MeroTransportError.relayHasNo` on a relay.
    public var node: Mero {
        get throws {
            guard case .node(let config, _) = way else { throw MeroTransportError.noNodeConnection }
            return config.mero
        }
    }

    /// The relay client that was given. Throws `MeroTransportError.nodeHasNoRelay` on a node.
    public var relay: RelayClient {
        get throws {
            guard case .relay(let way) = way else { throw MeroTransportError.nodeHasNoRelay }
            return way.config.relay
        }
    }

    /// The admin API: the node's, or the relay's as the account, which reads what the account may see.
    ///
    /// On a relay each request carries the session's token, else a proof. Throws `MeroTransportError.noAdminCredential`
    /// when there is neither.
    public var admin: AdminApi {
        get async throws {
            switch way {
            case .node(let config, _): return await config.mero.admin
            case .relay(let way): return try way.admin
            }
        }
    }

    /// The node's auth service. Throws `MeroTransportError.relayHasNo` on a relay.
    public var auth: AuthApi {
        get async throws {
            guard case .node(let config, _) = way else { throw MeroTransportError.noAuthApi }
            return await config.mero.auth
        }
    }

    /// Events over a connection that all parts of an app share. Always the same client.
    ///
    /// On a relay it goes through the observer's session, else its requests are signed. Throws
    /// `MeroTransportError.missingNodeKey` when there is neither.
    public var events: SseClient {
        get throws {
            switch way {
            case .node(let config, _): return config.mero.sse
            case .relay(let way): return try way.events
            }
        }
    }

    /// The WebSocket. Always the same client. Prefer `events`.
    ///
    /// Throws `MeroTransportError.proofCannotOpenWebSocket` or `.missingNodeKey` on a relay without an observer.
    public var ws: WsClient {
        get throws {
            switch way {
            case .node(let config, _): return config.mero.ws
            case .relay(let way): return try way.ws
            }
        }
    }

    /// Presence. Always the same client; on a relay publishing needs no node key, only its `subscribe` needs events.
    public var ephemeral: MeroEphemeral {
        get throws {
            switch way {
            case .node(let config, _): return .node(config.mero.ephemeral)
            case .relay(let way): return .relay(way.presence.value)
            }
        }
    }

    /// The cloud. Throws `MeroTransportError.relayHasNo` on a relay: it comes from the cloud connection there.
    public var cloud: CloudClient {
        get throws {
            guard case .node(let config, _) = way else { throw MeroTransportError.noCloudClient }
            return config.cloudClient ?? config.mero.cloud
        }
    }

    /// Starts the event stream where there is one; see `MeroTransportEvents`.
    public func connectEvents() {
        guard canSubscribe else { return }
        let events: SseClient? = try? self.events
        events?.connect()
    }

    /// Closes the streams, and stops repeating what was published. Sessions and writes are not touched. Connecting again
    /// opens the streams anew.
    public func close() {
        switch way {
        case .node(let config, _): config.mero.closeStreams()
        case .relay(let way): way.close()
        }
    }
}
