import Foundation
import MeroKit
import MeroWebSocket

/// One open WebSocket of a client.
///
/// Locks are taken in this order: the hub's, `state`, the socket's. Nothing is asked of the hub under `state`.
final class WebSocketPeer: DevUpgradedProtocol, LiveStream {
    private struct State {
        let session: WebSocketSession
        var socket: DevUpgradedSocket?
        var number: Int?
        var subscription: EventSubscription?
        var requests: AsyncStream<[UInt8]>.Continuation?
        var executions: [Int: Task<Void, Never>] = [:]
        var nextExecution = 0
        /// Requests without a reply yet.
        var inFlight = 0
        var isReadingPaused = false
        var queue: [[UInt8]] = []
        var shape = StreamShape()
        var framesLeft: Int?
        var bytesSent = 0
        /// A close frame is out, or the client broke the protocol.
        var isClosing = false
        var isOver = false
        var nextPing = UInt64.max
        var unansweredPing: UInt64?
        var closeDeadline = UInt64.max
    }

    private static let requestsInFlight = 32
    /// What the system has not taken yet; beyond it messages wait in the queue.
    private static let socketBacklog = 64 << 10
    /// What may wait for a client that sends and does not read: answers to its pings, and replies beside the events that
    /// are bounded anyway. Beyond it nothing is read from it.
    private static let unsentLimit = 1 << 20
    private static let unsentReplies = 32
    private static let goodbyeTime: UInt64 = 2_000_000_000

    private let service: WebSocketService
    private let caller: Caller
    private let state: Locked<State>

    /// Nil when there is no memory for it.
    init?(_ service: WebSocketService, caller: Caller) {
        guard let session = WebSocketSession(.server) else { return nil }
        self.service = service
        self.caller = caller
        state = Locked(State(session: session))
    }

    // MARK: - The connection

    func opened(_ socket: DevUpgradedSocket) {
        let (requests, continuation) = Self.makeStream()
        let subscription = service.hub.attach(EventPrincipal(caller)) { [weak self] in self?.deliver($0) ?? false }
        state.withLock { state in
            state.socket = socket
            state.subscription = subscription
            state.requests = continuation
            state.nextPing = DispatchTime.now().uptimeNanoseconds + interval
        }
        let number = service.registry.add(self)
        state.withLock { $0.number = number }
        let task = Task { [self] in
            for await request in requests { await self.handle(request, subscription) }
            let executions = state.withLock { Array($0.executions.values) }
            for execution in executions { await execution.value }
            service.registry.remove(number)
        }
        service.registry.tend(number, by: task)
    }

    private static func makeStream() -> (AsyncStream<[UInt8]>, AsyncStream<[UInt8]>.Continuation?) {
        var continuation: AsyncStream<[UInt8]>.Continuation?
        let stream = AsyncStream<[UInt8]> { continuation = $0 }
        return (stream, continuation)
    }

    func received(_ bytes: UnsafeRawBufferPointer) {
        state.withLock { state in
            state.session.receive(bytes)
            for event in state.session.takeEvents() {
                switch event {
                case .text(let text):
                    guard !state.isClosing else { continue }
                    state.inFlight += 1
                    state.requests?.yield(text)
                case .pong: state.unansweredPing = nil
                case .binary, .ping: break
                case .close, .failed: startClosing(&state)
                }
            }
            flush(&state)
            adjustReading(&state)
        }
    }

    func drained() {
        state.withLock { state in
            pump(&state)
            adjustReading(&state)
        }
    }

    /// A client that does not wait for its replies, or does not take them, is not listened to meanwhile.
    private func adjustReading(_ state: inout State) {
        guard let socket = state.socket else { return }
        let room = service.options.eventQueueLength + service.options.eventBacklog
        let pauses =
            state.inFlight >= Self.requestsInFlight || state.queue.count >= max(1, room) + Self.unsentReplies
            || socket.unsentBytes + state.session.outputCount >= Self.unsentLimit
        guard pauses != state.isReadingPaused else { return }
        state.isReadingPaused = pauses
        socket.pauseReading(pauses)
    }

    func tick(_ now: UInt64) -> UInt64 {
        state.withLock { state in
            if state.isClosing {
                if now >= state.closeDeadline { state.socket?.cut() }
                return now >= state.closeDeadline ? .max : state.closeDeadline
            }
            if now >= state.nextPing {
                state.nextPing = now + interval
                if let sent = state.unansweredPing, now - sent >= Self.nanoseconds(service.options.webSocketPongTimeout)
                {
                    state.session.close(code: 1002, reason: "Ping timeout")
                    startClosing(&state)
                } else if !state.shape.isStalled {
                    state.session.ping()
                    if state.unansweredPing == nil { state.unansweredPing = now }
                }
                flush(&state)
            }
            return min(state.nextPing, state.closeDeadline)
        }
    }

    func closed() {
        let (subscription, requests, executions) = state.withLock { state in
            state.isOver = true
            state.queue = []
            state.socket = nil
            defer { state.requests = nil }
            return (state.subscription, state.requests, Array(state.executions.values))
        }
        subscription?.detach()
        requests?.finish()
        for execution in executions { execution.cancel() }
    }

    private var interval: UInt64 { max(1_000_000, Self.nanoseconds(service.options.webSocketPingInterval)) }

    private static func nanoseconds(_ seconds: TimeInterval) -> UInt64 { UInt64(max(0, min(seconds, 1e9)) * 1e9) }

    // MARK: - Requests

    private func handle(_ request: [UInt8], _ subscription: EventSubscription) async {
        // What changes subscriptions happens in order; a method may take its time, and others overtake it.
        guard Self.isExecution(request) else { return await answer(request, subscription) }
        state.withLock { state in
            guard !state.isOver else { return }
            state.nextExecution += 1
            let number = state.nextExecution
            state.executions[number] = Task { [self] in
                await answer(request, subscription)
                self.state.withLock { _ = $0.executions.removeValue(forKey: number) }
            }
        }
    }

    private static func isExecution(_ request: [UInt8]) -> Bool {
        (try? JsonParser.parse(request))?["method"] == "execute"
    }

    private func answer(_ request: [UInt8], _ subscription: EventSubscription) async {
        let reply = await service.answer(request, caller: caller, subscription: subscription)
        state.withLock { state in
            state.inFlight -= 1
            if let reply, !state.isClosing {
                state.queue.append(reply)
                pump(&state)
            }
            adjustReading(&state)
        }
    }

    // MARK: - Sending

    /// Called under the hub's lock. False when the message was dropped.
    private func deliver(_ message: EventMessage) -> Bool {
        let room = service.options.eventQueueLength + service.options.eventBacklog
        return state.withLock { state in
            guard !state.isClosing, !state.isOver, state.queue.count < max(1, room) else { return false }
            state.queue.append(Array(#"{"id":null,"#.utf8) + message.member + [UInt8(ascii: "}")])
            pump(&state)
            return true
        }
    }

    /// Sends what is queued for as long as the system takes it.
    private func pump(_ state: inout State) {
        guard !state.shape.isStalled, let socket = state.socket else { return flush(&state) }
        var sent = 0
        while sent < state.queue.count, socket.unsentBytes < Self.socketBacklog {
            let message = state.queue[sent]
            sent += 1
            for _ in 0..<state.shape.copies { state.session.send(text: message) }
            flush(&state)
            if let left = state.framesLeft {
                state.framesLeft = left - 1
                if left <= 1 {
                    state.queue = []
                    return socket.finish()
                }
            }
        }
        state.queue.removeFirst(sent)
        flush(&state)
    }

    private func flush(_ state: inout State) {
        guard !state.shape.isStalled, let socket = state.socket else { return }
        var bytes = state.session.takeOutput()
        if let limit = state.shape.cutAfterBytes, state.bytesSent + bytes.count >= limit {
            bytes = Array(bytes.prefix(max(0, limit - state.bytesSent)))
            socket.send(bytes)
            state.bytesSent += bytes.count
            return socket.finish()
        }
        state.bytesSent += bytes.count
        socket.send(bytes)
        if state.session.isOver { socket.finish() }
    }

    private func startClosing(_ state: inout State) {
        guard !state.isClosing else { return }
        state.isClosing = true
        state.queue = []
        state.closeDeadline = DispatchTime.now().uptimeNanoseconds + Self.goodbyeTime
    }

    // MARK: - Faults

    var kind: DevStream.Kind { .webSocket }
    var sessionId: String? { nil }

    func apply(_ shape: StreamShape) {
        state.withLock { state in
            state.shape = shape
            state.shape.copies = max(1, shape.copies)
            state.framesLeft = shape.cutAfterFrames
            if shape.cutAfterFrames == 0 { state.socket?.finish() }
            state.socket?.limitPieces(to: shape.pieceLimit)
            pump(&state)
            adjustReading(&state)
        }
    }

    func cut() {
        state.withLock { state in
            flush(&state)
            state.socket?.finish()
        }
    }

    /// Without a word and without waiting for anything.
    func reset() { state.withLock { $0.socket }?.cut() }

    func finish() { close(code: 1001, reason: "") }

    func announceClose(reason: String) { close(code: 1001, reason: reason) }

    /// - Parameter code: nil for a close frame without one.
    func close(code: UInt16?, reason: String) {
        state.withLock { state in
            pump(&state)
            state.session.close(code: code, reason: reason)
            startClosing(&state)
            flush(&state)
        }
    }

    func send(raw bytes: Data) -> Bool {
        state.withLock { state in
            guard let socket = state.socket, !state.isOver else { return false }
            socket.send(Array(bytes))
            return true
        }
    }

    func send(_ text: [UInt8]) {
        state.withLock { state in
            state.queue.append(text)
            pump(&state)
        }
    }
}
