/// Where a session survives: in memory, in the Keychain, in a file, or in a place of the app's own.
///
/// The calls are synchronous, never throw and come from any thread. A store that cannot be read behaves as an empty one.
///
/// ```swift
/// final class DefaultsTokenStore: TokenStore {  // for a demonstration: tokens do not belong into the defaults
///     func getTokens() -> TokenData? { … }
///     func setTokens(_ data: TokenData) { … }
///     func clear() { … }
/// }
/// ```
///
/// When several processes share one store, implement `CoordinatingTokenStore`. Spec: 10, section 7.5.
public protocol TokenStore: Sendable {
    /// The stored session, nil when there is none or it cannot be read.
    func getTokens() -> TokenData?
    /// Replaces the stored session.
    func setTokens(_ data: TokenData)
    /// Forgets the stored session.
    func clear()
}

/// A store that several processes can share without spending a refresh token twice.
///
/// A refresh token works once, and a node takes its second use for theft and ends the session. So a refresh reads the
/// store again, asks the node and writes the new pair, all within one exclusive section.
public protocol CoordinatingTokenStore: TokenStore {
    /// Runs `body` while nobody else, in this process or another, is inside such a section of the same store.
    ///
    /// Waiting for the others suspends the task and ends at once with `CancellationError` when the task is cancelled; a
    /// `body` that runs is not interrupted. Throws what `body` throws, and an error of its own when the section cannot be
    /// had at all. Do not nest: the inner section would wait for the outer one.
    func withExclusiveAccess<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T

    /// Replaces the stored session like `setTokens(_:)`, and says so when that failed.
    func store(_ tokens: TokenData) throws
}
