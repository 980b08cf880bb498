/// Keeps a session for as long as the process runs. It starts empty.
///
/// Spec: 10, section 7.5.
public final class MemoryTokenStore: TokenStore {
    private let tokens = Locked<TokenData?>(nil)

    /// An empty store.
    public init() {}

    /// The session, nil when there is none.
    public func getTokens() -> TokenData? { tokens.withLock { $0 } }

    /// Replaces the session.
    public func setTokens(_ data: TokenData) { tokens.withLock { $0 = data } }

    /// Forgets the session.
    public func clear() { tokens.withLock { $0 = nil } }
}
