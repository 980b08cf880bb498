import Foundation
import MeroDevNode

/// One hand on the clocks of several nodes and clouds.
///
/// ```swift
/// let clock = TestClock(test.cloud.clock, test.relay.clock)
/// clock.advance(by: 121)                  // every challenge is stale now
/// ```
public struct TestClock: Sendable {
    private let clocks: [DevClock]

    /// Moves these clocks together.
    public init(_ clocks: DevClock...) { self.clocks = clocks }

    /// The present of the first of them; the system's without any.
    public var now: Date { clocks.first?.now ?? Date() }

    /// Moves all of them; a negative number turns them back.
    public func advance(by seconds: TimeInterval) {
        for clock in clocks { clock.advance(by: seconds) }
    }

    /// Stops all of them at one moment, by default at the present; `advance(by:)` still moves them.
    public func freeze(at moment: Date? = nil) {
        let moment = moment ?? now
        for clock in clocks { clock.freeze(at: moment) }
    }
}
