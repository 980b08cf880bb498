import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Signs an app in to a node or as an account, keeps it signed in, and tells what to show meanwhile.
///
/// It has no user interface, so that it runs and is tested on every platform; `MeroClient` of MeroKitUI publishes it to
/// SwiftUI. Nothing here throws: a failure becomes `AppState.failure`.
///
/// ```swift
/// let session = AppSession()
/// await session.restore()
/// for await state in await session.states() { show(state) }
/// ```
/// Spec: 70, section 13.
public actor AppSession {
    /// How an app is set up.
    public struct Setup: Sendable {
        /// Where the tokens of a node go. Asked for a store whenever one is needed; all have to be the same place.
        public var tokenStore: @Sendable () -> any TokenStore
        /// The sign-in as an account.
        public var cloud: CloudSignIn
        /// Shows the wallet's page.
        public var webAuthenticator: any WebAuthenticating
        /// What the app remembers about itself; give one that outlives the process.
        public var memory: AnyValueStore<AppMemory>
        /// The invitation that waits for an answer.
        public var invitations: PendingInvitationStore
        /// The app's package id: links to other apps are not taken.
        public var packageId: String?
        /// Nodes that a hosted login may come back from, besides the one it was begun with.
        public var allowedNodeURLs: [String]
        /// Nil takes the platform's default HTTP stack.
        public var urlSession: URLSession?
        /// Seconds in the background after which event streams are closed. A short stay closes nothing.
        public var suspensionDelay: TimeInterval
        /// How nodes are spoken to: limits, trust, and `Sealing.node` to seal what they are sent. The relays of accounts go by
        /// the options of `cloud`.
        public var httpOptions: HttpOptions

        /// Keeps everything in memory unless told otherwise.
        public init(
            tokenStore: (@Sendable () -> any TokenStore)? = nil, cloud: CloudSignIn? = nil,
            webAuthenticator: (any WebAuthenticating)? = nil, memory: AnyValueStore<AppMemory> = .memory(),
            invitations: PendingInvitationStore = PendingInvitationStore(), packageId: String? = nil,
            allowedNodeURLs: [String] = [], urlSession: URLSession? = nil, suspensionDelay: TimeInterval = 5,
            httpOptions: HttpOptions = HttpOptions()
        ) {
            let shared = MemoryTokenStore()
            self.tokenStore = tokenStore ?? { shared }
            self.cloud = cloud ?? CloudSignIn(keyStore: .memory(), sessionStore: .memory(), urlSession: urlSession)
            self.webAuthenticator = webAuthenticator ?? NoWebAuthenticator()
            self.memory = memory
            self.invitations = invitations
            self.packageId = packageId
            self.allowedNodeURLs = allowedNodeURLs
            self.urlSession = urlSession
            self.suspensionDelay = suspensionDelay
            self.httpOptions = httpOptions
        }
    }

    /// How it is set up.
    public nonisolated let setup: Setup
    var machine = AppMachine() {
        didSet {
            guard machine.state != oldValue.state else { return }
            for observer in observers.values { observer.yield(machine.state) }
        }
    }
    /// The clients of the sessions that have not ended, by number.
    var clients: [Int: Clients] = [:]
    var lastSession = 0
    var hub = AppEventHub()
    private var works: [Int: Task<Void, Never>] = [:]
    private var observers: [Int: AsyncStream<AppState>.Continuation] = [:]
    private var lastObserver = 0
    private var closing: Task<Void, Never>?
    /// Nodes that are being told that a session is over.
    var farewells: [Task<Void, Never>] = []

    /// What a session works with.
    enum Clients: Sendable {
        /// Until the session before it has left the store, the tokens wait in memory.
        case node(Mero, AppMemory.Node, isWaiting: Bool)
        case account(CloudConnection)

        var mero: Mero? {
            switch self {
            case .node(let mero, _, _): return mero
            case .account(let connection): return connection.mero
            }
        }
    }

    /// An app that is signed in to nothing yet; see `restore()`.
    public init(_ setup: Setup = Setup()) {
        self.setup = setup
        machine.state.selection = setup.memory.load()?.selection ?? AppSelection()
        machine.state.pendingInvitation = setup.invitations.current().map(AppInvitation.init)
        setup.cloud.onReadsEnded.withLock { onReadsEnded in
            onReadsEnded = { [weak self] in await self?.readsEnded() }
        }
    }

    deinit {
        hub.cancel()
        closing?.cancel()
        for observer in observers.values { observer.finish() }
    }

    // MARK: - What there is

    /// What to show now.
    public var state: AppState { machine.state }

    /// The state now and after every change, until the iteration is left.
    public func states() -> AsyncStream<AppState> {
        lastObserver += 1
        let id = lastObserver
        let (stream, continuation) = AsyncStream.makeStream(of: AppState.self, bufferingPolicy: .bufferingNewest(64))
        observers[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeObserver(id) }
        }
        continuation.yield(machine.state)
        return stream
    }

    private func removeObserver(_ id: Int) { observers[id] = nil }

    private var current: Clients? { machine.session.flatMap { clients[$0.number] } }

    /// The client of the node, or of the relay that reads for the account; nil when signed out, and while there are no reads.
    public var mero: Mero? { current?.mero }

    /// The account's connection; nil when signed out, and for a user of a node.
    public var connection: CloudConnection? {
        if case .account(let connection)? = current { return connection }
        return nil
    }

    /// The relay has ended the account's session. It may grant another.
    private func readsEnded() async {
        guard let session = machine.session, session.isAccount else { return }
        await perform(.trouble(session: session.number, .revoked))
    }

    // MARK: - Signing in and out

    /// Takes up what the stores hold. The app is signed in before this returns anything to the network; whether the session
    /// still lives is looked at afterwards. False when nobody was signed in. A sign-in that is under way is waited for first,
    /// and the stores are taken up only if it comes to nothing.
    @discardableResult
    public func restore() async -> Bool {
        var failure: AppFailure?
        while let operation = machine.operation, let work = works[operation] {
            await work.value
            failure = machine.state.failure
        }
        await perform(.restore)
        // Why the sign-in came to nothing is still to be told.
        if let failure, machine.state.failure == nil { machine.state.failure = failure }
        return machine.state.isAuthenticated
    }

    /// Signs in to a node with a user name and password.
    ///
    /// An unusable address, an empty name or an empty password is told without anything being sent.
    public func login(nodeURL: String, username: String, password: String) async {
        await perform(.signIn(.node(url: nodeURL, username: username, password: password)))
    }

    /// The URL of a node's login page. What it returns to goes to `handleHostedLogin(_:)`; until then the app remembers
    /// which node was asked, also when it is ended meanwhile.
    public func beginHostedLogin(nodeURL: String, options: AuthLoginOptions) -> String {
        remember { $0.pendingNodeURL = nodeURL }
        return SsoLogin.buildAuthLoginUrl(nodeUrl: nodeURL, options: options)
    }

    /// Signs in with what a node's login page returned. Tokens of another node than the one that was asked are not taken,
    /// unless it is among the allowed ones. False for a URL that carries no tokens.
    @discardableResult
    public func handleHostedLogin(_ url: String) async -> Bool {
        guard SsoLogin.parseAuthCallback(url) != nil else { return false }
        await perform(.signIn(.hosted(callback: url)))
        return true
    }

    /// Signs in as an account: the wallet's page certifies this device. A page that the person closes is no failure.
    public func signInWithCloud(callback: CloudCallback) async { await perform(.signIn(.cloud(callback))) }

    /// Completes a sign-in with the URL that the wallet's page returned to. False, and nothing changes, for a URL that carries
    /// no answer of the wallet, and for one that is not waited for while something else is under way: any app can open it.
    @discardableResult
    public func handleEnrolmentCallback(_ url: URL) async -> Bool {
        var isAwaited = false
        do {
            guard let callback = try DeviceEnrolment.readCallback(url) else { return false }
            isAwaited = await setup.cloud.awaits(callback)
        } catch {
            // The wallet said no, which is an answer. Who says so is not known.
        }
        guard isAwaited || machine.operation == nil else { return false }
        await perform(.signIn(.enrolment(url)))
        return true
    }

    /// Gives up what is under way. The state is as it was before, and what comes of it later is undone.
    public func cancel() async { await perform(.cancel) }

    /// Signs out. The state is back at its beginning and the stores are empty at once, whatever the node says; then the node
    /// is told, once. Works without anybody being signed in, too.
    public func logout() async {
        // A page of a login that was begun before must not sign anybody in afterwards.
        remember { $0.pendingNodeURL = nil }
        await perform(.logout)
    }

    // MARK: - The account

    /// Asks the cloud for the account's relay anew, and connects to it.
    public func refreshRelay() async { await perform(.act(.refreshRelay)) }

    /// Calls a method and keeps a description of what it returned in `AppState.lastRpcResult`.
    public func runSampleRpc(contextId: String, method: String) async {
        await perform(.act(.call(contextId: contextId, method: method)))
    }

    // MARK: - What the person looks at

    /// Remembers what the person is looking at.
    public func select(_ selection: AppSelection) async { await perform(.select(selection)) }

    // MARK: - Invitations

    /// Keeps an invitation that was opened or pasted until the person has answered. False, with nothing kept, for a link to
    /// another app and for what is no invitation or has expired.
    @discardableResult
    public func openInvitation(_ text: String) async -> Bool {
        guard let payload = try? InvitationPayload.read(pasted: text, expectedSlug: setup.packageId),
            (try? setup.invitations.keep(payload)) != nil
        else { return false }
        await perform(.invitation(AppInvitation(payload)))
        return true
    }

    /// The person does not want the invitation.
    public func declineInvitation() async {
        setup.invitations.clear()
        await perform(.invitation(nil))
    }

    /// Joins by the invitation that waits. Ask the person first.
    public func acceptInvitation() async {
        // One that has expired while it waited is no longer there.
        guard setup.invitations.current() != nil else { return await perform(.invitation(nil)) }
        guard let shown = machine.state.pendingInvitation else { return }
        await perform(.act(.join(shown)))
    }

    // MARK: - The app's life

    /// The app went to the background. Event streams are closed if it stays there.
    public func suspend() async {
        guard closing == nil, !machine.state.isSuspended else { return }
        let delay = setup.suspensionDelay
        guard delay > 0 else { return await perform(.suspend) }
        closing = Task { [weak self] in
            try? await Task.sleep(nanoseconds: .nanoseconds(delay))
            if !Task.isCancelled { await self?.suspendNow() }
        }
    }

    private func suspendNow() async {
        closing = nil
        await perform(.suspend)
    }

    /// The app is back: what was open is opened again, each context with a mark that events may have been missed.
    public func resume() async {
        closing?.cancel()
        closing = nil
        await perform(.resume)
    }

    /// The network went or came back. Nobody has to call this; who does makes the app notice sooner.
    public func networkChanged(isAvailable: Bool) async {
        await perform(isAvailable ? .networkIsBack : .networkIsGone)
    }

    // MARK: - Carrying out

    /// Takes an input, and returns once what follows from it has been done.
    func perform(_ input: AppMachine.Input) async {
        for effect in machine.reduce(input) { await carryOut(effect) }
        let farewells = farewells
        self.farewells = []
        for farewell in farewells { await farewell.value }
    }

    private func carryOut(_ effect: AppMachine.Effect) async {
        switch effect {
        case .readStores(let operation): await work(operation) { await $0.readStores(operation) }
        case .signIn(let operation, let way): await work(operation) { await $0.signIn(operation, way) }
        case .act(let operation, let session, let act): await work(operation) { await $0.act(operation, session, act) }
        case .abandon(let operation): works[operation]?.cancel()
        case .adopt(let session): await adopt(session)
        case .end(let session): await end(session)
        case .drop(let session): await drop(session)
        case .clearStores: await clearStores()
        case .check(let session): await check(session)
        case .openStreams(let session): openStreams(session)
        case .closeStreams: hub.close()
        case .keepSelection:
            let selection = machine.state.selection
            remember { $0.selection = selection }
        case .forgetInvitation(let invitation):
            if setup.invitations.current().map(AppInvitation.init) == invitation { setup.invitations.clear() }
        }
    }

    /// Runs an operation in a task of its own, which can be cancelled without the caller's, and is with it.
    private func work(_ operation: Int, _ body: @escaping @Sendable (AppSession) async -> Void) async {
        let task = Task { await body(self) }
        works[operation] = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        works[operation] = nil
    }

    /// Changes what the app remembers; what would be empty is forgotten.
    func remember(_ change: (inout AppMemory) -> Void) {
        var memory = setup.memory.load() ?? AppMemory()
        change(&memory)
        if memory == AppMemory() { setup.memory.clear() } else { setup.memory.save(memory) }
    }
}

/// What an app remembers about itself, besides the secrets that have stores of their own.
///
/// Spec: 70, section 13.2.
public struct AppMemory: Codable, Sendable, Equatable {
    /// The node that tokens are for, and its user.
    struct Node: Codable, Sendable, Equatable {
        var url: String
        var username: String
    }

    /// What the person was looking at.
    public var selection = AppSelection()
    var node: Node?
    /// The node that a hosted login was begun with.
    var pendingNodeURL: String?

    /// Nothing.
    public init() {}
}

extension AppInvitation {
    init(_ payload: InvitationPayload) {
        let signer = payload.invitation.invitation.inviterIdentity.compactMap { UInt8(exactly: $0) }
        self.init(
            namespaceId: payload.namespaceId, inviter: payload.invitation.inviterAccount ?? Hex.encode(signer),
            expiresAt: payload.invitation.expiresAt)
    }
}
