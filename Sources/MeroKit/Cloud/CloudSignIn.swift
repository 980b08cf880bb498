import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Signs an account in on this device by way of the wallet, and connects it to its relay.
///
/// ```swift
/// let signIn = CloudSignIn.keychain()                                  // Apple; elsewhere `.files(directory:)`
/// let page = try await signIn.beginEnrolment(callbackURL: "https://app.example/enrol")
/// // … open the page; later, with the URL that it navigated to:
/// let session = try await signIn.completeEnrolment(callbackURL: returned)
/// let connection = await signIn.connect(session)
/// ```
///
/// A new account belongs to nothing and has no relay: it is signed in all the same, and `join` gives it one. The wait for
/// the wallet survives the app being ended, where the stores do. Errors: `AccountError`, `MeroError`, and
/// `CancellationError`. Spec: 70, sections 6.1 and 8.
public actor CloudSignIn {
    /// How it is set up.
    public nonisolated let config: CloudConfig
    let nonces: any WarrantNonceStore
    let urlSession: URLSession?
    let clock: RelayClock
    let keyStore: AnyValueStore<DeviceKeys>
    let sessionStore: AnyValueStore<CloudSession>
    let pendingStore: AnyValueStore<PendingEnrolment>
    let tokenStore: any TokenStore
    let acceptsUnsolicitedCallbacks: Bool
    /// Told when a relay has ended the account's session there, so that somebody connects anew.
    nonisolated let onReadsEnded = Locked<(@Sendable () async -> Void)?>(nil)
    /// Grows whenever an account is signed in or out: what began before must not change what is stored now.
    var generation = 0
    /// Relays that are being connected to, by whose tokens it is about.
    var openings: [RelayTokenOwner: SingleFlight<RelayReads>] = [:]
    /// The place that the live client of the session's relay has in the store, and that client.
    var tokens: (owner: RelayTokenOwner, store: DetachableTokenStore, mero: Mero?)?

    /// - Parameters:
    ///   - config: Addresses of the wallet and the cloud, and how they are spoken to.
    ///   - keyStore: The device's keys. They are made on first use and outlive a sign-out.
    ///   - sessionStore: The account's session.
    ///   - tokenStore: The tokens of the relay.
    ///   - nonces: The device's own, kept across restarts.
    ///   - urlSession: Nil takes the platform's default HTTP stack.
    ///   - pendingStore: The wait for the wallet. Give one that outlives the process.
    ///   - acceptsUnsolicitedCallbacks: Whether an answer is taken that nobody waits for. It may then be one that
    ///     somebody else has prepared.
    public init(
        config: CloudConfig = CloudConfig(), keyStore: AnyValueStore<DeviceKeys>,
        sessionStore: AnyValueStore<CloudSession>, tokenStore: any TokenStore = MemoryTokenStore(),
        nonces: any WarrantNonceStore = UserDefaultsWarrantNonceStore(), urlSession: URLSession? = nil,
        pendingStore: AnyValueStore<PendingEnrolment> = .memory(), acceptsUnsolicitedCallbacks: Bool = false
    ) {
        self.init(
            config: config, keyStore: keyStore, sessionStore: sessionStore, tokenStore: tokenStore, nonces: nonces,
            urlSession: urlSession, pendingStore: pendingStore,
            acceptsUnsolicitedCallbacks: acceptsUnsolicitedCallbacks, clock: RelayClock())
    }

    init(
        config: CloudConfig, keyStore: AnyValueStore<DeviceKeys>, sessionStore: AnyValueStore<CloudSession>,
        tokenStore: any TokenStore, nonces: any WarrantNonceStore, urlSession: URLSession? = nil,
        pendingStore: AnyValueStore<PendingEnrolment> = .memory(), acceptsUnsolicitedCallbacks: Bool = false,
        clock: RelayClock
    ) {
        self.config = config
        self.keyStore = keyStore
        self.sessionStore = sessionStore
        self.tokenStore = tokenStore
        self.nonces = nonces
        self.urlSession = urlSession
        self.pendingStore = pendingStore
        self.acceptsUnsolicitedCallbacks = acceptsUnsolicitedCallbacks
        self.clock = clock
    }

    // MARK: - The device and its session

    /// The device's keys, made now if there are none.
    public func deviceKeys() -> DeviceKeys { DeviceKeys.loadOrCreate(in: keyStore) }

    /// The stored session; nil when nobody is signed in. Nothing is sent.
    public func restoreSession() -> CloudSession? { sessionStore.load() }

    /// The cloud as the account that is signed in. Throws `AccountError.notSignedIn`.
    public func cloudClient() throws -> CloudClient { cloudClient(of: try signedIn()) }

    // MARK: - Enrolment

    /// The URL of the wallet's page for this device. From now on, for ten minutes, an answer is waited for; one that was
    /// waited for before is not any more.
    ///
    /// Throws `AccountError.invalidInput` for a callback that cannot be returned to, and `SecureValueStoreError` when the
    /// device's keys cannot be read or stored.
    ///
    /// - Parameter callbackURL: Where the page returns to: absolute, without a fragment. The hosted wallet takes `https`
    ///   ones only, for the time being.
    public func beginEnrolment(callbackURL: String) throws -> URL {
        // The wallet must not certify keys that die with the process.
        let keys = try DeviceKeys.stored(in: keyStore)
        let state = DeviceEnrolment.makeState()
        let url = try DeviceEnrolment.url(
            walletURL: config.walletURL, devicePublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey,
            callbackURL: callbackURL, state: state)
        pendingStore.save(PendingEnrolment(state: state, startedAt: clock.now()))
        return url
    }

    /// Signs in with the URL that the wallet's page navigated to.
    ///
    /// Throws `AccountError.protocolViolation` when it carries no answer, `.enrolmentDeclined` when the wallet said no, and
    /// what `completeEnrolment(_:)` throws.
    @discardableResult
    public func completeEnrolment(callbackURL: URL) async throws -> CloudSession {
        guard let callback = try DeviceEnrolment.readCallback(callbackURL) else {
            throw AccountError.protocolViolation("the wallet returned no credential")
        }
        return try await completeEnrolment(callback)
    }

    /// Signs in with the wallet's answer, and asks the cloud for a relay. A cloud that cannot be asked is told in the
    /// session's note; `refreshRelay` asks again.
    ///
    /// Throws `AccountError.stateMismatch` when no answer, or another one, is waited for, and `.credentialRejected` when the
    /// answer does not hold. Nothing is stored or sent then, and the right answer can still come. When cancelled, whoever was
    /// signed in before still is.
    @discardableResult
    public func completeEnrolment(_ callback: EnrolmentCallback) async throws -> CloudSession {
        let pending = pendingStore.load().flatMap { $0.isAlive(at: clock.now()) ? $0 : nil }
        guard pending != nil || acceptsUnsolicitedCallbacks else { throw AccountError.stateMismatch }
        let enrolled = try DeviceEnrolment.completeEnrolment(
            callback, keys: deviceKeys(), expectState: pending?.state)
        var session = CloudSession(
            account: enrolled.account, device: enrolled.device, credential: enrolled.credential,
            note: Self.unasked + "it has not answered yet")
        // Before the cloud is asked: should the app end meanwhile, the person is signed in all the same.
        let before = sessionStore.load()
        generation += 1
        let mine = generation
        save(session)
        pendingStore.clear()
        do {
            let relays = try await cloudClient(of: session).getAccountRelays(session.account)
            session = session.choosing(CloudClient.chooseRelay(relays))
        } catch let error as CancellationError {
            // Given up: nobody was told of this session.
            if mine == generation { await revert(to: before, ifCurrent: session) }
            throw error
        } catch {
            session.note = Self.unasked + error.localizedDescription
        }
        try check(mine)
        save(session)
        return session
    }

    private static let unasked = "Signed in, but the Cloud manager could not be asked for a relay: "

    // MARK: - The relay

    /// Asks the cloud anew which relay to go by. When it has none, the relay stays; the note is replaced in any case.
    ///
    /// Throws `AccountError.notSignedIn`, and what the cloud throws; nothing changes then.
    @discardableResult
    public func refreshRelay() async throws -> CloudSession {
        let asked = try signedIn()
        let mine = generation
        let relays = try await cloudClient(of: asked).getAccountRelays(asked.account)
        try check(mine)
        let session = try signedIn().choosing(CloudClient.chooseRelay(relays))
        save(session)
        return session
    }

    /// Connects a session to its relay. Never throws: what is missing is nil in the connection, and `readNote` says why.
    ///
    /// Writes work wherever there is a relay. For reads and events the relay attests its key, and the device logs in, unless
    /// the stored tokens still hold. All who connect one session at the same time share that, and the clients that come of
    /// it.
    public func connect(_ session: CloudSession) async -> CloudConnection {
        guard let relayUrl = session.relayUrl, let owner = session.tokenOwner else {
            return CloudConnection(session: session, readNote: session.note)
        }
        let keys = deviceKeys()
        let opening = openings[owner] ?? SingleFlight<RelayReads>()
        openings[owner] = opening
        let reads: Result<RelayReads, any Error>
        do {
            reads = .success(try await opening.value { try await self.open(session, relayUrl, owner, keys) }.value)
        } catch {
            reads = .failure(error)
        }
        let mero = (try? reads.get())?.mero
        let relay = RelayClient(
            relayURL: relayUrl, authorAccount: session.account, authorProof: session.credential, keys: keys,
            nonces: nonces, executorAccount: session.executorAccount, ttlSeconds: config.warrantTTLSeconds,
            tokenProvider: { await mero?.currentTokenData()?.accessToken }, session: urlSession,
            timeout: config.timeout ?? 15, options: config.relayOptions)
        switch reads {
        case .success(let reads):
            return CloudConnection(session: session, relay: relay, mero: reads.mero, nodeKey: reads.nodeKey)
        case .failure(let error):
            return CloudConnection(
                session: session, relay: relay,
                readNote: "Writes work; reads and live events are off until the relay's session is established: "
                    + (error is CancellationError ? "connecting was cancelled" : error.localizedDescription))
        }
    }

    /// What reads take.
    struct RelayReads: Sendable {
        let mero: Mero
        let nodeKey: String
    }

    private func open(
        _ session: CloudSession, _ relayUrl: String, _ owner: RelayTokenOwner, _ keys: DeviceKeys
    ) async throws -> RelayReads {
        let mine = generation
        let base = try RelayOrigin.base(relayUrl)
        async let ended: Void = logout(takeLeftovers(of: owner))
        let attested: Result<String, any Error>
        do {
            attested = .success(
                try await RelayNodeKey.attest(
                    relayURL: relayUrl, verifier: config.relayKeyVerifier, session: urlSession,
                    timeout: config.timeout ?? 15, options: config.relayOptions))
        } catch {
            attested = .failure(error)
        }
        // In any case: those tokens are nowhere any more, so that nobody else would end that session.
        await ended
        let nodeKey = try attested.get()
        try check(mine)
        let store = place(of: owner)
        if let stored = store.getTokens(), await isValid(stored.accessToken, at: base) {
            try check(mine)
            let mero = mero(base, session, owner, store)
            // The relay can have changed meanwhile, and the store is not read any more.
            if await mero.currentTokenData() == nil { await mero.setTokenData(stored) }
            return RelayReads(mero: mero, nodeKey: nodeKey)
        }
        let login = try await RelayLogin.login(
            relayURL: relayUrl, nodeKey: nodeKey, credential: session.credential, keys: keys,
            audience: config.audience, clientName: config.clientName, session: urlSession,
            timeout: config.timeout ?? 10, options: config.relayOptions)
        guard mine == generation else {
            // Signed out meanwhile: what the relay has just granted is given back.
            await logout([HeldTokens(relayUrl: relayUrl, refreshToken: login.refreshToken)])
            throw Self.overtaken
        }
        store.setTokens(login)
        let mero = mero(base, session, owner, store)
        await mero.setTokenData(login)
        return RelayReads(mero: mero, nodeKey: nodeKey)
    }

    private func isValid(_ token: String, at base: URL) async -> Bool {
        let http = URLSessionHttpClient(
            baseURL: base, timeout: config.timeout ?? 10, session: urlSession, retryPolicy: .never,
            options: config.relayOptions)
        return await AuthApi(http: http).validateToken(token).valid
    }

    /// One client for all connections to a relay: two could spend one refresh token, which ends the session.
    private func mero(_ base: URL, _ session: CloudSession, _ owner: RelayTokenOwner, _ store: DetachableTokenStore)
        -> Mero
    {
        if let tokens, tokens.store === store, let mero = tokens.mero { return mero }
        var config = MeroConfig(
            baseURL: base, timeout: config.timeout ?? 10, tokenStore: store, cloud: cloudClient(of: session),
            httpOptions: config.relayOptions)
        config.onAuthRevoked = { [onReadsEnded] _ in
            guard let told = onReadsEnded.withLock({ $0 }) else { return }
            // Not waited for by the call that brought the news.
            Task { await told() }
        }
        let mero = urlSession.map { Mero(config: config, session: $0) } ?? Mero(config: config)
        if tokens?.store === store { tokens = (owner, store, mero) }
        return mero
    }

    // MARK: - Signing out

    /// Forgets the session, its tokens and a wait for the wallet, and ends the session at the relay that gave the tokens, as
    /// far as that can be reached. The device's keys stay, so that the same device can sign in again, unless `forgetDevice` is true.
    public func signOut(forgetDevice: Bool = false) async {
        let held = heldTokens(of: sessionStore.load())
        generation += 1
        dropTokens()
        sessionStore.clear()
        pendingStore.clear()
        if forgetDevice { keyStore.clear() }
        await logout(held)
    }
}
