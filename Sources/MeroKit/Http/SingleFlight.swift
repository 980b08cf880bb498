/// Lets many callers share one run of an operation.
///
/// The run belongs to nobody: a caller that is cancelled leaves with `CancellationError` at once, and the run goes on for
/// the others. Whether it goes on when nobody waits any more is up to the flight's owner: what spends something must, what
/// would only keep a server busy must not.
final class SingleFlight<Value: Sendable>: Sendable {
    /// A run and those who wait for it. Its waiters are guarded by the flight's lock.
    private final class Run: Sendable {
        let waiters = Locked(Waiters())
    }

    private struct Waiters {
        var next = 0
        var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
        var outcome: Result<Value, any Error>?
        var task: Task<Void, Never>?
        /// Everybody has left, and the run was cancelled.
        var isAbandoned = false
    }

    private struct Abandoned: Error {}

    private let current = Locked<Run?>(nil)
    private let endsWhenAbandoned: Bool

    /// - Parameter endsWhenAbandoned: A run that nobody waits for any more is cancelled.
    init(endsWhenAbandoned: Bool = false) { self.endsWhenAbandoned = endsWhenAbandoned }

    /// The result of the run under way, or of a new run of `operation`. `joined` tells which.
    func value(_ operation: @escaping @Sendable () async throws -> Value) async throws -> (value: Value, joined: Bool) {
        while true {
            do {
                return try await join(operation)
            } catch is Abandoned {
                // The last one left it just before this caller came: the next round starts a new run.
                continue
            }
        }
    }

    private func join(_ operation: @escaping @Sendable () async throws -> Value) async throws -> (Value, Bool) {
        if endsWhenAbandoned { try Task.checkCancellation() }
        let (run, joined) = current.withLock { current -> (Run, Bool) in
            if let run = current { return (run, true) }
            let run = Run()
            current = run
            return (run, false)
        }
        if !joined {
            let task = Task {
                let outcome: Result<Value, any Error>
                do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
                self.current.withLock { if $0 === run { $0 = nil } }
                Self.finish(run, outcome)
            }
            let isAbandoned = run.waiters.withLock { waiters in
                if waiters.outcome == nil { waiters.task = task }
                return waiters.isAbandoned
            }
            if isAbandoned { task.cancel() }
        }
        return (try await wait(for: run), joined)
    }

    /// Callers from now on start a run of their own. Those who wait still get the old run's result.
    func forget() { current.withLock { $0 = nil } }

    private static func finish(_ run: Run, _ outcome: Result<Value, any Error>) {
        let waiting = run.waiters.withLock { waiters in
            waiters.outcome = outcome
            waiters.task = nil
            defer { waiters.waiting = [:] }
            return waiters.waiting.values
        }
        for continuation in waiting { continuation.resume(with: outcome) }
    }

    private func wait(for run: Run) async throws -> Value {
        let id = run.waiters.withLock { waiters in
            waiters.next += 1
            return waiters.next
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Under one lock: already finished, already cancelled, or registered for exactly one of the two.
                let ready = run.waiters.withLock { waiters -> Result<Value, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let outcome = waiters.outcome { return outcome }
                    if waiters.isAbandoned { return .failure(Abandoned()) }
                    waiters.waiting[id] = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            run.waiters.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
            leave(run)
        }
    }

    /// Ends the run if nobody waits for it. Somebody on the way to it finds it abandoned, and starts another.
    private func leave(_ run: Run) {
        guard endsWhenAbandoned else { return }
        let (isOver, task) = run.waiters.withLock { waiters -> (Bool, Task<Void, Never>?) in
            guard waiters.waiting.isEmpty, waiters.outcome == nil else { return (false, nil) }
            waiters.isAbandoned = true
            return (true, waiters.task)
        }
        guard isOver else { return }
        current.withLock { if $0 === run { $0 = nil } }
        task?.cancel()
    }
}
