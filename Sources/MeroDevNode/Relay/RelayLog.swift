import MeroKit

/// A method that a relay ran for an account.
public struct DevDelegatedWrite: Sendable, Equatable {
    /// Where.
    public let contextId: String
    /// As whom.
    public let account: String
    /// The device's id.
    public let device: String
    /// The key that signed.
    public let deviceKey: String
    /// What ran.
    public let method: String
    /// With what, digit for digit as it came.
    public let argsJson: String
    /// What the warrant spent, unless it was a read.
    public let nonce: UInt64
    /// Whether the application declares the method as one that changes something.
    public let isWrite: Bool
    /// The state's root after it.
    public let rootHash: String
}

/// What a relay has done since it started.
final class RelayLog: Sendable {
    private static let limit = 10_000

    private let writes = Locked<[DevDelegatedWrite]>([])

    func add(_ write: DevDelegatedWrite) {
        writes.withLock { writes in
            writes.append(write)
            if writes.count > 2 * Self.limit { writes.removeFirst(writes.count - Self.limit) }
        }
    }

    var all: [DevDelegatedWrite] { writes.withLock { $0 } }

    func clear() { writes.withLock { $0.removeAll() } }
}
