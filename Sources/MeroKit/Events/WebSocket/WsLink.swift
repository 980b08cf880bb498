import Foundation

/// How to reach the node's WebSocket.
struct WsSettings: Sendable {
    let base: BaseURL
    /// Asked before each attempt. Throws `CredentialRefusal` to end the connection for good.
    let token: @Sendable () async throws -> String?
    let refused: StreamRefusal.Hook
    /// Told once the node has revoked the credential, with the reason and the token that was shown.
    let revoked: @Sendable (_ reason: String, _ presented: String?) async -> Void
    /// Told that the node took the token.
    let accepted: @Sendable (_ presented: String?) -> Void
    let connector: any WebSocketConnector
    let timing: WebSocketTiming
}

/// A WebSocket that is opened again whenever it ends, with everything subscribed to again.
///
/// Spec: 40, section 4.
final class WsLink: Sendable {
    private struct State {
        var wanted: EventSubscriptions
        var task: Task<Void, Never>?
        /// Grows with each start, so that a run that was stopped cannot take itself for the next one.
        var run = 0
        var connection: (any WebSocketConnection)?
        var nextId: UInt64 = 1
        var pending: [UInt64: Pending] = [:]
        /// What came is being handed on, which may wait for a slow consumer; replies wait behind it.
        var isDelivering = false
    }

    /// A request without a reply yet, or with one that nobody has taken.
    private struct Pending {
        var waiter: CheckedContinuation<Data, any Error>?
        var outcome: Result<Data, any Error>?
    }

    private let settings: WsSettings
    private let state: Locked<State>
    private let deliver: @Sendable ([ContextEvent], _ bytes: Int) async -> Void
    private let report: @Sendable (any Error) -> Void
    private let ended: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - deliver: Given events in order, with their size. Nothing more is read until it returns.
    ///   - report: Told why a connection failed that will be opened again, and what else went wrong.
    ///   - ended: Told why it will not.
    init(
        _ settings: WsSettings, wanted: EventIds = EventIds(),
        deliver: @escaping @Sendable ([ContextEvent], _ bytes: Int) async -> Void,
        report: @escaping @Sendable (any Error) -> Void = { _ in },
        ended: @escaping @Sendable (any Error) -> Void
    ) {
        self.settings = settings
        self.deliver = deliver
        self.report = report
        self.ended = ended
        var subscriptions = EventSubscriptions()
        _ = subscriptions.add(wanted)
        state = Locked(State(wanted: subscriptions))
    }

    // MARK: - Life

    /// Does nothing when it is running.
    func start() {
        state.withLock { state in
            guard state.task == nil else { return }
            state.run += 1
            let run = state.run
            state.task = Task { await self.run(run) }
        }
    }

    /// Ends the connection and every request. Ids are kept.
    func stop() {
        let (task, connection, pending) = state.withLock { state in
            defer {
                state.task = nil
                state.connection = nil
                state.pending = [:]
                state.run += 1
                state.wanted.endSession()
            }
            return (state.task, state.connection, state.pending)
        }
        task?.cancel()
        connection?.close()
        for entry in pending.values {
            entry.waiter?.resume(throwing: MeroError.network("The WebSocket client was closed"))
        }
    }

    func forgetSubscriptions() { state.withLock { $0.wanted = EventSubscriptions() } }

    private func isCurrent(_ run: Int) -> Bool { state.withLock { $0.run == run } }

    private func report(_ error: any Error, _ run: Int) {
        if isCurrent(run) { report(error) }
    }

    private func finish(_ error: any Error, _ run: Int) {
        let isCurrent = state.withLock { state in
            guard state.run == run else { return false }
            state.task = nil
            return true
        }
        if isCurrent { ended(error) }
    }

    // MARK: - Connecting

    private func run(_ run: Int) async {
        var attempt = 0
        var hasRetriedAtOnce = false
        var token: String?
        while isCurrent(run) {
            do {
                let connection = try await open(&token)
                attempt = 0
                hasRetriedAtOnce = false
                settings.accepted(token)
                try await follow(connection, run)
            } catch let refusal as HTTPError {
                switch await judge(refusal, token) {
                case .finish(let error): return finish(error, run)
                // Once: a node that refuses every new token as well must not be asked as fast as it answers.
                case .retryNow where !hasRetriedAtOnce:
                    hasRetriedAtOnce = true
                    continue
                case .retryNow, .retryAfterDelay: report(MeroError.http(refusal), run)
                }
            } catch let refusal as CredentialRefusal {
                return finish(refusal.error, run)
            } catch SealedTransportError.webSocket {
                // It is the same in every attempt.
                return finish(SealedTransportError.webSocket, run)
            } catch {
                if Task.isCancelled { return }
                report(error, run)
            }
            let delay = max(0, settings.timing.delay(attempt))
            attempt += 1
            try? await Task.sleep(nanoseconds: .nanoseconds(delay))
        }
    }

    private func open(_ presented: inout String?) async throws -> any WebSocketConnection {
        let target = try WebSocketTarget(base: settings.base)
        let token = try await Self.leavingWhenCancelled(settings.token)
        presented = token
        guard let token, !token.isBlank else {
            throw MeroError.network("There is no access token to open the WebSocket with")
        }
        return try await settings.connector.open(target, token: token)
    }

    private func judge(_ refusal: HTTPError, _ token: String?) async -> StreamRefusal {
        guard refusal.status == 401 || refusal.status == 403 else { return .retryAfterDelay }
        if let reason = refusal.headers["x-auth-error"], ["token_revoked", "token_reuse"].contains(reason) {
            await settings.revoked(reason, token)
            return .finish(MeroError.authRevoked(reason: reason, http: refusal))
        }
        if refusal.status == 403 { return .finish(MeroError.http(refusal)) }
        let refused = settings.refused
        return (try? await Self.leavingWhenCancelled { await refused(refusal, token) }) ?? .retryAfterDelay
    }

    /// What the app does in its closures may take long, and need not heed cancellation: it is told, and not waited for.
    private static func leavingWhenCancelled<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await SingleFlight<Value>(endsWhenAbandoned: true).value(work).value
    }

    // MARK: - Following

    /// Works on what comes until the connection is over, and throws why.
    private func follow(_ connection: any WebSocketConnection, _ run: Int) async throws {
        defer {
            connection.close()
            lose(connection)
        }
        let subscription = try state.withLock { state -> UInt64? in
            guard state.run == run else { throw CancellationError() }
            state.connection = connection
            let wanted = state.wanted.all
            guard !wanted.isEmpty else { return nil }
            let id = try begin(&state) { WsMessage.subscription("subscribe", id: $0, wanted) }
            state.wanted.setAsked(true, wanted)
            return id
        }
        if let subscription { Task { await self.watch(subscription, connection, run) } }
        while true {
            let batch = try await connection.receive()
            var events: [ContextEvent] = []
            var bytes = 0
            for message in batch {
                switch WsMessage.classify(message) {
                case .reply(let id, let data):
                    // Events flow from here on: what was missed before is marked in front of them.
                    if id == subscription { events += confirm(nil, data) }
                    settle(id, .success(data))
                case .event(let event):
                    events.append(event)
                    bytes += message.count
                case .ignored: break
                }
            }
            guard !events.isEmpty else { continue }
            state.withLock { $0.isDelivering = true }
            await deliver(events, bytes)
            state.withLock { $0.isDelivering = false }
        }
    }

    /// A connection on which nothing is subscribed to is of no use: it is given up, and so opened again.
    private func watch(_ subscription: UInt64, _ connection: any WebSocketConnection, _ run: Int) async {
        do {
            try JsonRpcAnswer.throwError(in: try await reply(to: subscription))
        } catch MeroError.rpc(let error) {
            report(MeroError.rpc(error), run)
        } catch {
            let isOpen = state.withLock { $0.connection === connection && !$0.isDelivering }
            guard isOpen else { return }
            report(error, run)
            connection.close()
        }
    }

    private func lose(_ connection: any WebSocketConnection) {
        let pending = state.withLock { state -> [Pending] in
            guard state.connection === connection else { return [] }
            defer {
                state.connection = nil
                state.pending = [:]
                state.isDelivering = false
                state.wanted.endSession()
            }
            return Array(state.pending.values)
        }
        for entry in pending {
            entry.waiter?.resume(throwing: MeroError.network("The WebSocket was lost before the reply came"))
        }
    }

    // MARK: - Requests

    /// Remembers the ids, and asks the node for the new ones if the connection is open.
    func subscribe(_ ids: EventIds) async throws {
        let (fresh, reply) = try await change("subscribe") { $0.add(ids) }
        if let reply { _ = confirm(fresh, reply) }
    }

    /// Forgets the ids, and tells the node if the connection is open.
    func unsubscribe(_ ids: EventIds) async throws {
        _ = try await change("unsubscribe") { $0.remove(ids) }
    }

    /// Returns the ids that the change was about, and the node's reply if it was asked.
    private func change(
        _ method: String, _ change: (inout EventSubscriptions) -> EventIds
    ) async throws -> (EventIds, Data?) {
        // In one step, so that the node hears of changes in their order, and of none twice.
        let (changed, id) = try state.withLock { state -> (EventIds, UInt64?) in
            let changed = change(&state.wanted)
            let id = changed.isEmpty ? nil : try begin(&state) { WsMessage.subscription(method, id: $0, changed) }
            if id != nil { state.wanted.setAsked(true, changed) }
            return (changed, id)
        }
        guard let id else { return (changed, nil) }
        let reply = try await reply(to: id)
        do {
            try JsonRpcAnswer.throwError(in: reply)
        } catch {
            state.withLock { $0.wanted.setAsked(false, changed) }
            throw error
        }
        return (changed, reply)
    }

    /// Takes the node's reply to a subscription to these ids; nil for all that there were.
    ///
    /// - Returns: a mark for each id whose events were missed since an earlier connection.
    private func confirm(_ ids: EventIds?, _ reply: Data) -> [ContextEvent] {
        guard (try? JsonRpcAnswer.throwError(in: reply)) != nil else {
            state.withLock { state in state.wanted.setAsked(false, ids ?? state.wanted.all) }
            return []
        }
        let granted = EventIds(result: reply, contexts: "contextIds", groups: "groupIds")
        return state.withLock { state in state.wanted.confirm(ids ?? state.wanted.all, granted: granted) }
    }

    /// Throws `MeroError.network` when the connection is not open.
    func execute(contextId: String, method: String, arguments: Data) async throws -> Data {
        let id = try state.withLock { state in
            try begin(&state) {
                WsMessage.execute(id: $0, contextId: contextId, method: method, arguments: arguments)
            }
        }
        guard let id else { throw MeroError.network("The WebSocket is not connected") }
        return try await reply(to: id)
    }

    /// Nil when the connection is not open.
    private func begin(_ state: inout State, _ message: (UInt64) -> [UInt8]) throws -> UInt64? {
        guard let connection = state.connection else { return nil }
        let id = state.nextId
        state.nextId += 1
        try connection.send(message(id))
        state.pending[id] = Pending()
        return id
    }

    private func reply(to id: UInt64) async throws -> Data {
        let seconds = settings.timing.reply
        let timer = Task {
            try await Task.sleep(nanoseconds: .nanoseconds(seconds))
            settle(id, .failure(MeroError.network("No reply came over the WebSocket within \(seconds) seconds")))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state -> Result<Data, any Error>? in
                    guard let entry = state.pending[id] else {
                        return .failure(MeroError.network("The WebSocket was lost before the reply came"))
                    }
                    if let outcome = entry.outcome {
                        state.pending[id] = nil
                        return outcome
                    }
                    if Task.isCancelled {
                        state.pending[id] = nil
                        return .failure(CancellationError())
                    }
                    state.pending[id]?.waiter = continuation
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            settle(id, .failure(CancellationError()))
        }
    }

    private func settle(_ id: UInt64, _ outcome: Result<Data, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Data, any Error>? in
            guard let entry = state.pending[id] else { return nil }
            if entry.waiter == nil {
                if entry.outcome == nil { state.pending[id]?.outcome = outcome }
                return nil
            }
            state.pending[id] = nil
            return entry.waiter
        }
        waiter?.resume(with: outcome)
    }
}
