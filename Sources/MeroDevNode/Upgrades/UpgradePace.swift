import MeroKit

/// How fast upgrades go over their contexts.
///
/// A test that looks at an upgrade under way stops it with `hold()` and lets it go on context by context.
final class UpgradePace: Sendable {
    private struct State {
        var isHeld = false
        var permits = 0
        var waiters: [(number: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var next = 0
        var cancelled: Set<Int> = []
    }

    private let state = Locked(State())

    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let waiters = state.withLock { state in
            state.isHeld = false
            state.permits = 0
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Lets so many contexts through.
    func step(_ count: Int) {
        let waiters = state.withLock { state in
            state.permits += count
            let ready = state.waiters.prefix(state.permits)
            state.permits -= ready.count
            state.waiters.removeFirst(ready.count)
            return Array(ready)
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Returns when the next context may be taken, or at once when the task is cancelled.
    func wait() async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state -> Bool in
                    if state.cancelled.remove(number) != nil || !state.isHeld { return true }
                    if state.permits > 0 {
                        state.permits -= 1
                        return true
                    }
                    state.waiters.append((number, continuation))
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index).continuation
            }
            waiter?.resume()
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }
}
