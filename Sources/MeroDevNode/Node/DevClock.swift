import Foundation
import MeroKit

/// The node's clock: the system's, moved by as much as a test asks for.
///
/// It drives token times and expiry, key lifetimes, challenge lifetimes and the login throttle. Faults that wait do so
/// in real time.
public final class DevClock: Sendable {
    private struct State {
        var offset: TimeInterval = 0
        var frozenAt: Date?
    }

    private let state = Locked(State())

    init() {}

    /// The node's present.
    public var now: Date {
        state.withLock { ($0.frozenAt ?? Date()).addingTimeInterval($0.offset) }
    }

    /// Moves the clock; a negative number turns it back.
    public func advance(by seconds: TimeInterval) { state.withLock { $0.offset += seconds } }

    /// Stops the clock at a moment, by default at the present; ``advance(by:)`` still moves it.
    public func freeze(at moment: Date? = nil) {
        state.withLock { state in
            let present = (state.frozenAt ?? Date()).addingTimeInterval(state.offset)
            state.frozenAt = moment ?? present
            state.offset = 0
        }
    }

    /// Seconds since 1970, rounded down.
    var seconds: Int64 { Int64(now.timeIntervalSince1970.rounded(.down)) }
}
