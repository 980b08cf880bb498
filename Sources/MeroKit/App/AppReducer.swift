import Foundation

/// The app's sign-in as a pure machine: what it is in, and what follows from what happens to it.
///
/// It does nothing itself. `AppSession` carries out the effects and reports back. Operations of the person and sessions are
/// numbered, so that what comes late is known to be late. Spec: 70, section 13.2.
struct AppMachine: Sendable, Equatable {
    /// What the app shows.
    var state = AppState()
    /// The operation under way that can still change the state.
    private(set) var operation: Int?
    /// The session that is alive.
    private(set) var session: Session?
    private var isRestoring = false
    private var lastOperation = 0

    struct Session: Sendable, Equatable {
        var number: Int
        var isAccount: Bool
        /// Whether it can read and listen.
        var hasReads: Bool
        /// Whether somebody is asking the node whether it lives, or the relay for another one. One at a time.
        var isChecking = false
    }

    /// What was gained by signing in or restoring, without the clients that belong to it.
    struct Grant: Sendable, Equatable {
        var session: Int
        var isAccount: Bool
        var nodeURL = ""
        var username = ""
        var account: String?
        var relayURL: String?
        var note: String?
        var hasReads = true
    }

    /// How the person signs in.
    enum SignIn: Sendable, Equatable {
        case node(url: String, username: String, password: String)
        case hosted(callback: String)
        case cloud(CloudCallback)
        case enrolment(URL)
    }

    /// What the person asks for beyond that.
    enum Act: Sendable, Equatable {
        case call(contextId: String, method: String)
        /// By the invitation that the person was shown.
        case join(AppInvitation)
        case refreshRelay
    }

    /// What the node says of a session.
    enum Verdict: Sendable, Equatable {
        case alive
        case dead
        /// It cannot be asked.
        case unknown
    }

    /// What a stream came to grief of.
    enum Trouble: Sendable, Equatable {
        /// The token family is dead.
        case revoked
        /// 403 `permission_denied`.
        case lacksPermission
        /// Another 403.
        case refused
        /// 401.
        case unauthorized
    }

    enum Input: Sendable, Equatable {
        case restore
        case signIn(SignIn)
        case act(Act)
        /// The person gives up what is under way.
        case cancel
        case logout
        case granted(operation: Int, Grant)
        /// Nothing was found in the stores.
        case nothingStored(operation: Int)
        case failed(operation: Int, AppFailure)
        /// Over, without a word: the person closed the page.
        case dismissed(operation: Int)
        case called(operation: Int, String)
        /// Another connection of the session: another relay, another note.
        case updated(Grant)
        case joined(operation: Int, AppInvitation)
        case checked(session: Int, Verdict)
        case trouble(session: Int, Trouble)
        case online(session: Int, Bool)
        case networkIsBack
        case networkIsGone
        case suspend
        case resume
        case select(AppSelection)
        case invitation(AppInvitation?)
    }

    enum Effect: Sendable, Equatable {
        case readStores(operation: Int)
        case signIn(operation: Int, SignIn)
        case act(operation: Int, session: Int, Act)
        /// Cancels the work of an operation, which is to have no result any more.
        case abandon(operation: Int)
        /// Makes a grant the session in the stores, and listens to it.
        case adopt(session: Int)
        /// Ends a session: locally at once, then at its node.
        case end(session: Int)
        /// Forgets the clients of a session that is over, or that another of its kind has replaced.
        case drop(session: Int)
        /// Nothing is connected, and still nothing may be left in the stores.
        case clearStores
        /// Asks the node, in the one flight of its tokens, or connects an account anew.
        case check(session: Int)
        case openStreams(session: Int)
        case closeStreams
        case keepSelection
        case forgetInvitation(AppInvitation)
    }
}

extension AppMachine {
    /// What follows from an input.
    mutating func reduce(_ input: Input) -> [Effect] {
        switch input {
        case .restore: return restore()
        case .signIn(let way): return signIn(way)
        case .act(let act): return self.act(act)
        case .cancel: return overtake()
        case .logout: return logout()
        case .granted(let operation, let grant): return granted(operation, grant)
        case .nothingStored(let operation):
            guard finish(operation) else { return [] }
            if state.phase == .restoring { state.phase = .signedOut }
            return []
        case .failed(let operation, let failure):
            guard finish(operation) else { return [] }
            state.failure = failure
            if state.phase == .restoring { state.phase = .signedOut }
            return []
        case .dismissed(let operation):
            guard finish(operation) else { return [] }
            if state.phase == .restoring { state.phase = .signedOut }
            return []
        case .called(let operation, let text):
            if finish(operation) { state.lastRpcResult = text }
            return []
        case .joined(let operation, let invitation):
            guard finish(operation) else { return [] }
            // Another one may have been opened meanwhile, which nobody has answered.
            if state.pendingInvitation == invitation { state.pendingInvitation = nil }
            return [.forgetInvitation(invitation)]
        case .updated(let grant): return updated(grant)
        case .checked(let session, let verdict): return checked(session, verdict)
        case .trouble(let session, let trouble): return self.trouble(session, trouble)
        case .online(let session, let isOnline):
            if session == self.session?.number { state.isOnline = isOnline && !state.isSuspended }
            return []
        case .networkIsGone:
            state.isOnline = false
            return []
        case .networkIsBack: return reopen()
        case .suspend:
            guard !state.isSuspended else { return [] }
            state.isSuspended = true
            state.isOnline = false
            return [.closeStreams]
        case .resume:
            guard state.isSuspended else { return [] }
            state.isSuspended = false
            return reopen()
        case .select(let selection):
            guard selection != state.selection else { return [] }
            state.selection = selection
            return [.keepSelection]
        case .invitation(let invitation):
            state.pendingInvitation = invitation
            return []
        }
    }

    // MARK: - Operations

    /// A new operation, which makes late whatever the one before comes to.
    private mutating func begin() -> (Int, [Effect]) {
        let effects = overtake()
        lastOperation += 1
        operation = lastOperation
        state.isBusy = true
        state.failure = nil
        return (lastOperation, effects)
    }

    private mutating func overtake() -> [Effect] {
        guard let operation else { return [] }
        self.operation = nil
        state.isBusy = false
        isRestoring = false
        if state.phase == .restoring { state.phase = .signedOut }
        return [.abandon(operation: operation)]
    }

    /// False for an operation that was overtaken.
    private mutating func finish(_ operation: Int) -> Bool {
        guard operation == self.operation else { return false }
        self.operation = nil
        isRestoring = false
        state.isBusy = false
        return true
    }

    private mutating func restore() -> [Effect] {
        // A sign-in that is under way, as by the URL that the app was opened with, goes on.
        guard session == nil, operation == nil else { return [] }
        let (number, effects) = begin()
        isRestoring = true
        return effects + [.readStores(operation: number)]
    }

    private mutating func signIn(_ way: SignIn) -> [Effect] {
        let (number, effects) = begin()
        if case .node(let url, let username, let password) = way {
            if let failure = Self.problem(url, username, password) {
                return effects + reduce(.failed(operation: number, failure))
            }
        }
        return effects + [.signIn(operation: number, way)]
    }

    private static func problem(_ url: String, _ username: String, _ password: String) -> AppFailure? {
        guard let parts = URL(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), parts.host?.isEmpty == false
        else { return .invalidNodeURL }
        return username.isEmpty || password.isEmpty ? .missingCredentials : nil
    }

    private mutating func act(_ act: Act) -> [Effect] {
        guard let session else { return [] }
        let (number, effects) = begin()
        if case .call = act, state.phase == .signedInWithoutRelay {
            return effects + reduce(.failed(operation: number, .noRelay))
        }
        return effects + [.act(operation: number, session: session.number, act)]
    }

    // MARK: - Sessions

    private mutating func granted(_ operation: Int, _ grant: Grant) -> [Effect] {
        let wasRestoring = isRestoring
        guard finish(operation) else {
            // Nobody wants it any more. Of accounts there is one in the stores: a newer one must not be ended with it.
            let isReplaced = session?.isAccount == true && grant.isAccount
            return [isReplaced ? .drop(session: grant.session) : .end(session: grant.session)]
        }
        var effects: [Effect] = []
        if let old = session {
            let isReplaced = old.isAccount && grant.isAccount
            effects += [.closeStreams, isReplaced ? .drop(session: old.number) : .end(session: old.number)]
        }
        session = Session(number: grant.session, isAccount: grant.isAccount, hasReads: grant.hasReads)
        show(grant)
        state.lastRpcResult = nil
        effects.append(.adopt(session: grant.session))
        // What was stored is shown at once and looked at afterwards.
        if wasRestoring { effects += check() }
        if !state.isSuspended, grant.hasReads { effects.append(.openStreams(session: grant.session)) }
        return effects
    }

    private mutating func show(_ grant: Grant) {
        state.phase = grant.isAccount && grant.relayURL == nil ? .signedInWithoutRelay : .signedIn
        state.nodeURL = grant.nodeURL
        state.username = grant.username
        state.account = grant.account
        state.relayURL = grant.relayURL
        state.cloudNote = grant.note
        state.isOnline = false
    }

    private mutating func updated(_ grant: Grant) -> [Effect] {
        guard let session, session.number == grant.session else { return [] }
        self.session?.hasReads = grant.hasReads
        show(grant)
        guard !state.isSuspended, grant.hasReads else { return [] }
        return [.openStreams(session: grant.session)]
    }

    private mutating func logout() -> [Effect] {
        var effects = overtake()
        if let session {
            effects += [.closeStreams, .end(session: session.number)]
        } else {
            effects.append(.clearStores)
        }
        var blank = AppState()
        blank.phase = .signedOut
        blank.isSuspended = state.isSuspended
        // Opened by whoever holds the app, and perhaps for the next one to sign in.
        blank.pendingInvitation = state.pendingInvitation
        state = blank
        session = nil
        return effects + [.keepSelection]
    }

    private mutating func lose() -> [Effect] {
        guard let session else { return [] }
        self.session = nil
        state.phase = .sessionLost
        state.isOnline = false
        state.failure = .sessionRevoked
        // What was under way speaks for a session that is no more; a sign-in goes on.
        return [.closeStreams, .drop(session: session.number)]
    }

    // MARK: - Whether it lives

    private mutating func check() -> [Effect] {
        guard let session, !session.isChecking else { return [] }
        self.session?.isChecking = true
        return [.check(session: session.number)]
    }

    private mutating func checked(_ number: Int, _ verdict: Verdict) -> [Effect] {
        guard number == session?.number else { return [] }
        session?.isChecking = false
        switch verdict {
        case .alive, .unknown: return []
        // A relay ends sessions, but not accounts: the device can ask for another at any time.
        case .dead: return session?.isAccount == true ? [] : lose()
        }
    }

    private mutating func trouble(_ number: Int, _ trouble: Trouble) -> [Effect] {
        guard let session, number == session.number else { return [] }
        state.isOnline = false
        switch trouble {
        case .revoked: return session.isAccount ? check() : lose()
        case .unauthorized: return check()
        case .lacksPermission:
            state.failure = .permissionMissing("context:subscribe")
            return []
        case .refused: return []
        }
    }

    /// Opens again only what was open.
    private mutating func reopen() -> [Effect] {
        guard let session, !state.isSuspended else { return [] }
        guard session.hasReads else { return state.relayURL == nil ? [] : check() }
        // A stream that waits for its next attempt would wait on: a new one does not.
        return state.isOnline ? [] : [.closeStreams, .openStreams(session: session.number)]
    }
}
