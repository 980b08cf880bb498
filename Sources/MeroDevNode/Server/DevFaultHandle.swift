import MeroKit

/// An injected fault: tells how often it struck, and takes it back.
public final class DevFaultHandle: Sendable {
    struct State {
        var remaining: Int?
        var hits = 0
    }

    let state: Locked<State>

    init(times: Int?) {
        state = Locked(State(remaining: times.map { max(0, $0) }))
    }

    /// How many requests it has struck. Counted when the request takes the fault, before its effect shows.
    public var hits: Int { state.withLock { $0.hits } }

    /// How many more requests it will strike; nil means until it is removed.
    public var remaining: Int? { state.withLock { $0.remaining } }

    /// It strikes no further request; one that is stalled or delayed by it stays so.
    public func remove() { state.withLock { $0.remaining = 0 } }

    /// False when nothing is left of it.
    func strike() -> Bool {
        state.withLock { state in
            if let remaining = state.remaining {
                guard remaining > 0 else { return false }
                state.remaining = remaining - 1
            }
            state.hits += 1
            return true
        }
    }
}
