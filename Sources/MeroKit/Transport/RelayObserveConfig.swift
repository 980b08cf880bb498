/// How to observe a relay. The key that the relay signs with is the one thing that cannot be inferred.
///
/// Everything else defaults to what the relay client has. Spec: 60, section 8.1.
public struct RelayObserveConfig: Sendable {
    /// The relay's key, 64 hex characters; nil and empty mean that nobody told it, and then there is no observer.
    public let nodeKey: String?
    /// The relay's origin.
    public let relayURL: String?
    /// The device's certificate, in hex.
    public let credential: String?
    /// Who asks.
    public let audience: LoginAudience?
    /// A label.
    public let clientName: String?
    /// How long a login's statement is valid.
    public let ttlSeconds: UInt64
    let signer: (any DeviceSigner)?

    /// - Parameters:
    ///   - nodeKey: Pinned or attested, never read from the relay itself.
    ///   - relayURL: Nil takes the relay client's.
    ///   - credential: Nil takes the relay client's.
    ///   - keys: Nil takes the relay client's.
    ///   - audience: Nil takes `LoginAudience.current`.
    ///   - clientName: Nil takes the relay's URL.
    ///   - ttlSeconds: How long a login's statement is valid.
    public init(
        nodeKey: String?, relayURL: String? = nil, credential: String? = nil, keys: DeviceKeys? = nil,
        audience: LoginAudience? = nil, clientName: String? = nil, ttlSeconds: UInt64 = 300
    ) {
        self.init(
            nodeKey: nodeKey, relayURL: relayURL, credential: credential, signer: keys, audience: audience,
            clientName: clientName, ttlSeconds: ttlSeconds)
    }

    /// Signs with a signer; everything else is the same.
    public init(
        nodeKey: String?, relayURL: String? = nil, credential: String? = nil, signer: (any DeviceSigner)?,
        audience: LoginAudience? = nil, clientName: String? = nil, ttlSeconds: UInt64 = 300
    ) {
        self.nodeKey = nodeKey
        self.relayURL = relayURL
        self.credential = credential
        self.signer = signer
        self.audience = audience
        self.clientName = clientName
        self.ttlSeconds = ttlSeconds
    }

    /// Nil while nobody told the key. Throws `AccountError.invalidInput` for what cannot be used.
    func observer(for relay: RelayClient) throws -> RelayObserver? {
        guard let nodeKey, !nodeKey.isBlank else { return nil }
        _ = try Hex.id(nodeKey, "nodeKey")
        let url = relayURL ?? relay.relayURL
        _ = try RelayOrigin.base(RelayOrigin.trimmed(url))
        let credential = credential ?? relay.authorProof
        guard try !Hex.decodeUnsized(credential, label: "credential").isEmpty else {
            throw AccountError.invalidInput("credential is empty")
        }
        let session = relay.session
        let options = relay.options
        return RelayObserver(
            relayURL: url, nodeKey: nodeKey, credential: credential, signer: signer ?? relay.signer,
            audience: audience ?? .current, clientName: clientName, ttlSeconds: ttlSeconds, session: session,
            options: options, engine: relay.http.client.engine, now: relay.http.clock.now
        ) {
            EngineChoice.streamEngine(
                session: session, options: options, baseURL: RelayOrigin.url(RelayOrigin.trimmed(url)))
        }
    }
}
