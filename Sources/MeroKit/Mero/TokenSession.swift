import Foundation

/// The token bundle of one `Mero`: what is in memory, what is in the store, and how it is rotated.
///
/// Reads need no `await`, so that a request costs no actor hop to learn its token.
final class TokenSession: Sendable {
    private struct State {
        var bundle: TokenData?
        /// Grows whenever the app replaces or drops the bundle. A refresh that began under an older number must not
        /// bring its result in.
        var generation = 0
    }

    private let store: any TokenStore
    private let state: Locked<State>
    /// Held over a change of `state` and the write that belongs to it. Reading never waits for it.
    private let writes = Gate()
    private let onStoreFailure: (@Sendable (any Error) -> Void)?

    init(store: any TokenStore, onStoreFailure: (@Sendable (any Error) -> Void)? = nil) {
        self.store = store
        self.onStoreFailure = onStoreFailure
        state = Locked(State(bundle: store.getTokens()))
    }

    var current: TokenData? { state.withLock { $0.bundle } }

    /// The app's own choice of bundle: wins over a refresh under way.
    func replace(_ bundle: TokenData) { commit(bundle, byApp: true) }

    /// The same after a login, without losing against a rotation that another process is writing just now.
    func replaceExclusively(_ bundle: TokenData) async throws {
        guard let store = store as? any CoordinatingTokenStore else { return replace(bundle) }
        try await store.withExclusiveAccess { self.replace(bundle) }
    }

    func clear() { commit(nil, byApp: true) }

    /// The bundle that a logout has to end: the store's, which another process may have rotated, else the one in memory.
    var latest: TokenData? { store.getTokens() ?? current }

    /// A terminal answer came for a request that showed this token. Returns whether the session ended with it: not if
    /// it goes on under another token already, here or in the store.
    func end(presented: String?) -> Bool {
        if let stored = store.getTokens(), stored.accessToken != presented, !stored.accessToken.isBlank {
            commit(stored, byApp: false, persist: false) { $0.bundle?.accessToken == presented }
            return false
        }
        return commit(nil, byApp: true) { $0.bundle != nil && $0.bundle?.accessToken == presented }
    }

    /// Changes memory and store as one step, so that they cannot end up holding different bundles.
    ///
    /// - Parameters:
    ///   - byApp: Whether a refresh under way loses against this change.
    ///   - condition: Looked at in the same step; the change is dropped when it does not hold.
    @discardableResult
    private func commit(
        _ bundle: TokenData?, byApp: Bool, persist: Bool = true, if condition: (State) -> Bool = { _ in true }
    ) -> Bool {
        writes.pass {
            let done = state.withLock { state -> Bool in
                guard condition(state) else { return false }
                if byApp { state.generation += 1 }
                state.bundle = bundle
                return true
            }
            if done && persist { write(bundle) }
            return done
        }
    }

    /// A bundle that cannot be written stays valid in memory; the app is told, since the next start will not find it.
    private func write(_ bundle: TokenData?) {
        guard let bundle else { return store.clear() }
        guard let coordinating = store as? any CoordinatingTokenStore else { return store.setTokens(bundle) }
        do {
            try coordinating.store(bundle)
        } catch {
            onStoreFailure?(error)
        }
    }

    // MARK: Refresh

    /// Rotates the bundle once, across processes where the store can coordinate them. Returns the token to go on with,
    /// "" when the session was dropped meanwhile. Spec: 10, section 4.4.
    ///
    /// - Parameter exchange: `POST /auth/refresh` with this pair.
    func refresh(
        _ exchange: @escaping @Sendable (TokenData) async throws -> TokenData
    ) async throws -> String {
        guard let store = store as? any CoordinatingTokenStore else { return try await rotate(exchange) }
        return try await store.withExclusiveAccess { try await self.rotate(exchange) }
    }

    private func rotate(_ exchange: @Sendable (TokenData) async throws -> TokenData) async throws -> String {
        let start = state.withLock { $0 }
        var pair = start.bundle
        if let stored = usable(store.getTokens()) {
            guard adopt(stored, since: start.generation) else { return currentToken }
            if stored.accessToken != pair?.accessToken { return stored.accessToken }
            pair = stored
        }
        guard let pair = usable(pair) else { throw MeroError.noRefreshToken }
        let rotated: TokenData
        do {
            rotated = try await exchange(pair)
        } catch let error as MeroError {
            guard case .authRevoked = error else {
                throw MeroError.authenticationFailed("Token refresh failed: \(error.localizedDescription)")
            }
            if let stored = usable(store.getTokens()), stored.refreshToken != pair.refreshToken {
                // Another process won the race for this refresh token: its bundle is the session now.
                return adopt(stored, since: start.generation) ? stored.accessToken : currentToken
            }
            let dropped = commit(nil, byApp: true) { $0.generation == start.generation }
            guard dropped else { return currentToken }
            throw error
        }
        if let stored = usable(store.getTokens()), stored.refreshToken != pair.refreshToken {
            // Somebody logged in anew while this pair was under way.
            return adopt(stored, since: start.generation) ? stored.accessToken : currentToken
        }
        let done = commit(rotated, byApp: false) { $0.generation == start.generation }
        return done ? rotated.accessToken : currentToken
    }

    private var currentToken: String { current?.accessToken ?? "" }

    private func usable(_ bundle: TokenData?) -> TokenData? {
        bundle.flatMap { $0.refreshToken.isEmpty ? nil : $0 }
    }

    /// Takes over what the store holds. False when the app replaced or dropped the bundle since.
    private func adopt(_ bundle: TokenData, since generation: Int) -> Bool {
        commit(bundle, byApp: false, persist: false) { $0.generation == generation }
    }
}
