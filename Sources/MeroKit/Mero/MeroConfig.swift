import Foundation

/// How to reach a node and keep a session with it.
///
/// Spec: 10, section 5.1.
public struct MeroConfig: Sendable {
    /// The node's origin, which may have a path prefix.
    public var baseURL: URL
    /// Used by `authenticate()` when it is called without an argument.
    public var credentials: Credentials?
    /// Seconds without progress before one attempt of a request fails.
    public var timeout: TimeInterval
    /// Where tokens are kept. Nil: in memory only.
    public var tokenStore: (any TokenStore)?
    /// Which failures are answered by sending a request again.
    public var retryPolicy: RetryPolicy
    /// The cloud client of `Mero.cloud`. Nil: one with the default address.
    public var cloud: CloudClient?
    /// Told the reason (`token_revoked` or `token_reuse`) after a terminal answer ended the session and the tokens were
    /// dropped.
    public var onAuthRevoked: (@Sendable (String) async -> Void)?
    /// Limits and trust of the HTTP stack.
    public var httpOptions: HttpOptions
    /// Told when tokens could not be written to the store. They stay valid in memory.
    public var onTokenStoreFailure: (@Sendable (any Error) -> Void)?

    /// A configuration; all but the address has a default.
    public init(
        baseURL: URL, credentials: Credentials? = nil, timeout: TimeInterval = 10,
        tokenStore: (any TokenStore)? = nil, retryPolicy: RetryPolicy = .documented, cloud: CloudClient? = nil,
        onAuthRevoked: (@Sendable (String) async -> Void)? = nil, httpOptions: HttpOptions = HttpOptions(),
        onTokenStoreFailure: (@Sendable (any Error) -> Void)? = nil
    ) {
        self.baseURL = baseURL
        self.credentials = credentials
        self.timeout = timeout
        self.tokenStore = tokenStore
        self.retryPolicy = retryPolicy
        self.cloud = cloud
        self.onAuthRevoked = onAuthRevoked
        self.httpOptions = httpOptions
        self.onTokenStoreFailure = onTokenStoreFailure
    }
}
