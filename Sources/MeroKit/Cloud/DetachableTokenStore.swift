/// A session's place in a store, until the session is over there: what still runs afterwards reads nothing and writes
/// nothing, and so cannot bring tokens of one relay to another.
final class DetachableTokenStore: CoordinatingTokenStore {
    private let base: Locked<(any TokenStore)?>

    init(_ store: any TokenStore) { base = Locked(store) }

    func detach() { base.withLock { $0 = nil } }

    func getTokens() -> TokenData? { base.withLock { $0?.getTokens() } }

    // Under the lock: once `detach` has returned, nothing is written any more.
    func setTokens(_ data: TokenData) { base.withLock { $0?.setTokens(data) } }

    func clear() { base.withLock { $0?.clear() } }

    func store(_ tokens: TokenData) throws {
        try base.withLock { base in
            guard let coordinating = base as? any CoordinatingTokenStore else {
                base?.setTokens(tokens)
                return
            }
            try coordinating.store(tokens)
        }
    }

    func withExclusiveAccess<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        guard let coordinating = base.withLock({ $0 }) as? any CoordinatingTokenStore else { return try await body() }
        return try await coordinating.withExclusiveAccess(body)
    }
}
