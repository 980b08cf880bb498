import Foundation

/// The time, and how to let it pass.
struct RelayClock: Sendable {
    var now: @Sendable () -> Date = { Date() }
    var sleep: @Sendable (TimeInterval) async throws -> Void = {
        try await Task.sleep(nanoseconds: UInt64(max(0, $0) * 1e9))
    }

    /// Unix seconds, rounded down.
    var seconds: UInt64 { UInt64(max(0, now().timeIntervalSince1970)) }

    /// Unix milliseconds, rounded down.
    var milliseconds: UInt64 { UInt64(max(0, now().timeIntervalSince1970 * 1000)) }
}
