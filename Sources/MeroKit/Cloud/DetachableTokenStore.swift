/// A session's place in a store, until the session is over there: what still runs afterwards reads nothing and writes
/// nothing, and so cannot bring tokens of one relay to another.
///
/// Others may share the store and move it to another session: a second `CloudSignIn`, or another process. Nobody tells
/// that, so whether the place is still the session's is looked up at each use.
final class DetachableTokenStore: CoordinatingTokenStore {
    private let base: Locked<(any TokenStore)?>
    private let isOwned: @Sendable () -> Bool

    /// - Parameter isOwned: Whether the store still belongs to the session whose place this is.
    init(_ store: any TokenStore, isOwned: @escaping @Sendable () -> Bool = { true }) {
        base = Locked(store)
        self.isOwned = isOwned
    }

    /// Whether anything is read and written here.
    var isInUse: Bool { base.withLock { $0 != nil } && isOwned() }

    func detach() { base.withLock { $0 = nil } }

    // Asked before, for who has moved on; and after, for who moves on meanwhile: a session is stored before its tokens are.
    func getTokens() -> TokenData? {
        base.withLock { base in
            guard isOwned(), let tokens = base?.getTokens(), isOwned() else { return nil }
            return tokens
        }
    }

    // Under the lock: once `detach` has returned, nothing is written any more.
    func setTokens(_ data: TokenData) {
        base.withLock { base in
            guard isOwned() else { return }
            base?.setTokens(data)
            withdraw(data, from: base)
        }
    }

    func clear() { base.withLock { if isOwned() { $0?.clear() } } }

    func store(_ tokens: TokenData) throws {
        try base.withLock { base in
            guard isOwned() else { return }
            if let coordinating = base as? any CoordinatingTokenStore {
                try coordinating.store(tokens)
            } else {
                base?.setTokens(tokens)
            }
            withdraw(tokens, from: base)
        }
    }

    /// Takes back what was written while the store became another session's.
    private func withdraw(_ tokens: TokenData, from base: (any TokenStore)?) {
        if !isOwned(), base?.getTokens()?.refreshToken == tokens.refreshToken { base?.clear() }
    }

    func withExclusiveAccess<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        guard isOwned(), let coordinating = base.withLock({ $0 }) as? any CoordinatingTokenStore else {
            return try await body()
        }
        return try await coordinating.withExclusiveAccess(body)
    }
}
