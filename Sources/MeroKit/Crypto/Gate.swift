import Foundation

/// Lets one caller in at a time: a lock around a piece of work, where no single value is what has to be guarded.
package final class Gate: Sendable {
    private let lock = NSLock()

    package init() {}

    package func pass<Result>(_ body: () throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }
}
