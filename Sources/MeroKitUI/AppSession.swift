import Foundation
import MeroKit

/// What an app shows about its sign-in.
public struct AppState: Sendable, Equatable {
    /// Where the app stands. It is in exactly one of these at any time.
    public enum Phase: Sendable, Equatable {
        case signedOut
        case signingIn
        case signedIn
    }

    public internal(set) var phase: Phase = .signedOut
    /// The node signed in to, empty when signed out.
    public internal(set) var nodeURL = ""
    /// The user signed in, empty when signed out.
    public internal(set) var username = ""
    /// The last failure, for a person. Every new operation clears it.
    public internal(set) var errorMessage: String?

    public init() {}
}

/// Signs an app in to a node and out again, and tells what to show meanwhile.
///
/// It has no user interface, so that it runs and is tested on every platform. Nothing here throws: a failure becomes
/// `AppState.errorMessage`. Spec: 70, section 13.
///
/// ```swift
/// let session = AppSession()
/// for await state in await session.states() { show(state) }
/// ```
public actor AppSession {
    /// What to show now.
    public private(set) var state = AppState() {
        didSet {
            guard state != oldValue else { return }
            for observer in observers.values { observer.yield(state) }
        }
    }

    /// The client to call contracts with, nil when signed out.
    public private(set) var mero: Mero?

    private let tokenStore: @Sendable () -> any TokenStore
    private let makeMero: @Sendable (MeroConfig) -> Mero
    private var observers: [Int: AsyncStream<AppState>.Continuation] = [:]
    private var nextObserver = 0
    /// Grows with every operation: one that was overtaken must not change the state any more.
    private var operation = 0

    /// - Parameters:
    ///   - tokenStore: Where the tokens of a sign-in go.
    ///   - makeMero: Makes the client of a sign-in.
    public init(
        tokenStore: @escaping @Sendable () -> any TokenStore = { MemoryTokenStore() },
        makeMero: @escaping @Sendable (MeroConfig) -> Mero = { Mero(config: $0) }
    ) {
        self.tokenStore = tokenStore
        self.makeMero = makeMero
    }

    /// The state now and after every change, until the iteration is left.
    public func states() -> AsyncStream<AppState> {
        let id = nextObserver
        nextObserver += 1
        let (stream, continuation) = AsyncStream.makeStream(of: AppState.self, bufferingPolicy: .bufferingNewest(64))
        observers[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeObserver(id) }
        }
        continuation.yield(state)
        return stream
    }

    /// Signs in to a node with a user name and password.
    ///
    /// An unusable address, an empty name or an empty password is told without anything being sent.
    public func login(nodeURL: String, username: String, password: String) async {
        operation += 1
        let mine = operation
        state.errorMessage = nil
        guard let url = URL(string: nodeURL), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            url.host?.isEmpty == false
        else {
            state.errorMessage = "Enter a valid node URL (e.g. http://localhost:4001)."
            return
        }
        guard !username.isEmpty, !password.isEmpty else {
            state.errorMessage = "Username and password are required."
            return
        }
        let before = state.phase
        state.phase = .signingIn
        let client = makeMero(MeroConfig(baseURL: url, tokenStore: tokenStore()))
        do {
            try await client.authenticate(Credentials(username: username, password: password))
            // Overtaken by a logout or another login: what the node just granted is given back.
            guard mine == operation else { return await client.logout() }
            mero = client
            // One change: observers must not see a state in between.
            var signedIn = AppState()
            signedIn.phase = .signedIn
            signedIn.nodeURL = nodeURL
            signedIn.username = username
            state = signedIn
        } catch {
            guard mine == operation else { return }
            var failed = state
            failed.phase = before == .signingIn ? .signedOut : before
            failed.errorMessage = AppErrorText.text(for: error)
            state = failed
        }
    }

    /// Signs out. The state is back at its beginning at once, whatever the node says.
    public func logout() async {
        operation += 1
        let client = mero
        mero = nil
        state = AppState()
        await client?.logout()
    }

    private func removeObserver(_ id: Int) { observers[id] = nil }
}
