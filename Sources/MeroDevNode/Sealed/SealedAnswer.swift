import Foundation
import MeroKit

/// An answer on its way into the seal.
struct SealedAnswer {
    private static let hops = ["connection", "content-length", "host", "transfer-encoding", "upgrade"]
    private static let piece = 1 << 20

    private let answer: DevHttpResponse
    private let isHead: Bool
    private let endsAt: Date
    private let clock: DevClock

    /// - Parameter endsAt: when the session is over: an answer that is still being sent is cut then.
    init(_ answer: DevHttpResponse, isHead: Bool, endsAt: Date, clock: DevClock) {
        // Its headers are looked at only where there are so many that they may not fit.
        let size = answer.headers.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count }
        self.answer =
            size <= SealedFrameWriter.largestData / 8
                || SealedFrameWriter.fits(status: answer.status, headers: answer.headers)
            ? answer : Self.headTooLarge(answer)
        self.isHead = isHead
        self.endsAt = endsAt
        self.clock = clock
    }

    private static func headTooLarge(_ answer: DevHttpResponse) -> DevHttpResponse {
        if case .stream(let stream) = answer.body { stream.close(.clientLeft) }
        if case .upgrade(let other) = answer.body { other.closed() }
        return .json(502, ["error": ["message": "the head of the answer is too large to be sealed"]])
    }

    private func head(length: UInt64?) -> [(String, String)] {
        var headers = answer.headers.map { ($0.0.lowercased(), $0.1) }
        let announced = headers.first { $0.0 == "content-length" }?.1
        headers = headers.filter {
            !Self.hops.contains($0.0) && $0.1.utf8.allSatisfy { 0x20...0x7e ~= $0 || $0 == 0x09 }
        }
        // Not a hop here: the inner body has a length that the client may want to know.
        if let length { headers.append(("content-length", isHead ? announced ?? String(length) : String(length))) }
        return headers
    }

    func body(_ writer: SealedFrameWriter) -> DevHttpBody {
        var writer = writer
        switch answer.body {
        case .none, .upgrade:
            if case .upgrade(let other) = answer.body { other.closed() }
            return .bytes(writer.head(status: answer.status, headers: head(length: 0)) + writer.end())
        case .bytes(let bytes):
            let head = writer.head(status: answer.status, headers: head(length: UInt64(bytes.count)))
            return .bytes(head + (isHead ? Data() : writer.data(bytes)) + writer.end())
        case .file(let url, let offset, let length):
            let head = writer.head(status: answer.status, headers: head(length: length))
            if isHead { return .bytes(head + writer.end()) }
            guard let file = try? FileHandle(forReadingFrom: url) else { return .bytes(head) }
            return .stream(pump(head, writer) { try await Self.read(file, from: offset, length) })
        case .stream(let inner):
            let head = writer.head(status: answer.status, headers: head(length: nil))
            if isHead {
                inner.close(.clientLeft)
                return .bytes(head + writer.end())
            }
            return .stream(pump(head, writer, inner))
        }
    }

    /// Seals what another stream is given.
    private func pump(_ head: Data, _ writer: SealedFrameWriter, _ inner: DevHttpStream) -> DevHttpStream {
        let outer = DevHttpStream()
        outer.offer(head)
        Task { [endsAt, clock] in
            var writer = writer
            while let bytes = await inner.take() {
                guard clock.now < endsAt else {
                    outer.cut()
                    inner.close(.clientLeft)
                    return
                }
                guard await outer.push(writer.data(bytes)) else { break }
            }
            if inner.end == .finished {
                outer.offer(writer.end())
                outer.finish()
            } else {
                outer.cut()
            }
        }
        Task {
            _ = await outer.waitForEnd()
            inner.close(.clientLeft)
        }
        return outer
    }

    /// Seals pieces until there are no more.
    private func pump(
        _ head: Data, _ writer: SealedFrameWriter, _ next: @escaping @Sendable () async throws -> Reading
    ) -> DevHttpStream {
        let outer = DevHttpStream(capacity: 4 << 20)
        outer.offer(head)
        Task { [endsAt, clock] in
            var writer = writer
            do {
                let reading = try await next()
                while let bytes = try await reading.next() {
                    guard clock.now < endsAt, await outer.push(writer.data(bytes)) else { return outer.cut() }
                }
                await outer.push(writer.end())
                outer.finish()
            } catch {
                outer.cut()
            }
        }
        return outer
    }

    /// A part of a file, read piece by piece on a thread that may wait.
    private struct Reading: Sendable {
        let next: @Sendable () async throws -> Data?
    }

    private static func read(_ file: FileHandle, from offset: UInt64, _ length: UInt64) async throws -> Reading {
        let rest = Locked(length)
        let queue = DispatchQueue(label: "MeroDevNode.sealed-file")
        return Reading {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(
                        with: Result {
                            let wanted = rest.withLock { min(UInt64(piece), $0) }
                            if wanted == 0 { return nil }
                            try file.seek(toOffset: offset + length - rest.withLock { $0 })
                            guard let bytes = try file.read(upToCount: Int(wanted)), !bytes.isEmpty else {
                                throw CocoaError(.fileReadCorruptFile)
                            }
                            rest.withLock { $0 -= UInt64(bytes.count) }
                            return bytes
                        })
                }
            }
        }
    }
}
