/// Bounds how many calls to one host are under way at once; the rest wait in order of arrival.
///
/// The gate stands above the engine, so that waiting does not run down a request's time-out.
final class ConnectionGate: Sendable {
    static let shared = ConnectionGate()

    private struct State {
        var hosts: [RequestTarget.Origin: Host] = [:]
        var lastTicket = 0

        /// False when the host has no place left.
        mutating func admit(_ origin: RequestTarget.Origin, limit: Int) -> Bool {
            hosts[origin, default: Host()].admit(limit: limit)
        }
    }

    private struct Host {
        var active = 0
        /// Tickets in order of arrival. A cancelled one stays in the queue and is skipped.
        var queue: [Int] = []
        var head = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]

        mutating func admit(limit: Int) -> Bool {
            guard active < limit else { return false }
            active += 1
            return true
        }

        /// The next in line, who takes over the place; nil when nobody waits, and the place is free.
        mutating func leave() -> CheckedContinuation<Void, any Error>? {
            while head < queue.count {
                let ticket = queue[head]
                head += 1
                guard let continuation = waiting.removeValue(forKey: ticket) else { continue }
                if head > 64, head * 2 > queue.count {
                    queue.removeFirst(head)
                    head = 0
                }
                return continuation
            }
            queue.removeAll()
            head = 0
            active -= 1
            return nil
        }
    }

    private let state = Locked(State())

    /// Runs the operation as soon as fewer than `limit` others run for this origin.
    func run<Value>(
        _ origin: RequestTarget.Origin, limit: Int, _ operation: () async throws -> Value
    ) async throws -> Value {
        try await enter(origin, limit: max(1, limit))
        defer { leave(origin) }
        return try await operation()
    }

    private func enter(_ origin: RequestTarget.Origin, limit: Int) async throws {
        let ticket = state.withLock { state -> Int? in
            if state.admit(origin, limit: limit) { return nil }
            state.lastTicket += 1
            return state.lastTicket
        }
        guard let ticket else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                // Under one lock: already cancelled, admitted after all, or registered for exactly one of the two.
                let ready = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.admit(origin, limit: limit) { return .success(()) }
                    state.hosts[origin]?.queue.append(ticket)
                    state.hosts[origin]?.waiting[ticket] = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            state.withLock { $0.hosts[origin]?.waiting.removeValue(forKey: ticket) }?
                .resume(throwing: CancellationError())
        }
    }

    /// Hands the place to the next in line, or frees it.
    private func leave(_ origin: RequestTarget.Origin) {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard let index = state.hosts.index(forKey: origin) else { return nil }
            let next = state.hosts.values[index].leave()
            if state.hosts.values[index].active == 0 { state.hosts.remove(at: index) }
            return next
        }
        next?.resume()
    }
}
