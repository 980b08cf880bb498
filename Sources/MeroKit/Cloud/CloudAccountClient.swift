import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The cloud as its user sees it: namespaces, machines, hosting, and the accounts that belong to the login.
///
/// A phone that acts for an account needs none of it: see `CloudClient` and `CloudSignIn`.
///
/// ```swift
/// let cloud = CloudAccountClient(sessionToken: stored) { session in save(session?.sessionToken) }
/// for namespace in try await cloud.getMyNamespaces() { print(namespace.namespaceId, namespace.haStatus) }
/// ```
///
/// The cloud replaces the session's token on the way; the client follows and tells `onSession`. Every call throws
/// `MeroError`, `AccountError.notSignedIn` where a session is needed and none is held (nothing is sent then),
/// `AccountError.invalidInput` for arguments that cannot be used, and `CancellationError`. Nothing is repeated by itself.
/// Spec: 70, sections 2, 3 and 9.
public actor CloudAccountClient {
    /// The session, if somebody is signed in.
    public private(set) var currentSession: CloudLoginSession?
    /// Grows whenever a session begins or ends: an answer from before must not change the one that is held now.
    private var generation = 0
    private let transport: CloudTransport
    private let notifier: CloudSessionNotifier?

    /// - Parameters:
    ///   - baseURL: The API's origin.
    ///   - sessionToken: From an earlier run.
    ///   - onSession: Told the session after each change, in order, and nil once it is over. Never waited for.
    ///   - session: Nil takes the platform's default HTTP stack.
    ///   - timeout: Seconds without progress before a request fails; as a whole it may take three times as long.
    ///   - options: Limits and trust. The cloud is no node: sealing plays no part.
    public init(
        baseURL: URL = CloudClient.defaultBaseURL, sessionToken: String? = nil,
        onSession: (@Sendable (CloudLoginSession?) async -> Void)? = nil, session: URLSession? = nil,
        timeout: TimeInterval = 10, options: HttpOptions = HttpOptions()
    ) {
        self.init(
            baseURL: baseURL, sessionToken: sessionToken, onSession: onSession,
            engine: EngineChoice.carrier(session: session, options: options), timeout: timeout, options: options)
    }

    init(
        baseURL: URL, sessionToken: String? = nil, onSession: (@Sendable (CloudLoginSession?) async -> Void)? = nil,
        engine: any HttpEngine, timeout: TimeInterval = 10, options: HttpOptions = HttpOptions()
    ) {
        transport = CloudTransport(baseURL: baseURL, engine: engine, timeout: timeout, options: options)
        notifier = onSession.map(CloudSessionNotifier.init)
        if let sessionToken, !sessionToken.isBlank {
            currentSession = CloudLoginSession(sessionToken: sessionToken, expiresAt: 0, user: CloudUser(email: ""))
        }
    }

    /// The API's origin.
    public nonisolated var baseURL: URL { transport.baseURL }

    /// Whether a session is held. Says nothing about its expiry: the cloud judges.
    public var isSignedIn: Bool { currentSession != nil }

    // MARK: - Signing in

    /// Signs in with an ID token of Google's, which the app has obtained.
    @discardableResult
    public func signInWithGoogle(idToken: String) async throws -> CloudLoginSession {
        guard !idToken.isBlank else { throw AccountError.invalidInput("idToken is empty") }
        return try await begin(CloudEndpoints.google, body: ["id_token": .string(idToken)])
    }

    /// A challenge for `submitAccountLogin`, good for about two minutes.
    public func getAccountLoginChallenge() async throws -> CloudChallenge {
        try CloudChallenge(try await anonymous(CloudEndpoints.accountLoginChallenge))
    }

    /// Signs in with an account that is linked to a cloud user.
    ///
    /// A 403 (`MeroError.http`) means a signature or challenge that does not hold, or an account that no user has linked.
    @discardableResult
    public func submitAccountLogin(_ proof: AccountRootProof) async throws -> CloudLoginSession {
        let key = Hex.encode(try Hex.id(proof.rootPublicKey, "rootPublicKey"))
        return try await begin(
            CloudEndpoints.accountLogin,
            body: [
                "root_public_key": .string(key), "nonce": .string(proof.nonce), "signature": .string(proof.signature),
            ])
    }

    /// Signs in with an account: a challenge, and the root's answer to it.
    @discardableResult
    public func signInWithAccount(root: AccountRoot) async throws -> CloudLoginSession {
        let challenge = try await getAccountLoginChallenge()
        return try await submitAccountLogin(.loginProof(nonce: challenge.nonce, root: root))
    }

    /// Has the session renewed. Rarely needed: the cloud does it by itself while the session is used.
    @discardableResult
    public func refreshSession() async throws -> CloudLoginSession {
        let held = try heldSession()
        let mine = generation
        let answer = try await send(CloudEndpoints.refresh.request(), as: held)
        return try adopt(answer, since: mine)
    }

    /// Signs out: the session is gone here at once, and `onSession` is told nil.
    ///
    /// The cloud is told as well if a session was held; what goes wrong there is thrown, after the session is gone.
    public func signOut() async throws {
        let held = currentSession
        currentSession = nil
        generation += 1
        notifier?.tell(nil)
        guard let held else { return }
        _ = try await transport.exchange(CloudEndpoints.logout.request(), bearer: held.sessionToken).result.get()
    }

    // MARK: - Reads

    /// The namespaces of the user.
    public func getMyNamespaces() async throws -> [CloudNamespace] {
        let answer = try await authorized(CloudEndpoints.myNamespaces)
        guard let rows = answer.arrayValue else { throw MeroError.decoding("the cloud's answer is no list") }
        return rows.map(CloudNamespace.init)
    }

    /// The relays of a namespace of the user's, none is an answer, too. A namespace of somebody else's is a 404.
    public func getNamespaceRelays(_ namespaceId: String) async throws -> [CloudNamespaceRelay] {
        try await authorized(CloudEndpoints.namespaceRelays, [namespaceId]).rows("relays").map(
            CloudNamespaceRelay.init)
    }

    /// The first relay that runs writes in the namespace and can be reached; nil when there is none.
    public func findExecutingRelay(_ namespaceId: String) async throws -> CloudNamespaceRelay? {
        try await getNamespaceRelays(namespaceId).firstExecuting
    }

    /// The machines that serve namespaces of the user's.
    public func getMyMachines() async throws -> [CloudMachine] {
        try await authorized(CloudEndpoints.myMachines).rows("machines").map(CloudMachine.init)
    }

    /// The accounts that belong to the user, and how many may; nil for no limit.
    public func getMyAccounts() async throws -> (accounts: [CloudLinkedAccount], limit: Int?) {
        let answer = try await authorized(CloudEndpoints.myAccounts)
        return (try answer.rows("accounts").map(CloudLinkedAccount.init), answer["limit"]?.intValue)
    }

    // MARK: - Linking accounts

    /// A challenge for `submitAccountLink`.
    public func getAccountLinkChallenge() async throws -> CloudChallenge {
        try CloudChallenge(try await authorized(CloudEndpoints.accountLinkChallenge))
    }

    /// Links an account to the user.
    ///
    /// `MeroError.http`: 403 for a challenge that is spent, or a key that is another account's; 409 for an account of
    /// another user; 402 when the user's plan allows no more.
    @discardableResult
    public func submitAccountLink(accountId: String, proof: AccountRootProof) async throws -> CloudAccountLink {
        let account = Hex.encode(try Hex.id(accountId, "accountId"))
        let key = Hex.encode(try Hex.id(proof.rootPublicKey, "rootPublicKey"))
        let answer = try await authorized(
            CloudEndpoints.linkAccount,
            body: [
                "account_id": .string(account), "root_public_key": .string(key), "nonce": .string(proof.nonce),
                "signature": .string(proof.signature),
            ])
        return CloudAccountLink(answer, asked: account)
    }

    /// Links the root's account to the user: a challenge, and the root's answer to it.
    @discardableResult
    public func linkAccount(root: AccountRoot) async throws -> CloudAccountLink {
        let challenge = try await getAccountLinkChallenge()
        return try await submitAccountLink(
            accountId: root.accountId, proof: .linkProof(nonce: challenge.nonce, root: root))
    }

    /// Links the root's account to the user who gave the grant at the portal. Needs no session. See `AccountLink`.
    ///
    /// A grant is good once, for five minutes, for one account. Refusals are those of `submitAccountLink`.
    @discardableResult
    public func linkAccountWithGrant(_ grant: String, root: AccountRoot) async throws -> CloudAccountLink {
        guard !grant.isEmpty else { throw AccountError.invalidInput("the grant is empty") }
        let proof = try AccountRootProof.linkProof(nonce: grant, root: root)
        let answer = try await anonymous(
            CloudEndpoints.linkWithGrant,
            body: [
                "grant": .string(grant), "root_public_key": .string(proof.rootPublicKey),
                "signature": .string(proof.signature),
            ])
        return CloudAccountLink(answer, asked: root.accountId)
    }

    /// Links the root's account with what the portal came back with.
    ///
    /// Throws `AccountError.invalidInput` when it came back with another account than the root's; nothing is sent then.
    @discardableResult
    public func completeAccountLink(_ callback: AccountLinkCallback, root: AccountRoot) async throws -> CloudAccountLink
    {
        let account = callback.account.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard account == root.accountId else {
            throw AccountError.invalidInput(
                "the cloud's grant is for account \(account), but the root's account is \(root.accountId)")
        }
        return try await linkAccountWithGrant(callback.grant, root: root)
    }

    // MARK: - Owning and hosting namespaces

    /// Makes a namespace the user's.
    ///
    /// `MeroError.http`: 409 when it is another user's, 403 for a proof that was used before.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - ownershipProof: The node's answer to `issueNamespaceOwnershipProof`, as it came.
    @discardableResult
    public func claimNamespace(_ namespaceId: String, ownershipProof: JSONValue) async throws -> JSONValue {
        let namespace = Hex.encode(try Hex.id(namespaceId, "namespaceId"))
        guard case .object = ownershipProof else {
            throw AccountError.invalidInput("the ownership proof must be the object that the node answered")
        }
        return try await authorized(
            CloudEndpoints.claimNamespace,
            body: ["namespace_id": .string(namespace), "ownership_proof": ownershipProof])
    }

    /// Has a namespace of the user's hosted.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - admitterAddrs: Where its admitters are reached, see `admitterAddrs(networkStatus:)`. Nil keeps what the
    ///     cloud holds, a list replaces it.
    @discardableResult
    public func enableNamespaceHa(
        _ namespaceId: String, admitterAddrs: [String]? = nil
    ) async throws -> JSONValue {
        var body: [String: JSONValue] = [:]
        if let admitterAddrs { body["admitter_addrs"] = .array(admitterAddrs.map(JSONValue.string)) }
        return try await authorized(CloudEndpoints.enableHa, [namespaceId], body: .object(body))
    }

    /// Has a namespace hosted that one of the user's accounts founded.
    ///
    /// Throws `AccountError.haRefused` when the cloud says why it will not.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - ownershipProof: Of `AccountHaClaim.sign(…subject:…)`, with the login's e-mail address.
    @discardableResult
    public func enableFoundedNamespaceHa(
        _ namespaceId: String, ownershipProof: AccountOwnershipProof
    ) async throws -> JSONValue {
        do {
            return try await authorized(
                CloudEndpoints.enableFoundedHa, [namespaceId],
                body: ["groups": [], "ownership_proof": ownershipProof.json])
        } catch MeroError.http(let answer) {
            throw CloudRefusal.hosting(answer)
        }
    }

    /// Ends the hosting of a namespace: the cloud's nodes leave it **and delete** its data and keys.
    @discardableResult
    public func disableNamespaceHa(_ namespaceId: String) async throws -> JSONValue {
        try await authorized(CloudEndpoints.disableHa, [namespaceId], body: [:])
    }

    /// Where a node's admitters are reached, of its `getNetworkStatus()`: its external addresses, each with the node's id.
    ///
    /// Empty when the node does not know its id or its addresses. Spec: 70, section 3.4.
    public static func admitterAddrs(networkStatus: JSONValue) -> [String] {
        let status = networkStatus["data"]?.unlessNull ?? networkStatus
        guard let peerId = status.text("localPeerId"), let addresses = status["externalAddrs"]?.arrayValue else {
            return []
        }
        let suffix = "/p2p/\(peerId)"
        var seen: Set<String> = []
        return addresses.compactMap(\.stringValue).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
            .filter { $0.hasPrefix("/") }
            // One by way of another node names that node, too: only the end counts.
            .map { $0.hasSuffix(suffix) ? $0 : $0 + suffix }
            .filter { seen.insert($0).inserted }
    }

    // MARK: - Parts

    private func heldSession() throws -> CloudLoginSession {
        guard let currentSession else {
            throw AccountError.notSignedIn(
                "Not signed in to Calimero Cloud: call signInWithGoogle() or construct the client with a sessionToken")
        }
        return currentSession
    }

    private func authorized(
        _ endpoint: Endpoint<JSONValue>, _ ids: [String] = [], body: JSONValue? = nil
    ) async throws -> JSONValue {
        let held = try heldSession()
        return try await send(endpoint.request(ids, body: body.map(HttpBody.encoding)), as: held)
    }

    private func anonymous(_ endpoint: Endpoint<JSONValue>, body: JSONValue? = nil) async throws -> JSONValue {
        try await send(endpoint.request(body: body.map(HttpBody.encoding)), as: nil)
    }

    private func send(_ request: HttpRequest, as held: CloudLoginSession?) async throws -> JSONValue {
        let mine = generation
        let outcome = await transport.exchange(request, bearer: held?.sessionToken)
        // Before the answer is looked at: a refusal renews the session as well.
        if mine == generation, let current = currentSession, let token = outcome.headers["x-mdma-session-refresh"],
            !token.isBlank
        {
            hold(current.rolled(to: token, expires: outcome.headers["x-mdma-session-expires"]))
        }
        return try outcome.value()
    }

    private func begin(_ endpoint: Endpoint<JSONValue>, body: JSONValue) async throws -> CloudLoginSession {
        let mine = generation
        return try adopt(try await anonymous(endpoint, body: body), since: mine)
    }

    /// Takes over a session, unless another one began, or the person signed out, while this one was under way.
    private func adopt(_ answer: JSONValue, since mine: Int) throws -> CloudLoginSession {
        let session = try CloudLoginSession(answer)
        guard mine == generation else {
            throw AccountError.notSignedIn("signed out, or in anew, while this login was under way")
        }
        generation += 1
        hold(session)
        return session
    }

    private func hold(_ session: CloudLoginSession) {
        currentSession = session
        notifier?.tell(session)
    }
}

extension [CloudNamespaceRelay] {
    /// The first that runs writes and can be reached.
    var firstExecuting: CloudNamespaceRelay? {
        first { $0.canExecute && $0.relayUrl != nil && $0.executorAccount != nil }
    }
}

/// Tells sessions one after the other, without anybody waiting for it.
private final class CloudSessionNotifier: Sendable {
    private let sessions: AsyncStream<CloudLoginSession?>.Continuation

    init(_ tell: @escaping @Sendable (CloudLoginSession?) async -> Void) {
        let (stream, continuation) = AsyncStream.makeStream(of: CloudLoginSession?.self)
        sessions = continuation
        Task { for await session in stream { await tell(session) } }
    }

    /// What was told before is still delivered.
    deinit { sessions.finish() }

    func tell(_ session: CloudLoginSession?) { sessions.yield(session) }
}
