import Foundation

/// Signs, sends and repeats presence statements, one after the other in each context.
///
/// Spec: 60, section 11.
final class PresenceSender: Sendable {
    private struct Context {
        /// Grows with every `set` and `close`: an older one must not start or go on repeating.
        var generation = 0
        var lastSequence: UInt64 = 0
        var repetition: Task<Void, Never>?
        /// A statement is being signed and sent.
        var isBusy = false
        var queue: [Int] = []
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    }

    private struct State {
        var contexts: [String: Context] = [:]
        var lastTicket = 0
    }

    private let relay: RelayClient
    private let heartbeat: TimeInterval
    private let now: @Sendable () -> Date
    private let state = Locked(State())

    init(relay: RelayClient, heartbeat: TimeInterval, now: @escaping @Sendable () -> Date) {
        self.relay = relay
        self.heartbeat = Self.interval(heartbeat)
        self.now = now
    }

    /// Seconds. A relay is not to be asked in a busy loop, whatever was computed for a heartbeat.
    static func interval(_ heartbeat: TimeInterval) -> TimeInterval {
        heartbeat > 0 ? max(0.1, min(heartbeat, 3600)) : 2.5
    }

    /// - Parameter encode: The state's bytes; nil retracts.
    func set(_ contextId: String, _ encode: () throws -> Data?) async throws {
        let generation = stop(contextId)
        let state = try encode()
        do {
            try await send(contextId, state)
        } catch {
            guard Self.isPassing(error) else { throw error }
        }
        try Task.checkCancellation()
        if let state { repeatState(contextId, state, generation) }
    }

    /// Ends every repetition, and keeps what is under way from starting one.
    func stopAll() {
        let tasks = state.withLock { state -> [Task<Void, Never>] in
            var tasks: [Task<Void, Never>] = []
            for key in state.contexts.keys {
                state.contexts[key]?.generation += 1
                if let task = state.contexts[key]?.repetition { tasks.append(task) }
                state.contexts[key]?.repetition = nil
            }
            return tasks
        }
        for task in tasks { task.cancel() }
    }

    /// What the next repetition makes up for: a busy, failing or silent relay. Everything else is for good.
    private static func isPassing(_ error: any Error) -> Bool {
        switch error {
        case MeroError.network: return true
        case MeroError.http(let answer): return answer.cameInTheClear || answer.status == 429 || answer.status >= 500
        case is SealedTransportError: return true
        default: return false
        }
    }

    /// The context's new generation.
    private func stop(_ contextId: String) -> Int {
        let (task, generation) = state.withLock { state -> (Task<Void, Never>?, Int) in
            var context = state.contexts[contextId] ?? Context()
            let task = context.repetition
            context.repetition = nil
            context.generation += 1
            state.contexts[contextId] = context
            return (task, context.generation)
        }
        task?.cancel()
        return generation
    }

    private func isCurrent(_ contextId: String, _ generation: Int) -> Bool {
        state.withLock { $0.contexts[contextId]?.generation == generation }
    }

    private func repeatState(_ contextId: String, _ content: Data, _ generation: Int) {
        let pause = UInt64.nanoseconds(heartbeat)
        state.withLock { state in
            guard state.contexts[contextId]?.generation == generation else { return }
            state.contexts[contextId]?.repetition = Task { [weak self] in
                while (try? await Task.sleep(nanoseconds: pause)) != nil {
                    guard let self, self.isCurrent(contextId, generation) else { return }
                    do {
                        try await self.send(contextId, content)
                    } catch {
                        // Refused for good: nobody waits for this answer.
                        guard Self.isPassing(error) else { return }
                    }
                }
            }
        }
    }

    // MARK: - One statement

    private func send(_ contextId: String, _ content: Data?) async throws {
        try await enter(contextId)
        defer { leave(contextId) }
        guard let sentAt = UInt64(sinceEpoch: now().timeIntervalSince1970 * 1000) else {
            throw AccountError.invalidInput("the clock shows no date that a statement can carry")
        }
        let sequence = state.withLock { state -> UInt64 in
            let last = state.contexts[contextId]?.lastSequence ?? 0
            // Seeded by the clock, so that a relay never sees an old one after a restart of this device.
            let next = max(sentAt, last == .max ? .max : last + 1)
            state.contexts[contextId, default: Context()].lastSequence = next
            return next
        }
        let statement = try PresenceStatement(
            context: contextId, author: relay.signer.signPublicKeyBytes, sequence: sequence, sentAt: sentAt,
            state: content)
        let signature = try await relay.signer.checkedSignature(over: statement.bytes)
        try await relay.presenceIntent(
            contextId: contextId,
            request: PresenceIntentRequest(
                state: content.map { Hex.encode($0) }, seq: sequence, sentAtMs: sentAt,
                signature: Hex.encode(signature), authorProof: relay.authorProof))
    }

    /// Waits for its turn: a later statement must not overtake an earlier one on the wire.
    private func enter(_ contextId: String) async throws {
        let ticket = state.withLock { state -> Int in
            state.lastTicket += 1
            return state.lastTicket
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let ready = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    var context = state.contexts[contextId] ?? Context()
                    defer { state.contexts[contextId] = context }
                    guard context.isBusy else {
                        context.isBusy = true
                        return .success(())
                    }
                    context.queue.append(ticket)
                    context.waiting[ticket] = continuation
                    return nil
                }
                if let ready { continuation.resume(with: ready) }
            }
        } onCancel: {
            state.withLock { $0.contexts[contextId]?.waiting.removeValue(forKey: ticket) }?
                .resume(throwing: CancellationError())
        }
    }

    private func leave(_ contextId: String) {
        let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
            guard var context = state.contexts[contextId] else { return nil }
            defer { state.contexts[contextId] = context }
            while !context.queue.isEmpty {
                if let next = context.waiting.removeValue(forKey: context.queue.removeFirst()) { return next }
            }
            context.isBusy = false
            return nil
        }
        next?.resume()
    }
}
