import Foundation

/// Keeps a session in a file that several processes can share.
///
/// The file holds the JSON of `TokenData`, with mode 0600, and is replaced as a whole, so that it is never seen half
/// written. A missing folder is made with mode 0700. Beside the file lies `<name>.lock`, which coordinates those who
/// refresh.
///
/// A file that others may read is closed to them; one that others may write to, or that does not hold a session, reads
/// as no session and is left alone. Spec: 10, section 7.1, and 00, ruling 32.
///
/// ```swift
/// let store = FileTokenStore(url: URL(fileURLWithPath: "/var/lib/my-service/session.json"))
/// let mero = Mero(config: MeroConfig(baseURL: node, tokenStore: store))
/// ```
public final class FileTokenStore: CoordinatingTokenStore {
    /// Where the session is kept.
    public let url: URL
    private let file: PrivateFile
    private let lock: FileLock

    /// Reads and writes nothing yet.
    public init(url: URL) {
        self.url = url
        file = PrivateFile(path: url.path)
        lock = FileLock(path: url.path + ".lock")
    }

    /// The stored session, nil when there is none that can be read and trusted.
    public func getTokens() -> TokenData? {
        file.read().flatMap { try? MeroJSON.decode(TokenData.self, from: $0) }
    }

    /// Replaces the stored session. A failure is silent; `store(_:)` tells.
    public func setTokens(_ data: TokenData) { try? store(data) }

    /// Removes the file.
    public func clear() { file.remove() }

    /// Replaces the stored session, durably. Throws Foundation's errors of files: no permission, no space left, …
    public func store(_ tokens: TokenData) throws {
        try file.replace(with: MeroJSON.encode(tokens))
    }

    /// Runs `body` while no other store of the same file, in this process or another, runs one.
    ///
    /// Waiting ends at once with `CancellationError` when the task is cancelled. Throws `POSIXError` when the lock's file
    /// cannot be made, or when another store has not given it back after two minutes.
    public func withExclusiveAccess<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await lock.withLock(body)
    }
}
