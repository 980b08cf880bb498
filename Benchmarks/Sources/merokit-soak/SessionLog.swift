import MeroKit

/// What the status of a connection tells about its sessions: which gap marks are due, and for which session each is.
///
/// A status is reported before anything that follows from it is delivered, but reaches a consumer on another way than events
/// do. So marks are matched with the sessions in their order.
final class SessionLog: Sendable {
    private struct State {
        var isOpen = false
        var isComplete = false
        /// Sessions opened so far.
        var sessions = 0
        var active: Set<String> = []
        var everActive: Set<String> = []
        /// The sessions whose marks are still to come, by context.
        var due: [String: [Int]] = [:]
    }

    private let state = Guarded(State())

    var isComplete: Bool { state.with { $0.isComplete } }
    var sessions: Int { state.with { $0.sessions } }

    func note(_ status: EventStreamStatus) {
        state.with { state in
            let isOpen = status.connection == .open
            if isOpen && !state.isOpen { state.sessions += 1 }
            state.isOpen = isOpen
            state.isComplete = status.isComplete
            for (context, subscription) in status.contexts {
                guard subscription == .active else {
                    state.active.remove(context)
                    continue
                }
                guard state.active.insert(context).inserted else { continue }
                if !state.everActive.insert(context).inserted { state.due[context, default: []].append(state.sessions) }
            }
        }
    }

    /// The session that the next mark belongs to; nil when none is due.
    func takeMark(_ context: String) -> Int? {
        state.with { state in
            guard let due = state.due[context], !due.isEmpty else { return nil }
            return state.due[context]?.removeFirst()
        }
    }
}
