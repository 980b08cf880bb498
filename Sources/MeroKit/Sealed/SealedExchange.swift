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
    }

    /// Who waits, and for whom.
    private struct State {
        var continuation: CheckedContinuation<EngineResponse, any Error>?
        var outcome: Result<EngineResponse, any Error>?
        var carrier: Task<Void, Never>?
    }

    /// Apart from what it is read into, so that both can be changed at the same time and without a copy.
    private var reader: SealedFrameReader
    private var incoming = Incoming()
    private let state = Locked(State())
    private let sink: EngineSink
    private let isHead: Bool
    private let progress: (@Sendable (TransferProgress) -> Void)?

    init(_ reader: SealedFrameReader, for request: EngineRequest) {
        self.reader = reader
        sink = request.sink
        isHead = request.method == "HEAD"
        progress = request.downloadProgress
    }

    /// Runs the carrier's call and returns what the frames say, which may be before the carrier is done.
    ///
    /// Throws what the carrier throws, `SealedTransportError`, `MeroError.http` for a refusal in the clear, and
    /// `CancellationError`.
    func run(
        url: String, _ carry: @escaping @Sendable () async throws -> EngineResponse
    ) async throws -> EngineResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let over = state.withLock { state -> Result<EngineResponse, any Error>? in
                    if let outcome = state.outcome { return outcome }
                    state.continuation = continuation
                    state.carrier = Task {
                        do {
                            self.carrierEnded(try await carry(), url: url)
                        } catch {
                            self.finish(.failure(error))
                        }
                        self.incoming.file?.discard()
                    }
                    return nil
                }
                if let over { continuation.resume(with: over) }
            }
        } onCancel: {
            finish(.failure(CancellationError()))
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        if let carrier = state.withLock({ $0.outcome == nil ? nil : $0.carrier }) {
            // Nothing belongs behind the end.
            carrier.cancel()
            return
        }
        var end: EngineResponse?
        let before = incoming.received
        do {
            try reader.read(bytes) { if let answer = try take($0) { end = answer } }
        } catch {
            return finish(.failure(error))
        }
        if incoming.received > before {
            progress?(TransferProgress(completed: incoming.received, total: incoming.total))
        }
        if let end { finish(.success(end)) }
    }

    /// The whole answer, once it is there.
    private func take(_ frame: SealedFrameReader.Frame) throws -> EngineResponse? {
        switch frame {
        case .head(let head):
            incoming.head = head
            incoming.total = head.headers["content-length"].flatMap { Int64($0) }
            if case .file(let url) = sink, head.isSuccess { incoming.file = try EngineFile(creating: url) }
            return head.hasNoBody ? try answer() : nil
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

    /// Nil when it has been given already.
    private func answer() throws -> EngineResponse? {
        guard let head = incoming.head else { throw SealedTransportError.malformed }
        try incoming.file?.close()
        incoming.file = nil
        return EngineResponse(status: head.status, headers: head.headers, body: incoming.body)
    }

    /// The carrier's answer is complete.
    private func carrierEnded(_ answer: EngineResponse, url: String) {
        guard answer.isSealed else { return finish(.failure(SealedSessions.refusal(answer, url: url))) }
        // The outer status means nothing, but engines hand on the body of a success only.
        if !(200..<300 ~= answer.status) { answer.body.withUnsafeBytes { receive($0) } }
        finish(.failure(SealedTransportError.cutShort))
    }

    /// The first outcome counts.
    private func finish(_ outcome: Result<EngineResponse, any Error>) {
        let (continuation, carrier) = state.withLock { state in
            guard state.outcome == nil else {
                return (CheckedContinuation<EngineResponse, any Error>?.none, Task<Void, Never>?.none)
            }
            state.outcome = outcome
            defer { state.continuation = nil }
            // A carrier that has brought everything ends by itself, and its connection can be used again.
            if case .success = outcome { return (state.continuation, nil) }
            return (state.continuation, state.carrier)
        }
        carrier?.cancel()
        continuation?.resume(with: outcome)
    }
}

extension SealedResponseHead {
    fileprivate var isSuccess: Bool { 200..<300 ~= status }

    fileprivate var hasNoBody: Bool { [101, 204, 205, 304].contains(status) }
}
