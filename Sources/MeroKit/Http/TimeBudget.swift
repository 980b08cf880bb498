import Foundation

/// The time that one call may take, redirects included, whatever moves meanwhile.
///
/// An inactivity time-out alone lets whoever sends a byte now and then hold a call up for as long as they like. Only time
/// on the wire counts: waiting for a connection to become free is not the other side's doing (spec 00, ruling 35).
final class TimeBudget: Sendable {
    /// How many of its time-outs a call with a small answer may take as a whole.
    static let timeouts = 3.0

    private let left: Locked<TimeInterval>

    /// - Parameter seconds: For all that is spent.
    init(_ seconds: TimeInterval) { left = Locked(seconds) }

    /// Runs `work` for no longer than what is left, and takes the time that it took from that.
    ///
    /// Throws what `work` throws; `EngineError`, `.timedOut`, once the time is over, and then `work` is cancelled and waited
    /// for, which takes no time with an engine.
    func spend<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let start = ProcessInfo.processInfo.systemUptime
        let allowed = left.withLock { $0 }
        defer { left.withLock { $0 -= ProcessInfo.processInfo.systemUptime - start } }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(nanoseconds: .nanoseconds(allowed))
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else { throw EngineError.outOfTime }
            return value
        }
    }
}

extension EngineError {
    fileprivate static let outOfTime = EngineError(
        kind: .timedOut, mayHaveReachedNode: true, message: "The request timed out: its answer did not end in time")
}
