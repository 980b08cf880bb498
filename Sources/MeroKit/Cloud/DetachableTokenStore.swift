/// A session's place in a store, until the session is over there: what still runs afterwards reads nothing and writes
/// nothing, and so cannot bring tokens of one relay to another.
///
/// Others may share the store and move it to another session: a second `CloudSignIn`, or another process. Nobody tells
/// that, so whether the place is still the session's is looked up at each use; and whose the tokens are stands beside them.
final class DetachableTokenStore: CoordinatingTokenStore {
    private let base: Locked<(any TokenStore)?>
    private let owner: RelayTokenOwner
    private let isOwned: @Sendable () -> Bool

    /// - Parameters:
    ///   - owner: Whose place this is.
    ///   - isOwned: Whether the store still belongs to that session.
    init(_ store: any TokenStore, of owner: RelayTokenOwner, isOwned: @escaping @Sendable () -> Bool = { true }) {
        base = Locked(store)
        self.owner = owner
        self.isOwned = isOwned
    }

    /// Whether anything is read and written here.
    var isInUse: Bool { base.withLock { $0 != nil } && isOwned() }

    func detach() { base.withLock { $0 = nil } }

    // Asked before, for who has moved on; and after, for who moves on meanwhile: a session is stored before its tokens are.
    func getTokens() -> TokenData? {
        base.withLock { base in
            guard isOwned(), var tokens = base?.getTokens(), isOurs(tokens), isOwned() else { return nil }
            tokens.owner = nil
            return tokens
        }
    }

    // Under the lock: once `detach` has returned, nothing is written any more.
    func setTokens(_ data: TokenData) {
        base.withLock { base in
            guard isOwned(), isFree(base) else { return }
            base?.setTokens(marked(data))
            withdraw(data, from: base)
        }
    }

    func clear() { base.withLock { if isOwned(), isFree($0) { $0?.clear() } } }

    func store(_ tokens: TokenData) throws {
        try base.withLock { base in
            guard isOwned(), isFree(base) else { return }
            if let coordinating = base as? any CoordinatingTokenStore {
                try coordinating.store(marked(tokens))
            } else {
                base?.setTokens(marked(tokens))
            }
            withdraw(tokens, from: base)
        }
    }

    private func marked(_ tokens: TokenData) -> TokenData {
        var tokens = tokens
        tokens.owner = owner
        return tokens
    }

    /// Those that nobody has marked come from a store that keeps no marks, or from before there were any: the stored session
    /// has to say then.
    private func isOurs(_ tokens: TokenData) -> Bool { tokens.owner == nil || tokens.owner == owner }

    /// Whether what is there may give way.
    private func isFree(_ base: (any TokenStore)?) -> Bool { base?.getTokens().map(isOurs) ?? true }

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
