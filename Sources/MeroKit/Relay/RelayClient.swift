import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Acts for an account that has no node, through somebody else's node: a relay.
///
/// Each write is a warrant: the device signs that this relay may run this method with these arguments, once. Reads ask
/// as the account when `tokenProvider` has a session for it, and fall back to a warrant.
///
/// ```swift
/// let relay = RelayClient(
///     relayURL: "https://relay.example", authorAccount: account, authorProof: credential, keys: keys,
///     nonces: FileWarrantNonceStore(directory: folder))
/// let result = try await relay.execute(contextId: id, method: "set", argsJson: ["key": "colour", "value": "blue"])
/// ```
///
/// No write is ever sent twice by itself. When its answer is lost it is not known whether the method ran: the error is
/// thrown, and a second call would be a second write. Errors: `MeroError`; `AccountError.intentRefused` when the relay
/// takes no action on a warrant, `.invalidInput` for arguments that cannot be used (nothing is sent then),
/// `.protocolViolation` for a relay whose answer does not fit; `CancellationError`. Spec: 60, sections 2 to 5.
public struct RelayClient: Sendable {
    /// The relay's origin, without a slash at its end.
    public let relayURL: String
    /// The account that writes, 64 hex characters in lower case.
    public let authorAccount: String
    /// The device's certificate, in hex.
    public let authorProof: String
    /// The only account that may act as executor; nil takes whoever the relay says it is.
    public let executorAccount: String?
    /// How long a warrant is valid, in seconds.
    public let ttlSeconds: UInt64

    /// Signs as the device.
    let signer: any DeviceSigner
    let nonces: any WarrantNonceStore
    let tokenProvider: @Sendable () async -> String?
    let http: RelayHttp
    /// The caller's own, if there is one: what else is done at this relay goes the same way.
    let session: URLSession?
    let options: HttpOptions

    /// Signs with the device's keys.
    ///
    /// - Parameters:
    ///   - relayURL: The relay's origin, `http` or `https`, which may have a path.
    ///   - authorAccount: The account that writes, 64 hex characters.
    ///   - authorProof: The device's certificate, in hex.
    ///   - keys: The device's keys.
    ///   - nonces: Where the device's numbers are kept. All clients of one relay share a store.
    ///   - executorAccount: Set it to refuse a relay that says it is another.
    ///   - ttlSeconds: How long a warrant is valid.
    ///   - tokenProvider: A token of the account's session at the relay, for reads; nil while there is none.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - timeout: Seconds without progress before a request fails.
    ///   - rateLimitRetries: How often a request that was turned away with a 429 is sent again.
    ///   - options: Limits and trust of the HTTP stack.
    public init(
        relayURL: String, authorAccount: String, authorProof: String, keys: DeviceKeys,
        nonces: any WarrantNonceStore, executorAccount: String? = nil, ttlSeconds: UInt64 = 300,
        tokenProvider: @escaping @Sendable () async -> String? = { nil }, session: URLSession? = nil,
        timeout: TimeInterval = 15, rateLimitRetries: Int = 3, options: HttpOptions = HttpOptions()
    ) {
        self.init(
            relayURL: relayURL, authorAccount: authorAccount, authorProof: authorProof, signer: keys, nonces: nonces,
            executorAccount: executorAccount, ttlSeconds: ttlSeconds, tokenProvider: tokenProvider, session: session,
            timeout: timeout, rateLimitRetries: rateLimitRetries, options: options)
    }

    /// Signs with a signer; everything else is the same.
    public init(
        relayURL: String, authorAccount: String, authorProof: String, signer: any DeviceSigner,
        nonces: any WarrantNonceStore, executorAccount: String? = nil, ttlSeconds: UInt64 = 300,
        tokenProvider: @escaping @Sendable () async -> String? = { nil }, session: URLSession? = nil,
        timeout: TimeInterval = 15, rateLimitRetries: Int = 3, options: HttpOptions = HttpOptions()
    ) {
        self.init(
            relayURL: relayURL, authorAccount: authorAccount, authorProof: authorProof, signer: signer,
            nonces: nonces, executorAccount: executorAccount, ttlSeconds: ttlSeconds, tokenProvider: tokenProvider,
            session: session, timeout: timeout, rateLimitRetries: rateLimitRetries, options: options,
            engine: EngineChoice.engine(
                session: session, options: options, baseURL: RelayOrigin.url(RelayOrigin.trimmed(relayURL))))
    }

    init(
        relayURL: String, authorAccount: String, authorProof: String, signer: any DeviceSigner,
        nonces: any WarrantNonceStore, executorAccount: String? = nil, ttlSeconds: UInt64 = 300,
        tokenProvider: @escaping @Sendable () async -> String? = { nil }, session: URLSession? = nil,
        timeout: TimeInterval = 15, rateLimitRetries: Int = 3, options: HttpOptions = HttpOptions(),
        engine: any HttpEngine, clock: RelayClock = RelayClock()
    ) {
        self.relayURL = RelayOrigin.counted(relayURL)
        self.authorAccount = authorAccount.lowercased()
        self.authorProof = authorProof
        self.executorAccount = executorAccount?.lowercased()
        self.ttlSeconds = ttlSeconds
        self.signer = signer
        self.nonces = nonces
        self.tokenProvider = tokenProvider
        self.session = session
        self.options = options
        http = RelayHttp(
            client: URLSessionHttpClient(
                baseURL: RelayOrigin.url(self.relayURL), timeout: timeout, engine: engine, options: options),
            rateLimitRetries: rateLimitRetries, clock: clock)
    }

    /// What the relay says about itself in a context. Spec: 60, section 1.1.
    public func describe(_ contextId: String) async throws -> RelayDescription {
        try await refusable { try await http.send(AdminEndpoints.intentRelay.request([contextId])) }
    }

    /// The same in a group, for new contexts.
    ///
    /// - Parameters:
    ///   - groupId: The group, 64 hex characters.
    ///   - author: An account, to learn whether it may have contexts made.
    public func describeCreation(groupId: String, author: String? = nil) async throws -> CreationDescription {
        try await refusable {
            let query = author.map { [(name: "author", value: $0)] } ?? []
            return try await http.send(AdminEndpoints.contextIntentRelay.request([groupId], query: query))
        }
    }

    /// The same in a group, for changes to it.
    public func describeGovernance(groupId: String) async throws -> GovernanceDescription {
        try await refusable { try await http.send(AdminEndpoints.governanceIntentRelay.request([groupId])) }
    }

    private func refusable<T: Decodable>(_ send: () async throws -> Data) async throws -> T {
        let body: Data
        do {
            body = try await send()
        } catch {
            throw RelayRefusal.of(error)
        }
        return try RelayAnswer.decode(from: body)
    }
}

// MARK: - What every warrant needs

extension RelayClient {
    /// Checks an executor's account and key; both in lower case. Spec: 60, section 5.1.
    func checkedExecutor(account: String, key: String) throws -> RelayExecutor {
        guard Hex.is32(account) else {
            throw AccountError.protocolViolation("the relay named no executor account of 64 hex characters")
        }
        // An earlier build of the node printed the key in base58: 43 or 44 characters.
        let key = Hex.is32(key) ? key : Base58.decode(key, lengths: 43...44).map { Hex.encode($0) } ?? key
        guard Hex.is32(key) else {
            throw AccountError.protocolViolation(
                "the relay named no executor key of 64 hex characters: it runs an older release")
        }
        if let expected = executorAccount, expected != account.lowercased() {
            throw AccountError.protocolViolation(
                "the relay acts as \(account.lowercased()), not as \(expected): a warrant would be unspendable")
        }
        return RelayExecutor(executorAccount: account.lowercased(), executorKey: key.lowercased())
    }

    /// Refuses what no relay could take, before a number is drawn or anything is sent.
    func checkAuthor() throws {
        guard http.client.base.origin != nil else { throw RelayOrigin.unusable }
        _ = try Hex.id(authorAccount, "authorAccount")
        guard try !Hex.decodeUnsized(authorProof, label: "authorProof").isEmpty else {
            throw AccountError.invalidInput("authorProof is empty")
        }
        _ = try signer.signPublicKeyBytes
    }

    /// Until when a warrant signed now is valid, in Unix seconds.
    var expiry: UInt64 {
        let (sum, overflow) = http.clock.seconds.addingReportingOverflow(ttlSeconds)
        return overflow ? .max : sum
    }
}

/// A relay's URL as it is kept and compared.
enum RelayOrigin {
    /// Without slashes at its end.
    static func trimmed(_ url: String) -> String {
        var url = url.trimmingCharacters(in: .whitespacesAndNewlines)
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    /// The same with its scheme in lower case: a relay's numbers are counted by this text.
    static func counted(_ url: String) -> String {
        let url = trimmed(url)
        guard let end = url.range(of: "://")?.lowerBound else { return url }
        return url[..<end].lowercased() + url[end...]
    }

    static let unusable = AccountError.invalidInput("the relay's URL is no http or https URL, or has more than a path")

    /// A text that is no URL becomes one that every call refuses.
    static func url(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }

    /// A URL that paths can be put behind. Throws `AccountError.invalidInput` for what is none.
    static func base(_ text: String) throws -> URL {
        guard let url = URL(string: text), BaseURL(url).origin != nil else { throw unusable }
        return url
    }

    /// Throws `AccountError.invalidInput` for what is no `http` or `https` URL.
    static func checked(_ text: String) throws -> URL {
        guard let url = URL(string: text), RequestTarget(text) != nil else {
            throw AccountError.invalidInput("the relay's URL is no http or https URL")
        }
        return url
    }

    /// Whether a relay is on this machine: a rig of a developer's.
    static func isLoopback(_ url: String) -> Bool {
        guard let host = RequestTarget(url)?.origin.host else { return false }
        return ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
    }

    /// Scheme, host and port; nil for what is no URL.
    static func origin(of url: String) -> RequestTarget.Origin? { RequestTarget(trimmed(url))?.origin }
}
