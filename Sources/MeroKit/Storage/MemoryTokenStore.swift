/// Keeps a session for as long as the process runs. It starts empty.
///
/// Spec: 10, section 7.5.
public final class MemoryTokenStore: TokenStore {
    private let tokens = Locked<TokenData?>(nil)

    public init() {}

    public func getTokens() -> TokenData? { tokens.withLock { $0 } }

    public func setTokens(_ data: TokenData) { tokens.withLock { $0 = data } }

    public func clear() { tokens.withLock { $0 = nil } }
}
