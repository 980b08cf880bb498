import Foundation
import MeroKit

/// The node's clock: the system's, moved by as much as a test asks for.
///
/// It drives token times and expiry, key lifetimes, challenge lifetimes and the login throttle. Faults that wait do so in real time.
public final class DevClock: Sendable {
    private let offset = Locked<TimeInterval>(0)

    init() {}

    /// The node's present.
    public var now: Date { Date().addingTimeInterval(offset.withLock { $0 }) }

    /// Moves the clock; a negative number turns it back.
    public func advance(by seconds: TimeInterval) { offset.withLock { $0 += seconds } }

    /// Seconds since 1970, rounded down.
    var seconds: Int64 { Int64(now.timeIntervalSince1970.rounded(.down)) }
}
