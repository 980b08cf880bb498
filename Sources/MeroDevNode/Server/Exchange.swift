import CMicrohttpd
import Foundation
import MeroKit

/// One request and its answer, from the request line to the completion callback.
///
/// libmicrohttpd's thread, the handler's task, the peer watcher and `stop` all touch it; the lock decides who comes first.
/// Suspending and resuming happen inside the lock, so that a connection is never left suspended.
final class Exchange: Sendable {
    private enum Phase {
        case head
        case body
        /// Suspended until a piece of the body is on disk.
        case spooling
        /// Suspended until the outcome is known.
        case handling
        case reply(PreparedReply)
        case drop
        case sending(ReplyBody?)
        case over
    }

    private struct State {
        var phase = Phase.head
        var connection: OpaquePointer?
        var isSuspended = false
        var isAborted = false
        var request: DevHttpRequest?
        var limit: UInt64?
        var deadline: Date?
        /// Answered already, since its body did not come in time.
        var isLate = false
        /// Bytes of the body that are not on disk.
        var body = Data()
        var bodyPrefix = Data()
        var received: UInt64 = 0
        var spool: SpoolFile?
        var hasSpoolFailed = false
        var task: Task<Void, Never>?
        var watch: Int?
        var upgrade: PendingUpgrade?

        var isTooLarge: Bool { limit.map { received > $0 } ?? false }

        mutating func suspendConnection() {
            guard !isSuspended, let connection else { return }
            isSuspended = true
            MHD_suspend_connection(connection)
        }

        mutating func resumeConnection() {
            guard isSuspended, let connection else { return }
            isSuspended = false
            MHD_resume_connection(connection)
        }
    }

    private static let spoolPiece = 1 << 20

    let run: ServerRun
    let rawTarget: String
    private let state = Locked(State())

    init(run: ServerRun, rawTarget: String) {
        self.run = run
        self.rawTarget = rawTarget
    }

    // MARK: On libmicrohttpd's thread

    /// The access handler: called with the head, with every piece of the body, at its end and after every resumption.
    func proceed(
        connection: OpaquePointer, method: String, upload: UnsafePointer<CChar>?, size: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        state.withLock { state in
            if state.isAborted { return .NO }
            switch state.phase {
            case .head:
                state.connection = connection
                let request = RequestHead.read(method: method, rawTarget: rawTarget, connection: connection)
                state.limit = run.options.bodyLimit(request)
                state.deadline = run.options.bodyDeadline(request)
                state.request = request
                state.phase = .body
                return .YES
            case .body:
                if state.isLate {
                    // Read to its end all the same, so that no reset overtakes the answer.
                    defer { size.pointee = 0 }
                    return size.pointee > 0 ? .YES : .NO
                }
                guard size.pointee > 0 else { return handle(&state) }
                if let upload {
                    take(UnsafeRawBufferPointer(start: upload, count: size.pointee), &state)
                }
                size.pointee = 0
                return .YES
            case .reply(let reply):
                return send(reply, on: connection, &state)
            case .drop, .sending, .over:
                return .NO
            case .spooling, .handling:
                // Suspended, so nothing should come; keep the connection as it is.
                return .YES
            }
        }
    }

    /// The last call for this request; the connection may be gone right after it.
    func complete() {
        let (body, upgrade) = state.withLock { state -> (ReplyBody?, PendingUpgrade?) in
            if let watch = state.watch { run.watcher.remove(watch) }
            state.watch = nil
            state.connection = nil
            state.isSuspended = false
            state.spool = nil
            defer {
                state.phase = .over
                state.upgrade = nil
            }
            switch state.phase {
            case .body, .spooling:
                if var request = state.request, !state.isLate {
                    request.bodyLength = state.received
                    _ = run.log.append(request, bodyPrefix: recorded(state), isComplete: false)
                }
                return (nil, nil)
            // Decided, but the client left before libmicrohttpd asked for it.
            case .reply(let reply): return (reply.body, reply.upgrade)
            case .sending(let body): return (body, state.upgrade)
            case .head, .handling, .drop, .over: return (nil, nil)
            }
        }
        upgrade?.complete()
        body?.detach()
        body?.close(.clientLeft)
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ state: inout State) {
        state.received += UInt64(bytes.count)
        // What is not wanted is still read to its end, or the client would see a reset instead of the answer.
        if state.isTooLarge || state.hasSpoolFailed {
            if state.bodyPrefix.isEmpty { state.bodyPrefix = recorded(state) }
            state.body = Data()
            state.spool = nil
            return
        }
        state.body.append(contentsOf: bytes)
        let keeps = state.spool == nil ? run.options.bodySpoolThreshold : Self.spoolPiece
        if state.body.count > keeps { spool(&state) }
    }

    private func spool(_ state: inout State) {
        let piece = state.body
        state.body = Data()
        if state.spool == nil {
            state.bodyPrefix = Data(piece.prefix(RequestLog.bodyCap))
            state.spool = SpoolFile(in: run.options.spoolDirectory)
        }
        guard let spool = state.spool else { return }
        state.phase = .spooling
        state.suspendConnection()
        // The group is left once the block is let go of, and the file with it: none outlives the server's stop.
        DispatchQueue.global().async(group: run.group) { [self] in
            let isWritten = spool.write(piece)
            self.state.withLock { state in
                if !isWritten { state.hasSpoolFailed = true }
                if case .spooling = state.phase { state.phase = .body }
                state.resumeConnection()
            }
        }
    }

    private func recorded(_ state: State) -> Data {
        if !state.bodyPrefix.isEmpty { return state.bodyPrefix }
        return state.body.count <= RequestLog.bodyCap ? state.body : Data(state.body.prefix(RequestLog.bodyCap))
    }

    private func handle(_ state: inout State) -> MHD_Result {
        guard var request = state.request else { return .NO }
        state.request = nil
        request.bodyLength = state.received
        let number = run.log.append(request, bodyPrefix: recorded(state), isComplete: true)
        let rest = state.body
        state.body = Data()
        if state.spool == nil { request.body = rest }
        state.phase = .handling
        state.suspendConnection()
        run.group.enter()
        state.task = Task {
            [request, spool = state.spool, refusal = refusal(of: state), failed = state.hasSpoolFailed] in
            if let answer = refusal?(request) {
                self.settle(
                    PreparedReply.make(answer, method: request.method, shape: BodyShape(), run: self.run),
                    record: number)
            } else if !failed, await self.finish(spool, with: rest) {
                await self.judge(request, bodyFile: spool?.url, record: number)
            } else {
                self.settle(PreparedReply.failure("the request body cannot be spooled", run: self.run), record: number)
            }
            self.run.group.leave()
        }
        return .YES
    }

    /// What is wrong with a body that has come whole.
    private func refusal(of state: State) -> (@Sendable (DevHttpRequest) -> DevHttpResponse)? {
        if let deadline = state.deadline, run.options.now() >= deadline { return run.options.bodyTooLate }
        return state.isTooLarge ? run.options.bodyTooLarge : nil
    }

    private func send(_ reply: PreparedReply, on connection: OpaquePointer, _ state: inout State) -> MHD_Result {
        if let body = reply.body {
            body.attach(connection)
            state.watch = run.watcher.add(merokit_mhd_connection_socket(connection)) { [weak body] in
                body?.close(.clientLeft)
            }
        }
        // libmicrohttpd will point to it, so it has to stay for as long as the request does.
        state.upgrade = reply.upgrade
        state.phase = .sending(reply.body)
        return MHD_queue_response(connection, UInt32(reply.status), reply.response)
    }

    // MARK: In the handler's task

    private func finish(_ spool: SpoolFile?, with rest: Data) async -> Bool {
        guard let spool else { return true }
        return await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: spool.write(rest)) }
        }
    }

    private func judge(_ request: DevHttpRequest, bodyFile: URL?, record: Int) async {
        var request = request
        request.bodyFile = bodyFile
        var answer: DevHttpResponse?
        var shape = BodyShape()
        var isCutAfter = false
        for fault in run.faults.take(method: request.method, path: request.path) {
            switch fault {
            case .delay(let seconds): await pause(seconds)
            case .stall: return stall()
            case .cutBeforeHandler: return settle(nil)
            case .cutAfterHandler: isCutAfter = true
            case .cutMidBody(let count): shape.cutAfter = count
            case .slowBody(let chunk, let interval): shape.slow = (chunk, interval)
            case .status(let status, let retryAfter, let body, let headers):
                answer = DevHttpResponse(
                    status: status,
                    headers: headers.map { ($0.key, $0.value) } + (retryAfter.map { [("Retry-After", $0)] } ?? []),
                    body: body.map { .bytes($0) } ?? .none)
            case .answer(let bytes, let contentType):
                answer = DevHttpResponse(status: 200, headers: [("Content-Type", contentType)], body: .bytes(bytes))
            case .tokenExpired: request.faultHint = .tokenExpired
            case .revokeFamily: request.faultHint = .revokeFamily
            }
        }
        if Task.isCancelled { return settle(nil) }
        let final: DevHttpResponse
        if let answer {
            final = answer
        } else {
            final = await run.handler(request)
            if final.handlerRan { run.log.countHandlerRun(method: request.method, path: request.path) }
            if let inner = final.innerRun { run.log.countHandlerRun(method: inner.method, path: inner.path) }
        }
        state.withLock { $0.spool = nil }
        if isCutAfter {
            if case .stream(let stream) = final.body { stream.close(.cut) }
            if case .upgrade(let proto) = final.body { proto.closed() }
            return settle(nil)
        }
        let reply = PreparedReply.make(final, method: request.method, shape: shape, run: run)
        settle(reply, record: shape.cutAfter == nil ? record : nil)
    }

    private func pause(_ seconds: TimeInterval) async {
        let nanoseconds = max(0, min(seconds, 1e9)) * 1e9
        try? await Task.sleep(nanoseconds: UInt64(nanoseconds))
    }

    /// Decides the outcome, unless `stop` or a leaving client already has. No reply drops the connection.
    private func settle(_ reply: PreparedReply?, record: Int? = nil) {
        // Before the client can have the answer, since it may look at the records right then.
        if let reply, let record { run.log.setStatus(reply.status, of: record) }
        let isTaken = state.withLock { state -> Bool in
            guard case .handling = state.phase else { return false }
            state.phase = reply.map { .reply($0) } ?? .drop
            state.spool = nil
            state.resumeConnection()
            return true
        }
        guard !isTaken else { return }
        reply?.body?.close(.serverStopped)
        reply?.upgrade?.complete()
    }

    private func stall() {
        state.withLock { state in
            guard case .handling = state.phase, let connection = state.connection else { return }
            state.spool = nil
            state.watch = run.watcher.add(merokit_mhd_connection_socket(connection)) { [weak self] in
                self?.settle(nil)
            }
            // Without a watcher nothing would ever end the stall.
            if state.watch == nil {
                state.phase = .drop
                state.resumeConnection()
            }
        }
    }

    // MARK: From outside

    /// Bytes of the body while libmicrohttpd waits for more of the request; nil at any other time.
    var receivedSoFar: UInt64? {
        state.withLock { state in
            switch state.phase {
            case .head, .body: return state.received
            case .spooling, .handling, .reply, .drop, .sending, .over: return nil
            }
        }
    }

    /// Answers a request whose body has not come in time, and says that nothing more will follow.
    ///
    /// libmicrohttpd takes no answer while it waits for a body and writes nothing of its own then, so this one goes past it.
    func refuseIfLate(at now: Date, on descriptor: Int32) {
        state.withLock { state in
            guard case .body = state.phase, !state.isLate, let deadline = state.deadline, now >= deadline,
                var request = state.request
            else { return }
            state.isLate = true
            request.bodyLength = state.received
            let answer = run.options.bodyTooLate(request)
            let number = run.log.append(request, bodyPrefix: recorded(state), isComplete: false)
            run.log.setStatus(answer.status, of: number)
            let bytes = answer.lastOfItsConnection
            _ = bytes.withUnsafeBytes { merokit_send(descriptor, $0.baseAddress, $0.count) }
            _ = shutdown(descriptor, Int32(SHUT_WR))
            state.body = Data()
            state.spool = nil
        }
    }

    /// Ends it whatever it does, because the server stops.
    func abort() {
        let (task, body, upgrade) = state.withLock { state -> (Task<Void, Never>?, ReplyBody?, PendingUpgrade?) in
            state.isAborted = true
            var body: ReplyBody?
            var upgrade: PendingUpgrade?
            switch state.phase {
            case .reply(let reply):
                body = reply.body
                upgrade = reply.upgrade
                state.phase = .drop
            case .sending(let sending): body = sending
            case .body, .spooling: break
            case .head, .handling, .drop, .over: state.phase = .drop
            }
            state.resumeConnection()
            return (state.task, body, upgrade)
        }
        upgrade?.complete()
        task?.cancel()
        body?.close(.serverStopped)
    }
}
