import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An account without a node, at work through relays.
///
/// ```swift
/// let account = try DelegatedAccount(session: session, keys: keys, nonces: nonces, pins: pins, map: map)
/// if let client = try account.client() {
///     let value: String? = try await client.rpc.execute(contextId: id, method: "get", argsJson: ["key": "k"])
/// }
/// let namespaces = try await account.admin.listNamespaces()
/// ```
///
/// Clients are made for one relay each and kept; all that sign share one store of nonces. Spec: 60, section 10.
public final class DelegatedAccount: Sendable {
    /// What a client was built from: it is built anew once the relay's key is learned.
    private struct Built: Sendable {
        let client: MeroTransportClient
        let nodeKey: String?
    }

    private struct State {
        var session: DelegatedSession
        var clients: [String: Built] = [:]
    }

    /// The relays' keys that were learned.
    public let pins: RelayKeyPins
    /// Which relay serves what.
    public let map: RelayMap
    let signer: any DeviceSigner
    let nonces: any WarrantNonceStore
    let verifier: any RelayKeyVerifier
    let cloud: CloudClient?
    let urlSession: URLSession?
    let options: HttpOptions
    let namespaces = Locked<[String: String]>([:])
    private let audience: LoginAudience
    private let clientName: String?
    private let ttlSeconds: UInt64
    private let onSessionChange: (@Sendable (DelegatedSession) -> Void)?
    private let state: Locked<State>

    /// Signs with the device's keys.
    ///
    /// Throws `AccountError.invalidInput` when they are not those of the session's device.
    ///
    /// - Parameters:
    ///   - account: The account and its relay, as `DelegatedAccountStore` has them.
    ///   - keys: The device's keys.
    ///   - nonces: Kept across restarts; the device's own.
    ///   - pins: Kept across restarts, best.
    ///   - map: Kept across restarts; the account's own.
    ///   - verifier: Says which key an attestation tells.
    ///   - cloud: Where namespaces are looked up and hosted; nil does without.
    ///   - audience: Who asks.
    ///   - clientName: A label for logins; nil takes the relay's URL.
    ///   - ttlSeconds: How long warrants and login statements are valid.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - options: Limits and trust of the HTTP stack.
    ///   - onSessionChange: Told when a join gave the account a relay.
    public convenience init(
        session account: DelegatedSession, keys: DeviceKeys, nonces: any WarrantNonceStore,
        pins: RelayKeyPins = RelayKeyPins(), map: RelayMap = RelayMap(),
        verifier: any RelayKeyVerifier = TLSRelayKeyVerifier(), cloud: CloudClient? = nil,
        audience: LoginAudience = .current, clientName: String? = nil, ttlSeconds: UInt64 = 300,
        session: URLSession? = nil, options: HttpOptions = HttpOptions(),
        onSessionChange: (@Sendable (DelegatedSession) -> Void)? = nil
    ) throws {
        try self.init(
            session: account, signer: keys, nonces: nonces, pins: pins, map: map, verifier: verifier, cloud: cloud,
            audience: audience, clientName: clientName, ttlSeconds: ttlSeconds, session: session, options: options,
            onSessionChange: onSessionChange)
    }

    /// Signs with a signer; everything else is the same.
    public init(
        session account: DelegatedSession, signer: any DeviceSigner, nonces: any WarrantNonceStore,
        pins: RelayKeyPins = RelayKeyPins(), map: RelayMap = RelayMap(),
        verifier: any RelayKeyVerifier = TLSRelayKeyVerifier(), cloud: CloudClient? = nil,
        audience: LoginAudience = .current, clientName: String? = nil, ttlSeconds: UInt64 = 300,
        session: URLSession? = nil, options: HttpOptions = HttpOptions(),
        onSessionChange: (@Sendable (DelegatedSession) -> Void)? = nil
    ) throws {
        guard account.isWhole else { throw AccountError.invalidInput("the account's session is not whole") }
        guard account.credential.deviceKey.lowercased() == signer.signPublicKey.lowercased() else {
            throw AccountError.invalidInput("the session is that of another device")
        }
        self.signer = signer
        self.nonces = nonces
        self.pins = pins
        self.map = map
        self.verifier = verifier
        self.cloud = cloud
        self.audience = audience
        self.clientName = clientName
        self.ttlSeconds = ttlSeconds
        self.urlSession = session
        self.options = options
        self.onSessionChange = onSessionChange
        state = Locked(State(session: account))
    }

    /// The account and its relay at present.
    public var session: DelegatedSession { state.withLock { $0.session } }

    /// The account, 64 hex characters in lower case.
    public var accountId: String { session.credential.account.lowercased() }

    /// Moves the account to another relay, or to none. Streams of the old relay's client are closed.
    public func move(to relayURL: String?, executorAccount: String? = nil) throws {
        if let relayURL { _ = try RelayOrigin.base(RelayOrigin.trimmed(relayURL)) }
        let (old, new) = state.withLock { state -> (DelegatedSession, DelegatedSession) in
            let old = state.session
            state.session = old.moved(to: relayURL, executorAccount: executorAccount)
            return (old, state.session)
        }
        if old != new { onSessionChange?(new) }
    }

    // MARK: - Clients

    /// The client of the session's relay; nil while there is none. Throws `AccountError.invalidInput`.
    public func client() throws -> MeroTransportClient? { try session.relayURL.map(client) }

    /// The client of a relay.
    ///
    /// It writes at once. It reads and listens with a session where the relay's key is pinned, see `learnKey(of:)`; until
    /// then a relay on this machine is shown request proofs, and a hosted one, which takes none, gets a stream that waits.
    /// Throws `AccountError.invalidInput`.
    public func client(at relayURL: String) throws -> MeroTransportClient {
        let url = RelayOrigin.trimmed(relayURL)
        let nodeKey = pins[url]
        let existing = state.withLock { $0.clients[url] }
        if let existing, existing.nodeKey == nodeKey { return existing.client }
        let made = Built(client: try make(url, nodeKey), nodeKey: nodeKey)
        let kept = state.withLock { state -> Built in
            // Somebody else was faster.
            if let other = state.clients[url], other.nodeKey == nodeKey { return other }
            state.clients[url] = made
            return made
        }
        if kept.client === made.client { existing?.client.close() }
        return kept.client
    }

    /// Learns the key that a relay signs with, unless it is pinned, and pins it.
    ///
    /// Throws `AccountError.relayKeyUnavailable`, what the verifier throws, and `CancellationError`.
    @discardableResult
    public func learnKey(of relayURL: String) async throws -> String {
        if let key = pins[relayURL] { return key }
        let key = try await RelayNodeKey.attest(
            relayURL: relayURL, verifier: verifier, session: urlSession, options: options)
        try pins.pin(key, for: relayURL)
        return key
    }

    /// The account's admin API: reads at the relays, changes as warrants.
    public var admin: DelegatedAdmin { DelegatedAdmin(account: self) }

    /// Closes the streams of all clients.
    public func close() {
        for built in state.withLock({ $0.clients.values }) { built.client.close() }
    }

    private func make(_ url: String, _ nodeKey: String?) throws -> MeroTransportClient {
        let session = self.session
        let credential = session.credential.credential
        let signer = self.signer
        let audience = self.audience
        let clientName = self.clientName
        let ttlSeconds = self.ttlSeconds
        let urlSession = self.urlSession
        let options = self.options
        let isSessions = session.relayURL.flatMap(RelayOrigin.origin) == RelayOrigin.origin(of: url)
        let token = nodeKey.map { nodeKey in
            DelegatedToken {
                try await RelayLogin.login(
                    relayURL: url, nodeKey: nodeKey, credential: credential, signer: signer, audience: audience,
                    clientName: clientName, ttlSeconds: ttlSeconds, session: urlSession, options: options)
            }
        }
        let relay = RelayClient(
            relayURL: url, authorAccount: session.credential.account, authorProof: credential, signer: signer,
            nonces: nonces, executorAccount: isSessions ? session.executorAccount : nil, ttlSeconds: ttlSeconds,
            tokenProvider: { (try? await token?.token()) ?? nil }, session: urlSession, options: options)
        var sessionToken: (@Sendable () async throws -> String?)?
        if let token { sessionToken = { try await token.token() } }
        let config = RelayTransportConfig(
            relay: relay, sessionToken: sessionToken,
            observe: RelayObserveConfig(
                nodeKey: nodeKey, audience: audience, clientName: clientName, ttlSeconds: ttlSeconds),
            proof: ProofCredential(credential: credential, signer: signer))
        let isDormant = nodeKey == nil && !RelayOrigin.isLoopback(url)
        let way = try RelayWay(config, isDormant: isDormant) { warrants, admin in
            guard nodeKey != nil, let admin else { return warrants }
            return DelegatedTransport(warrants: warrants, admin: admin)
        }
        return MeroTransportClient(way)
    }
}
