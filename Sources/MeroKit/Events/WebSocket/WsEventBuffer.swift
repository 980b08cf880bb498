/// Hands events from a connection to the iteration of a stream, many at a time.
final class WsEventBuffer: Sendable {
    private struct State {
        var queued: [ContextEvent] = []
        var queuedBytes = 0
        /// The batch that the iteration works on, last one first.
        var current: [ContextEvent] = []
        /// More than one only when several tasks share an iteration.
        var consumers: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextConsumer = 0
        var producer: CheckedContinuation<Void, Never>?
        var isOver = false
        var failure: (any Error)?

        mutating func takeConsumers() -> [CheckedContinuation<Void, Never>] {
            defer { consumers = [:] }
            return Array(consumers.values)
        }
    }

    /// Beyond this many bytes the connection has to keep what comes.
    private static let limit = 4 << 20

    private let state = Locked(State())

    /// Adds events and waits until there is room for more; returns at once when the stream is over or the calling task was
    /// cancelled.
    func put(_ events: [ContextEvent], bytes: Int) async {
        let consumers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.isOver else { return [] }
            state.queued += events
            state.queuedBytes += bytes
            return state.takeConsumers()
        }
        for consumer in consumers { consumer.resume() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isOver || state.queuedBytes <= Self.limit || Task.isCancelled { return true }
                    state.producer = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { state in
                defer { state.producer = nil }
                return state.producer
            }?.resume()
        }
    }

    /// Ends the stream behind what is queued. The first end counts.
    func finish(throwing error: (any Error)? = nil) {
        let (consumers, producer) = state.withLock { state in
            if !state.isOver { state.failure = error }
            state.isOver = true
            defer { state.producer = nil }
            return (state.takeConsumers(), state.producer)
        }
        for consumer in consumers { consumer.resume() }
        producer?.resume()
    }

    /// The next event; nil at the end, and when the calling task is cancelled.
    func next() async throws -> ContextEvent? {
        while true {
            switch try take() {
            case .event(let event): return event
            case .end: return nil
            case .nothing: await waitForEvents()
            }
            if Task.isCancelled { return nil }
        }
    }

    private enum Taken {
        case event(ContextEvent)
        case end
        case nothing
    }

    private func take() throws -> Taken {
        let (taken, producer) = try state.withLock { state -> (Taken, CheckedContinuation<Void, Never>?) in
            if let event = state.current.popLast() { return (.event(event), nil) }
            guard !state.queued.isEmpty else {
                if let failure = state.failure {
                    state.failure = nil
                    throw failure
                }
                return (state.isOver ? .end : .nothing, nil)
            }
            swap(&state.current, &state.queued)
            state.current.reverse()
            state.queuedBytes = 0
            defer { state.producer = nil }
            return (state.current.popLast().map { .event($0) } ?? .nothing, state.producer)
        }
        producer?.resume()
        return taken
    }

    private func waitForEvents() async {
        let consumer = state.withLock { state in
            state.nextConsumer += 1
            return state.nextConsumer
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isOver || !state.queued.isEmpty || Task.isCancelled { return true }
                    state.consumers[consumer] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.consumers.removeValue(forKey: consumer) }?.resume()
        }
    }
}
