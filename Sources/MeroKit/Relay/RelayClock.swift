import Foundation

/// The time, and how to let it pass.
struct RelayClock: Sendable {
    var now: @Sendable () -> Date = { Date() }
    var sleep: @Sendable (TimeInterval) async throws -> Void = {
        try await Task.sleep(nanoseconds: .nanoseconds($0))
    }

    /// Unix seconds, rounded down.
    var seconds: UInt64 { UInt64(saturating: now().timeIntervalSince1970) }

    /// Unix milliseconds, rounded down.
    var milliseconds: UInt64 { UInt64(saturating: now().timeIntervalSince1970 * 1000) }
}
