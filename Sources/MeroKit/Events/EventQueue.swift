/// Events on their way from a connection to one consumer, who takes all that wait at once.
///
/// The connection never waits for the consumer. What a consumer leaves lying is bounded: beyond `limit` the queue drops
/// all of it, and puts in its place what `makeUp` gives, the marks for a gap.
final class EventQueue: Sendable {
    private struct State {
        var events: [ContextEvent] = []
        var cost = 0
        var waiters: [Int: CheckedContinuation<[ContextEvent]?, any Error>] = [:]
        var nextWaiter = 0
        var end: Result<Void, any Error>?
    }

    /// What an event costs beside its text.
    private static let overhead = 256
    static let defaultLimit = 64 << 20

    private let limit: Int
    private let makeUp: @Sendable () -> [ContextEvent]
    private let state = Locked(State())

    /// - Parameters:
    ///   - limit: How many bytes of events may wait.
    ///   - makeUp: Asked when more would wait.
    init(limit: Int = EventQueue.defaultLimit, makeUp: @escaping @Sendable () -> [ContextEvent] = { [] }) {
        self.limit = limit
        self.makeUp = makeUp
    }

    /// - Parameter byteCount: How long the events' texts are together.
    func push(_ events: [ContextEvent], byteCount: Int) {
        guard !events.isEmpty else { return }
        let cost = Self.cost(of: events, byteCount: byteCount)
        let overflows = state.withLock { state -> Bool in
            guard state.end == nil else { return false }
            if state.cost > 0, state.cost + cost > limit { return true }
            deliver(events, cost, &state)
            return false
        }
        guard overflows else { return }
        // Asked outside of the lock, since the answer takes other locks.
        let marks = makeUp()
        state.withLock { state in
            guard state.end == nil else { return }
            state.events = []
            state.cost = 0
            deliver(marks + events, cost, &state)
        }
    }

    static func cost(of events: [ContextEvent], byteCount: Int) -> Int { byteCount + events.count * overhead }

    private func deliver(_ events: [ContextEvent], _ cost: Int, _ state: inout State) {
        if state.events.isEmpty, let (id, waiter) = state.waiters.first {
            state.waiters[id] = nil
            waiter.resume(returning: events)
        } else {
            state.events.append(contentsOf: events)
            state.cost += cost
        }
    }

    /// No more events come. What waits is still given out, and then the error, if there is one.
    func finish(throwing error: (any Error)? = nil) {
        let waiters = state.withLock { state -> [CheckedContinuation<[ContextEvent]?, any Error>] in
            guard state.end == nil else { return [] }
            state.end = error.map { .failure($0) } ?? .success(())
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for (index, waiter) in waiters.enumerated() {
            if index == 0, let error { waiter.resume(throwing: error) } else { waiter.resume(returning: nil) }
        }
    }

    /// All that waits, at least one event, oldest first. Nil at the end, and when the calling task is cancelled.
    func next() async throws -> [ContextEvent]? {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known = state.withLock { state -> Result<[ContextEvent]?, any Error>? in
                    if Task.isCancelled { return .success(nil) }
                    if !state.events.isEmpty {
                        defer {
                            state.events = []
                            state.cost = 0
                        }
                        return .success(state.events)
                    }
                    if let end = state.end {
                        // The error is told once.
                        state.end = .success(())
                        return end.map { nil }
                    }
                    state.waiters[id] = continuation
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }

    /// The queue as a stream.
    ///
    /// - Parameter onDrop: Called once, when nobody can ask for the next event any more.
    func stream(onDrop: @escaping @Sendable () -> Void) -> AsyncThrowingStream<ContextEvent, any Error> {
        let reader = Reader(self, onDrop: onDrop)
        return AsyncThrowingStream {
            // Most events are there already: finding one out without an asynchronous call takes half the time.
            if let event = reader.nextInBatch() { return event }
            return try await reader.next()
        }
    }

    /// Gives out a batch event by event: a stream that asks the queue for each is several times slower.
    private final class Reader: Sendable {
        private let queue: EventQueue
        /// Last event first.
        private let batch = Locked<[ContextEvent]>([])
        private let onDrop: @Sendable () -> Void

        init(_ queue: EventQueue, onDrop: @escaping @Sendable () -> Void) {
            self.queue = queue
            self.onDrop = onDrop
        }

        deinit { onDrop() }

        func nextInBatch() -> ContextEvent? { batch.withLock { $0.popLast() } }

        func next() async throws -> ContextEvent? {
            while true {
                if let event = nextInBatch() { return event }
                guard let more = try await queue.next() else { return nil }
                // Put below what another consumer of the same stream may have fetched meanwhile.
                batch.withLock { $0.insert(contentsOf: more.reversed(), at: 0) }
            }
        }
    }
}
