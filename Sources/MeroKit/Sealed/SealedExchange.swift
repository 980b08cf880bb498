import Foundation

/// One sealed request on its way: opens the answer as it arrives, puts its body where the caller wants it, and resumes the
/// caller once.
///
/// `@unchecked Sendable`: `reader` and `incoming` belong to the carrier, which hands over one piece at a time and none after its call
/// has ended; only that call's own task touches it then. Everything else is constant or locked.
final class SealedExchange: EngineBodyReceiver, @unchecked Sendable {
    /// What has arrived.
    private struct Incoming {
        var head: SealedResponseHead?
        var body = Data()
        var file: EngineFile?
        var received: Int64 = 0
        var total: Int64?
        /// How many bytes may come when there is an outcome.
        var spare = 0
    }

    /// Who waits, and for whom.
    private struct State {
        var continuation: CheckedContinuation<EngineResponse, any Error>?
        var outcome: Result<EngineResponse, any Error>?
        /// Nil once it has ended.
        var carrier: Task<Void, Never>?
        var hasCarrierEnded = false
        var farewell: Task<Void, Never>?
    }

    /// Seconds. A carrier that has brought everything ends by itself by then, and its connection can be used again.
    private static let grace: TimeInterval = 1
    /// An end frame with its length.
    private static let endSize = 21

    /// Apart from what it is read into, so that both can be changed at the same time and without a copy.
    private var reader: SealedFrameReader
    private var incoming = Incoming()
    private let state = Locked(State())
    private let sink: EngineSink
    private let isHead: Bool
    private let bodySize: Int64
    private let progress: SealedProgress?

    /// - Parameter bodySize: of the request inside its seal.
    init(_ reader: SealedFrameReader, for request: EngineRequest, bodySize: Int = 0) {
        self.reader = reader
        self.bodySize = Int64(bodySize)
        sink = request.sink
        isHead = request.method == "HEAD"
        progress = SealedProgress(
            upload: bodySize > 0 ? request.uploadProgress : nil,
            // What the answer to HEAD announces never comes.
            download: isHead ? nil : request.downloadProgress)
    }

    /// What the carrier tells of the envelope's way; nil when nobody listens.
    ///
    /// - Parameter envelopeSize: the body's and that of its seal.
    func uploads(of envelopeSize: Int) -> (@Sendable (TransferProgress) -> Void)? {
        guard let progress, bodySize > 0 else { return nil }
        let (size, seal) = (bodySize, Int64(envelopeSize) - bodySize)
        return { progress.sent(TransferProgress(completed: max(0, $0.completed - seal), total: size)) }
    }

    /// Runs the carrier's call and returns what the frames say, which may be before the carrier is done.
    ///
    /// Throws what the carrier throws, `SealedTransportError`, `MeroError.http` for a refusal in the clear, and
    /// `CancellationError`.
    func run(
        url: String, _ carry: @escaping @Sendable () async throws -> EngineResponse
    ) async throws -> EngineResponse {
        defer { letGo() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let over = state.withLock { state -> Result<EngineResponse, any Error>? in
                    if let outcome = state.outcome { return outcome }
                    state.continuation = continuation
                    state.carrier = Task { await self.follow(url: url, carry) }
                    return nil
                }
                if let over { continuation.resume(with: over) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    private func follow(url: String, _ carry: @Sendable () async throws -> EngineResponse) async {
        let failure: any Error
        do {
            failure = carrierEnded(try await carry(), url: url)
        } catch {
            failure = error
        }
        // Before anybody hears of it, who might try again with the same file.
        discardFile()
        let farewell = state.withLock { state in
            state.hasCarrierEnded = true
            state.carrier = nil
            return state.farewell
        }
        farewell?.cancel()
        finish(.failure(failure))
    }

    /// A carrier that stays silent behind the end has nothing to bring any more.
    private func letGo() {
        let refused = state.withLock { state -> Task<Void, Never>? in
            guard !state.hasCarrierEnded, let carrier = state.carrier else { return nil }
            guard Self.farewells.withLock({ $0.begin() }) else { return carrier }
            state.farewell = Task {
                defer { Self.farewells.withLock { $0.underWay -= 1 } }
                guard (try? await Task.sleep(nanoseconds: .nanoseconds(Self.grace))) != nil else { return }
                carrier.cancel()
            }
            return nil
        }
        refused?.cancel()
    }

    /// How many carriers are waited for in this process: one that stays silent on purpose must not gather connections.
    private struct Farewells {
        var underWay = 0

        mutating func begin() -> Bool {
            guard underWay < SealedExchange.mostFarewells else { return false }
            underWay += 1
            return true
        }
    }

    private static let farewells = Locked(Farewells())
    static let mostFarewells = 128

    func begin(status: Int, headers: [String: String]) {
        guard headers["content-type"] != SealedSessions.contentType else { return }
        finish(.failure(SealedTransportError.notSealed(status: status)))
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        let (isOver, carrier) = state.withLock { ($0.outcome != nil, $0.carrier) }
        if isOver {
            incoming.spare -= bytes.count
            // Nothing belongs behind the end.
            if incoming.spare < 0 { carrier?.cancel() }
            return
        }
        var end: EngineResponse?
        let before = incoming.received
        do {
            try reader.read(bytes) { if let answer = try take($0) { end = answer } }
        } catch {
            discardFile()
            finish(.failure(error))
            return
        }
        if incoming.received > before {
            progress?.received(TransferProgress(completed: incoming.received, total: incoming.total))
        }
        // The file is the caller's now, unless the caller has gone meanwhile.
        if let end, finish(.success(end)) { incoming.file = nil }
    }

    private func discardFile() {
        incoming.file?.discard()
        incoming.file = nil
    }

    /// The whole answer, once it is there.
    private func take(_ frame: SealedFrameReader.Frame) throws -> EngineResponse? {
        switch frame {
        case .head(let head):
            incoming.head = head
            incoming.total = head.headers["content-length"].flatMap { Int64($0) }
            if case .file(let url) = sink, head.isSuccess { incoming.file = try EngineFile(creating: url) }
            guard head.hasNoBody else { return nil }
            incoming.spare = Self.endSize
            return try answer()
        case .data(let bytes):
            // Of a refused HEAD what the node says is looked at.
            if !isHead || incoming.head?.isSuccess == false { try put(bytes) }
            return nil
        case .end: return try answer()
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws {
        incoming.received += Int64(bytes.count)
        let isSuccess = incoming.head?.isSuccess ?? false
        switch sink {
        case .memory(let limit):
            guard bytes.count <= limit - incoming.body.count else { throw EngineError.tooLarge(limit: limit) }
            append(bytes)
        case .file where isSuccess: try incoming.file?.write(bytes)
        case .stream(let receiver) where isSuccess: receiver.receive(bytes)
        case .file, .stream:
            append(UnsafeRawBufferPointer(rebasing: bytes.prefix(HTTPError.bodyTextLimit - incoming.body.count)))
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.bindMemory(to: UInt8.self).baseAddress { incoming.body.append(base, count: bytes.count) }
    }

    private func answer() throws -> EngineResponse {
        guard let head = incoming.head else { throw SealedTransportError.malformed }
        try incoming.file?.close()
        return EngineResponse(status: head.status, headers: head.headers, body: incoming.body)
    }

    /// The carrier's answer is complete. Returns what is wrong, unless the frames have said everything.
    private func carrierEnded(_ answer: EngineResponse, url: String) -> any Error {
        guard answer.isSealed else { return SealedSessions.refusal(answer, url: url) }
        // The outer status means nothing, but engines hand on the body of a success only.
        if !(200..<300 ~= answer.status) { answer.body.withUnsafeBytes { receive($0) } }
        return SealedTransportError.cutShort
    }

    /// The first outcome counts. False for a later one.
    @discardableResult
    private func finish(_ outcome: Result<EngineResponse, any Error>) -> Bool {
        let (isFirst, continuation, carrier) = state.withLock { state in
            guard state.outcome == nil else {
                return (false, CheckedContinuation<EngineResponse, any Error>?.none, Task<Void, Never>?.none)
            }
            state.outcome = outcome
            defer { state.continuation = nil }
            return (true, state.continuation, state.carrier)
        }
        guard isFirst else { return false }
        guard case .success = outcome else {
            progress?.end()
            carrier?.cancel()
            continuation?.resume(with: outcome)
            return true
        }
        guard let progress else {
            continuation?.resume(with: outcome)
            return true
        }
        let sent = TransferProgress(completed: bodySize, total: bodySize)
        let received = TransferProgress(completed: incoming.received, total: incoming.total)
        progress.finish(sent: sent, received: received) { continuation?.resume(with: outcome) }
        return true
    }
}

extension SealedResponseHead {
    fileprivate var isSuccess: Bool { 200..<300 ~= status }

    /// Nothing stands behind such a head that would mean anything.
    var hasNoBody: Bool { [101, 204, 205, 304].contains(status) }
}
