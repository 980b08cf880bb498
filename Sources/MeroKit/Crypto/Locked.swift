import Foundation

/// A value that is only reached under a lock.
///
/// `Mutex` of the standard library needs iOS 18; this serves the same purpose from iOS 15 on. Never hold it across an
/// `await`, which the closure's shape already forbids.
package final class Locked<Value>: @unchecked Sendable {
    // Safe to share: `value` is touched only inside `withLock`, which holds `lock`.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
