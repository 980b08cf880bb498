import Foundation

/// A number that many tasks may count up.
public final class Counter: @unchecked Sendable {
    // Safe to share: `value` is touched only while `lock` is held.
    private let lock = NSLock()
    private var value = 0

    /// Starts at nought.
    public init() {}

    /// How often it was counted up.
    public var count: Int {
        lock.lock()
        defer { lock.unlock() }
        return value
    }

    /// Adds one and returns the new count.
    @discardableResult
    public func increment() -> Int {
        lock.lock()
        defer { lock.unlock() }
        value += 1
        return value
    }
}
