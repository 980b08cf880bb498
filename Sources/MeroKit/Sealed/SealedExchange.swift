import Foundation

/// One sealed request on its way: opens the answer as it arrives, and puts its body where the caller wants it.
///
/// `@unchecked Sendable`: everything mutable belongs to the carrier, which hands over one piece at a time, until its call has
/// returned, and to that call's own task then. Two things are touched by a carrier that brings more behind the end:
/// `isOver`, which only it writes to, and `spare`.
final class SealedExchange: EngineBodyReceiver, @unchecked Sendable {
    /// An end frame with its length.
    private static let endSize = 21

    private var reader: SealedFrameReader
    private var head: SealedResponseHead?
    private var body = Data()
    private var file: EngineFile?
    private var received: Int64 = 0
    private var total: Int64?
    private var outcome: Result<EngineResponse, any Error>?
    /// Whether there is an outcome.
    private var isOver = false
    /// How many bytes may come when there is one; below zero when not even the end of the connection is waited for.
    private var spare = 0
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

    /// Runs the carrier's call and returns what the frames say.
    ///
    /// Throws what the carrier throws, `SealedTransportError`, and `MeroError.http` for a refusal in the clear.
    func run(url: String, _ carry: () async throws -> EngineResponse) async throws -> EngineResponse {
        do {
            let answer = try self.answer(from: try await carry(), url: url)
            if let progress {
                let sent = TransferProgress(completed: bodySize, total: bodySize)
                let received = TransferProgress(completed: received, total: total)
                await withCheckedContinuation { continuation in
                    progress.finish(sent: sent, received: received) { continuation.resume() }
                }
            }
            return answer
        } catch {
            progress?.end()
            // Before anybody hears of it, who might try again with the same file.
            file?.discard()
            throw error
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> EngineAppetite {
        if isOver {
            spare -= bytes.count
            // Nothing belongs behind the end.
            return spare < 0 ? .stop : .enough
        }
        let before = received
        do {
            try reader.read(bytes) { if !isOver, let answer = try take($0) { finish(.success(answer)) } }
        } catch {
            // Behind what its receiver was satisfied with, nothing counts, be it in the same piece or in a later one.
            finish(.failure(error))
            return .stop
        }
        if received > before { progress?.received(TransferProgress(completed: received, total: total)) }
        guard isOver else { return .more }
        return spare < 0 ? .stop : .enough
    }

    /// The first outcome counts.
    private func finish(_ outcome: Result<EngineResponse, any Error>) {
        guard !isOver else { return }
        self.outcome = outcome
        isOver = true
    }

    /// The whole answer, once it is there.
    private func take(_ frame: SealedFrameReader.Frame) throws -> EngineResponse? {
        switch frame {
        case .head(let head):
            self.head = head
            total = head.headers["content-length"].flatMap { Int64($0) }
            if case .file(let url) = sink, head.isSuccess { file = try EngineFile(creating: url) }
            guard head.hasNoBody else { return nil }
            spare = Self.endSize
            return try whole()
        case .data(let bytes):
            // Of a refused HEAD what the node says is looked at.
            if !isHead || head?.isSuccess == false { try put(bytes) }
            return nil
        case .end: return try whole()
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws {
        received += Int64(bytes.count)
        let isSuccess = head?.isSuccess ?? false
        switch sink {
        case .memory(let limit):
            guard bytes.count <= limit - body.count else { throw EngineError.tooLarge(limit: limit) }
            append(bytes)
        case .file where isSuccess: try file?.write(bytes)
        case .stream(let receiver) where isSuccess:
            let appetite = receiver.receive(bytes)
            guard appetite != .more else { return }
            if appetite == .stop { spare = -1 }
            finish(.success(try whole()))
        case .file, .stream:
            append(UnsafeRawBufferPointer(rebasing: bytes.prefix(HTTPError.bodyTextLimit - body.count)))
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) {
        if let base = bytes.bindMemory(to: UInt8.self).baseAddress { body.append(base, count: bytes.count) }
    }

    private func whole() throws -> EngineResponse {
        guard let head else { throw SealedTransportError.malformed }
        try file?.close()
        return EngineResponse(status: head.status, headers: head.headers, body: body)
    }

    /// What the carrier's answer means.
    private func answer(from carried: EngineResponse, url: String) throws -> EngineResponse {
        guard carried.isSealed else { throw SealedSessions.refusal(carried, url: url) }
        // The outer status means nothing, but engines hand on the body of a success only.
        if !(200..<300 ~= carried.status) { carried.body.withUnsafeBytes { _ = receive($0) } }
        guard let outcome else { throw SealedTransportError.cutShort }
        return try outcome.get()
    }
}

extension SealedResponseHead {
    fileprivate var isSuccess: Bool { 200..<300 ~= status }

    /// Nothing stands behind such a head that would mean anything.
    var hasNoBody: Bool { [101, 204, 205, 304].contains(status) }
}
