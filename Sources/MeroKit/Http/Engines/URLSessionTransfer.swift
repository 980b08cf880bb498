import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One call of a `URLSessionEngine` on its way: what has arrived so far, and who waits for it.
///
/// `@unchecked Sendable`: after `init` every method and property is used on `queue` only, which is serial.
final class URLSessionTransfer: @unchecked Sendable {
    let request: EngineRequest
    /// Known here and not to Foundation, which is given a stream on some platforms.
    private let uploadSize: Int64
    private let queue: DispatchQueue
    private var continuation: CheckedContinuation<EngineResponse, Error>?
    private var isFinished = false
    private var task: URLSessionTask?
    private var head: HTTPURLResponse?
    private var body = Data()
    private var sink: EngineFile?
    private var received: Int64 = 0
    private var timer: DispatchSourceTimer?
    /// Ends a task whose caller has been answered before its end.
    private var farewell: DispatchSourceTimer?
    /// How many of them there are in the engine.
    private let farewells: Locked<Int>
    private var lastActivity = DispatchTime.now()

    /// How much of a refusal's body is kept when a file was asked for.
    private static let refusalLimit = 64 * 1024

    init(request: EngineRequest, uploadSize: Int64, queue: DispatchQueue, farewells: Locked<Int>) {
        self.farewells = farewells
        self.request = request
        self.uploadSize = uploadSize
        self.queue = queue
    }

    // MARK: Life

    /// False if the call was cancelled before it began; its caller has been told then.
    func begin(_ continuation: CheckedContinuation<EngineResponse, Error>) -> Bool {
        guard !isFinished else {
            continuation.resume(throwing: CancellationError())
            return false
        }
        self.continuation = continuation
        return true
    }

    func run(_ task: URLSessionTask) {
        self.task = task
        startTimer()
        task.resume()
    }

    func cancel() {
        fail(CancellationError())
    }

    // MARK: What the session tells

    func didSend(_ sent: Int64) {
        guard !isFinished else { return }
        lastActivity = .now()
        request.uploadProgress?(TransferProgress(completed: sent, total: uploadSize))
    }

    /// Called once for each head, so more than once where Foundation hands out interim (1xx) answers too.
    func didReceive(_ response: URLResponse) {
        guard !isFinished else { return }
        lastActivity = .now()
        guard let response = response as? HTTPURLResponse else { return fail(.notHttp) }
        head = response
        body.removeAll()
        received = 0
        guard case .memory(let limit) = request.sink, request.method != "HEAD", let total = announcedLength else {
            return
        }
        if total > Int64(limit) { fail(.tooLarge(limit: limit)) }
    }

    func didReceive(_ data: Data) {
        guard !isFinished else { return }
        lastActivity = .now()
        received += Int64(data.count)
        var appetite = EngineAppetite.more
        switch request.sink {
        case .memory(let limit):
            guard received <= Int64(limit) else { return fail(.tooLarge(limit: limit)) }
            body.append(data)
        case .file(let url):
            guard isSuccess else {
                body.append(data.prefix(Self.refusalLimit - body.count))
                break
            }
            do {
                try data.withUnsafeBytes { try openSink(url).write($0) }
            } catch {
                return fail(error)
            }
        case .stream(let receiver):
            guard isSuccess else {
                body.append(data.prefix(Self.refusalLimit - body.count))
                break
            }
            appetite = data.withUnsafeBytes { receiver.receive($0) }
        }
        request.downloadProgress?(TransferProgress(completed: received, total: announcedLength))
        switch appetite {
        case .more: break
        case .enough: finishEarly()
        case .stop:
            finishWithHead()
            task?.cancel()
        }
    }

    /// - Parameter response: What the task says it got. Foundation on Linux delivers no head for a redirect that it
    ///   cannot read.
    func didComplete(_ response: URLResponse?, _ error: Error?) {
        endFarewell()
        guard !isFinished else { return }
        if let error { return fail(EngineError(foundation: error)) }
        guard let head = head ?? response as? HTTPURLResponse, head.statusCode >= 200 else { return fail(.notHttp) }
        self.head = head
        if case .file(let url) = request.sink, isSuccess {
            do {
                try openSink(url).close()
            } catch {
                return fail(error)
            }
        }
        sink = nil
        finishWithHead()
    }

    // MARK: Ends

    private func fail(_ error: EngineError) { fail(error as Error) }

    private func fail(_ error: Error) {
        guard !isFinished else { return }
        sink?.discard()
        sink = nil
        finish(.failure(error))
        task?.cancel()
    }

    private func finishWithHead() {
        guard let head else { return fail(.notHttp) }
        finish(.success(EngineResponse(status: head.statusCode, headers: Self.headers(of: head), body: body)))
    }

    /// Answers the caller, and gives the connection a while to come to its end.
    private func finishEarly() {
        finishWithHead()
        let isTaken = farewells.withLock { count in
            guard count < EngineFarewell.most else { return false }
            count += 1
            return true
        }
        guard isTaken else {
            task?.cancel()
            return
        }
        // No work item: even a cancelled one would keep this until it is due, and with it all that was sent and
        // received.
        let farewell = DispatchSource.makeTimerSource(queue: queue)
        farewell.setEventHandler { [self] in
            task?.cancel()
            endFarewell()
        }
        farewell.schedule(deadline: .now() + EngineFarewell.time)
        farewell.resume()
        self.farewell = farewell
    }

    private func endFarewell() {
        guard let farewell else { return }
        farewell.cancel()
        self.farewell = nil
        farewells.withLock { $0 -= 1 }
    }

    private func finish(_ result: Result<EngineResponse, Error>) {
        isFinished = true
        timer?.cancel()
        timer = nil
        body = Data()
        continuation?.resume(with: result)
        continuation = nil
    }

    // MARK: Inactivity

    /// Foundation's own timer counts whole seconds on Linux, so this one decides and Foundation's is set beyond it.
    private func startTimer() {
        lastActivity = .now()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.checkDeadline() }
        timer.schedule(deadline: deadline)
        timer.resume()
        self.timer = timer
    }

    private var deadline: DispatchTime { lastActivity + request.inactivityTimeout }

    private func checkDeadline() {
        guard !isFinished else { return }
        guard deadline <= .now() else {
            timer?.schedule(deadline: deadline)
            return
        }
        fail(.timedOut)
    }

    // MARK: Details

    private var isSuccess: Bool {
        guard let head else { return false }
        return (200..<300).contains(head.statusCode)
    }

    /// The body's length, where the head names it and it counts the bytes that will be delivered.
    private var announcedLength: Int64? {
        guard let head, head.expectedContentLength >= 0, head.value(forHTTPHeaderField: "Content-Encoding") == nil
        else { return nil }
        return head.expectedContentLength
    }

    private func openSink(_ url: URL) throws -> EngineFile {
        if let sink { return sink }
        let opened = try EngineFile(creating: url)
        sink = opened
        return opened
    }

    private static func headers(of response: HTTPURLResponse) -> [String: String] {
        // Sorted, since a field that came in two spellings has two entries here, in no order.
        let fields = response.allHeaderFields.compactMap { key, value -> (String, String)? in
            guard let name = key as? String else { return nil }
            let text = value as? String ?? "\(value)"
            return (name, text.trimmingCharacters(in: .whitespaces))
        }
        return fields.sorted { $0.0 < $1.0 }.reduce(into: [:]) { headers, field in
            let name = field.0.lowercased()
            headers[name] = headers[name].map { "\($0), \(field.1)" } ?? field.1
        }
    }
}
