import Foundation

/// What a client was not set up for. Nothing was sent when one of these is thrown.
///
/// Spec: 60, section 8.3.
public enum MeroTransportError: Error, Sendable, Equatable {
    /// A relay has no such thing. `surface` names it, `why` says why.
    case relayHasNo(surface: String, why: String)
    /// A node is not a relay.
    case nodeHasNoRelay
    /// The relay's admin API was asked for, and there is neither a session token nor a request proof.
    case noAdminCredential
    /// The relay's events were asked for, and nobody told the key that it signs with.
    case missingNodeKey(surface: String)
    /// The relay's WebSocket was asked for, and there is only a request proof.
    case proofCannotOpenWebSocket
}

extension MeroTransportError: LocalizedError {
    /// One line for a person. The same text as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .relayHasNo(let surface, let why):
            return
                "The relay transport has no \(surface): \(why). Construct a node client for it; nothing here connects "
                + "to a node that was not chosen"
        case .nodeHasNoRelay: return "The node transport has no relay: calls go to the node itself"
        case .noAdminCredential:
            return "This relay transport has no credential to read the relay's admin API with: neither a proof nor a "
                + "session token was given, and a warrant is not a reading credential. Pass sessionToken or proof in "
                + "RelayTransportConfig to a relay-transport client"
        case .missingNodeKey(let surface):
            return
                "\(surface) need a session, and no relay node key was given. The relay does serve /sse and /ws; its key "
                + "is learned out of band and never derived from its peerId. Pass RelayObserveConfig(nodeKey:)"
        case .proofCannotOpenWebSocket:
            return
                "A request proof cannot open a WebSocket: WsClient carries a bearer token only, and the proof is read "
                + "from a header. Use events instead"
        }
    }
}

extension MeroTransportError {
    static let noNodeConnection = relayHasNo(
        surface: "node connection", why: "it holds a signing key and a relay URL, not a node")
    static let noAuthApi = relayHasNo(surface: "auth API", why: "a relay issues no node credential")
    static let noCloudClient = relayHasNo(
        surface: "bundled cloud client", why: "it comes from the cloud connection that named the relay")
}
