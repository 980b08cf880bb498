import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cloud as an account's device sees it: where the account and its namespaces are hosted. Needs no login.
///
/// Every method throws `MeroError`, `AccountError` where it says so, and `CancellationError`. Nothing is repeated by itself.
/// Spec: 70, sections 2 to 7.
public struct CloudClient: Sendable {
    /// The cloud's API. The portal for people is another host.
    public static let defaultBaseURL = RelayOrigin.url("https://manager.cloud.calimero.network")
    /// What a person should do about a refusal to host, by the cloud's code.
    public static var haRefusalMessages: [String: String] { AccountError.haRefusalMessages }

    /// The API's origin.
    public var baseURL: URL { transport.baseURL }
    /// Who asks; nil asks without a proof where that is allowed.
    public let routingCredential: RoutingCredential?
    private let transport: CloudTransport

    /// - Parameters:
    ///   - baseURL: The cloud's address.
    ///   - routingCredential: With what the device shows whose relays it asks for; nil asks for nothing that needs it.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - timeout: Seconds without progress before a request fails; as a whole it may take three times as long.
    ///   - options: Limits and trust. The cloud is no node: sealing plays no part.
    public init(
        baseURL: URL = CloudClient.defaultBaseURL, routingCredential: RoutingCredential? = nil,
        session: URLSession? = nil, timeout: TimeInterval = 10, options: HttpOptions = HttpOptions()
    ) {
        self.init(
            baseURL: baseURL, routingCredential: routingCredential,
            engine: EngineChoice.carrier(session: session, options: options), timeout: timeout, options: options)
    }

    init(
        baseURL: URL, routingCredential: RoutingCredential?, engine: any HttpEngine, timeout: TimeInterval = 10,
        options: HttpOptions = HttpOptions()
    ) {
        self.routingCredential = routingCredential
        transport = CloudTransport(baseURL: baseURL, engine: engine, timeout: timeout, options: options)
    }

    // MARK: Proofs

    /// The signature over a challenge, in base64. Throws `AccountError.invalidInput`.
    public static func signRoutingChallenge(nonce: String, deviceSecret: Data) throws -> String {
        try Ed25519.sign(seed: deviceSecret, message: CloudProof.routingRead.message(nonce: nonce))
            .base64EncodedString()
    }

    /// The same with a signer. Throws also what the signer throws.
    public static func signRoutingChallenge(nonce: String, signer: any DeviceSigner) async throws -> String {
        try await signer.checkedSignature(over: CloudProof.routingRead.message(nonce: nonce)).base64EncodedString()
    }

    /// The headers that prove who reads. Throws `AccountError.invalidInput`, also for a credential whose signer keeps the
    /// seed: the client asks that one itself.
    public static func routingProofHeaders(
        challenge: RoutingChallenge, credential: RoutingCredential
    ) throws -> [String: String] {
        headers(
            challenge, credential,
            try signRoutingChallenge(nonce: challenge.nonce, deviceSecret: credential.deviceSecret))
    }

    /// The same, for a credential with a signer as well.
    static func proofHeaders(
        _ challenge: RoutingChallenge, _ credential: RoutingCredential
    ) async throws -> [String: String] {
        headers(
            challenge, credential,
            try await credential.signature(over: CloudProof.routingRead.message(nonce: challenge.nonce)))
    }

    private static func headers(
        _ challenge: RoutingChallenge, _ credential: RoutingCredential, _ signature: String
    ) -> [String: String] {
        [
            "X-Calimero-Credential": credential.credential, "X-Calimero-Nonce": challenge.nonce,
            "X-Calimero-Signature": signature,
        ]
    }

    // MARK: Relays of an account

    /// A challenge for `getAccountRelays`.
    public func getAccountRelaysChallenge(_ accountId: String) async throws -> RoutingChallenge {
        let answer = try await get(CloudEndpoints.accountChallenge, accountId)
        return Self.challenge(answer, boundTo: answer.text("account_id") ?? accountId)
    }

    /// The relays that the cloud has for the account, also those that are out of reach. None is an answer, too.
    ///
    /// Throws `AccountError.notSignedIn` without a routing credential.
    public func getAccountRelays(_ accountId: String) async throws -> [CloudAccountRelay] {
        guard let routingCredential else {
            throw AccountError.notSignedIn("reading an account's relays needs a routing credential")
        }
        let challenge = try await getAccountRelaysChallenge(accountId)
        let proof = try await Self.proofHeaders(challenge, routingCredential)
        let answer = try await get(CloudEndpoints.accountRelays, accountId, proof)
        return try answer.rows("relays").map(CloudAccountRelay.init)
    }

    /// The relay to use: one that was heard of lately, else one with an address, else none.
    public static func chooseRelay(_ relays: [CloudAccountRelay]) -> RelayChoice {
        let reachable = relays.filter { $0.relayUrl?.isEmpty == false }
        if let best = reachable.first(where: \.fresh) {
            return RelayChoice(relayUrl: best.relayUrl, executorAccount: best.executorAccount, note: nil)
        }
        if let stale = reachable.first {
            return RelayChoice(
                relayUrl: stale.relayUrl, executorAccount: stale.executorAccount,
                note: "The relay's heartbeat has lapsed: it was not heard of lately and may not answer.")
        }
        if !relays.isEmpty {
            return RelayChoice(
                relayUrl: nil, executorAccount: nil,
                note: "\(relays.count) relay(s) are assigned to this account, but none has an address yet.")
        }
        return RelayChoice(
            relayUrl: nil, executorAccount: nil,
            note: "A new account belongs to nothing yet: redeeming an invitation gives it a relay.")
    }

    // MARK: Nodes of a namespace

    /// A challenge for `getNamespaceRouting`.
    public func getRoutingChallenge(_ namespaceId: String) async throws -> RoutingChallenge {
        let answer = try await get(CloudEndpoints.namespaceChallenge, namespaceId)
        return Self.challenge(answer, boundTo: answer.text("namespace_id") ?? namespaceId)
    }

    /// The nodes that serve a namespace. Without a routing credential the read goes out unproven.
    public func getNamespaceRouting(_ namespaceId: String) async throws -> CloudNamespaceRouting {
        var proof: [String: String] = [:]
        if let routingCredential {
            let challenge = try await getRoutingChallenge(namespaceId)
            proof = try await Self.proofHeaders(challenge, routingCredential)
        }
        let answer = try await get(CloudEndpoints.namespaceAdmitters, namespaceId, proof)
        return CloudNamespaceRouting(
            namespaceId: answer.text("namespace_id") ?? namespaceId,
            nodes: try answer.rows("admitters").map(CloudNamespaceNode.init), servable: answer.flag("servable"),
            writable: answer.flag("writable"))
    }

    /// The first node that can admit and is among the admitters; any that can admit when the list is empty.
    public func findAdmitter(_ namespaceId: String, admitters: [String] = []) async throws -> CloudNamespaceNode? {
        let wanted = Set(admitters.map { $0.lowercased() })
        return try await getNamespaceRouting(namespaceId).nodes.first { node in
            node.canAdmit && (wanted.isEmpty || node.account.map { wanted.contains($0.lowercased()) } ?? false)
        }
    }

    // MARK: Hosting

    /// Has a namespace hosted that the account founded. The cloud's answer comes back as it is.
    ///
    /// Throws `AccountError.haRefused` when the cloud says why it will not, `.invalidInput` for what cannot be claimed.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - salt: That the namespace was founded with.
    ///   - accountId: The account, 64 hex characters.
    ///   - credential: The device's certificate, in hex.
    ///   - keys: The device's keys.
    ///   - relayURL: The relay that founded it.
    ///   - ttlMs: How long the claim is valid: 1…300,000 milliseconds.
    @discardableResult
    public func enableHaAsAccount(
        namespaceId: String, salt: String, accountId: String, credential: String, keys: DeviceKeys,
        relayURL: String? = nil, ttlMs: Int64 = AccountHaClaim.defaultTTLMs
    ) async throws -> JSONValue {
        try await enableHaAsAccount(
            namespaceId: namespaceId, salt: salt, accountId: accountId, credential: credential, signer: keys,
            relayURL: relayURL, ttlMs: ttlMs)
    }

    /// The same with a signer.
    @discardableResult
    public func enableHaAsAccount(
        namespaceId: String, salt: String, accountId: String, credential: String, signer: any DeviceSigner,
        relayURL: String? = nil, ttlMs: Int64 = AccountHaClaim.defaultTTLMs
    ) async throws -> JSONValue {
        let proof = try await AccountHaClaim.sign(
            namespaceId: namespaceId, accountId: accountId, salt: salt, credential: credential, signer: signer,
            relayURL: relayURL, ttlMs: ttlMs)
        let request = try CloudEndpoints.enableHaAsAccount.request(
            [accountId.lowercased(), namespaceId.lowercased()],
            body: .encoding(["ownership_proof": proof.json] as JSONValue))
        do {
            return try await transport.send(request)
        } catch MeroError.http(let answer) {
            throw CloudRefusal.hosting(answer)
        }
    }

    // MARK: Parts

    private static func challenge(_ answer: JSONValue, boundTo: String) -> RoutingChallenge {
        RoutingChallenge(
            boundTo: boundTo, nonce: answer["nonce"]?.stringValue ?? "",
            expiresAtMs: answer.integer("expires_at_ms") ?? 0)
    }

    private func get(
        _ endpoint: Endpoint<JSONValue>, _ id: String, _ headers: [String: String] = [:]
    ) async throws -> JSONValue {
        try await transport.send(endpoint.request([id]), headers: headers)
    }
}
