/// How a client is to reach contexts: chosen once, at construction.
///
/// Spec: 60, section 8.1.
public enum MeroTransportConfig: Sendable {
    /// Through a node of one's own.
    case node(NodeTransportConfig)
    /// Through a relay, as an account.
    case relay(RelayTransportConfig)
}

/// A node of one's own.
public struct NodeTransportConfig: Sendable {
    let mero: Mero
    let cloudClient: CloudClient?

    /// - Parameters:
    ///   - mero: The node's client.
    ///   - cloud: Nil takes the `Mero`'s own.
    public init(mero: Mero, cloud: CloudClient? = nil) {
        self.mero = mero
        cloudClient = cloud
    }
}

/// A relay, and the credentials with which an account reads there. All three are independent, and none is needed to write.
///
/// Spec: 60, section 8.1.
public struct RelayTransportConfig: Sendable {
    /// Writes.
    public let relay: RelayClient
    /// A token of the account's session for the admin API, asked for each request. Nil: the request goes out bare.
    public let sessionToken: (@Sendable () async throws -> String?)?
    /// Lets events come through a session that is opened when needed.
    public let observe: RelayObserveConfig?
    /// Signs requests to the admin API, and the event stream where there is no session for it.
    public let proof: ProofCredential?

    /// - Parameters:
    ///   - relay: The client by which the account writes.
    ///   - sessionToken: Wins over `proof`, which is not sent beside it.
    ///   - observe: Wins over `proof` for events.
    ///   - proof: Only for relays that check proofs themselves; hosted ones know nothing but tokens.
    public init(
        relay: RelayClient, sessionToken: (@Sendable () async throws -> String?)? = nil,
        observe: RelayObserveConfig? = nil, proof: ProofCredential? = nil
    ) {
        self.relay = relay
        self.sessionToken = sessionToken
        self.observe = observe
        self.proof = proof
    }
}
