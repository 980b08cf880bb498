import Foundation
import MeroKit

/// The node's clock: the system's, moved by as much as a test asks for.
///
/// It drives token times and expiry, key lifetimes, challenge lifetimes, the login throttle, the idle time of event
/// sessions and the time presence lives. Faults that wait and keepalives of streams do so in real time.
public final class DevClock: Sendable {
    private struct State {
        var offset: TimeInterval = 0
        var frozenAt: Date?
        var observers: [Int: @Sendable () -> Void] = [:]
        var nextObserver = 0
    }

    private let state = Locked(State())

    init() {}

    /// The node's present.
    public var now: Date {
        state.withLock { ($0.frozenAt ?? Date()).addingTimeInterval($0.offset) }
    }

    /// Moves the clock; a negative number turns it back.
    public func advance(by seconds: TimeInterval) { change { $0.offset += seconds } }

    /// Stops the clock at a moment, by default at the present; ``advance(by:)`` still moves it.
    public func freeze(at moment: Date? = nil) {
        change { state in
            let present = (state.frozenAt ?? Date()).addingTimeInterval(state.offset)
            state.frozenAt = moment ?? present
            state.offset = 0
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let observers = state.withLock { state in
            body(&state)
            return Array(state.observers.values)
        }
        for observer in observers { observer() }
    }

    /// Calls back whenever a test has moved the clock.
    func observe(_ handler: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextObserver += 1
            state.observers[state.nextObserver] = handler
            return state.nextObserver
        }
    }

    func stopObserving(_ token: Int) { state.withLock { $0.observers[token] = nil } }

    /// Seconds since 1970, rounded down.
    var seconds: Int64 { Int64(now.timeIntervalSince1970.rounded(.down)) }
}
