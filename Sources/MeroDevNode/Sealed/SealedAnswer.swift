import Foundation
import MeroKit

/// An answer on its way into the seal.
struct SealedAnswer {
    private static let hops = ["connection", "content-length", "host", "transfer-encoding", "upgrade"]

    private let answer: DevHttpResponse
    private let isHead: Bool
    private let endsAt: Date
    private let clock: DevClock

    /// - Parameter endsAt: when the session is over: an answer that is still being sent is cut then.
    init(_ answer: DevHttpResponse, isHead: Bool, endsAt: Date, clock: DevClock) {
        // Its headers are looked at only where there are so many that they may not fit: each byte can become two, and each
        // pair has a few around it.
        let size = answer.headers.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 8 }
        self.answer =
            size <= SealedFrameWriter.largestData / 8
                || SealedFrameWriter.fits(status: answer.status, headers: Self.head(of: answer, isHead: isHead))
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

    /// The headers as they go into the seal.
    private static func head(of answer: DevHttpResponse, isHead: Bool) -> [(String, String)] {
        var headers = answer.headers.map { ($0.0.lowercased(), $0.1) }
        let announced = headers.first { $0.0 == "content-length" }?.1
        headers = headers.filter {
            !hops.contains($0.0) && $0.1.utf8.allSatisfy { 0x20...0x7e ~= $0 || $0 == 0x09 }
        }
        // Not a hop here: the inner body has a length that the client may want to know.
        if let length = length(of: answer.body) {
            headers.append(("content-length", isHead ? announced ?? String(length) : String(length)))
        }
        return headers
    }

    /// Nil for a body that has none of its own.
    private static func length(of body: DevHttpBody) -> UInt64? {
        switch body {
        case .none, .upgrade: return 0
        case .bytes(let bytes): return UInt64(bytes.count)
        case .file(_, _, let length): return length
        case .content(let content): return content.length
        case .stream: return nil
        }
    }

    func body(_ writer: sending SealedFrameWriter) -> DevHttpBody {
        var writer = writer
        let (status, headers) = (answer.status, Self.head(of: answer, isHead: isHead))
        switch answer.body {
        case .none, .upgrade:
            if case .upgrade(let other) = answer.body { other.closed() }
            return .bytes(writer.whole(status: status, headers: headers))
        case .bytes(let bytes):
            return .bytes(writer.whole(status: status, headers: headers, body: isHead ? Data() : bytes))
        case .file(let url, let offset, let length):
            let head = writer.head(status: status, headers: headers)
            if isHead { return .bytes(head + writer.end()) }
            guard let file = try? FileHandle(forReadingFrom: url) else { return .bytes(head) }
            return content(head, writer, length: length, Self.reader(file, from: offset))
        case .content(let content):
            let head = writer.head(status: status, headers: headers)
            if isHead { return .bytes(head + writer.end()) }
            return self.content(head, writer, length: content.length) { content.read(into: $0) }
        case .stream(let inner):
            let head = writer.head(status: status, headers: headers)
            if isHead {
                inner.close(.clientLeft)
                return .bytes(head + writer.end())
            }
            return .stream(pump(head, writer, inner))
        }
    }

    /// Seals what another stream is given.
    private func pump(_ head: Data, _ writer: sending SealedFrameWriter, _ inner: DevHttpStream) -> DevHttpStream {
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

    /// Seals what is read as it is sent.
    private func content(
        _ head: Data, _ writer: sending SealedFrameWriter, length: UInt64,
        _ read: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Int?
    ) -> DevHttpBody {
        .content(
            SealedContent(
                head: head, writer, length: length, mayGoOn: { [endsAt, clock] in clock.now < endsAt }, read: read))
    }

    /// Reads a part of a file from its beginning to its end.
    private static func reader(
        _ file: FileHandle, from offset: UInt64
    ) -> @Sendable (UnsafeMutableRawBufferPointer) -> Int? {
        let position = Locked(off_t(clamping: offset))
        return { buffer in
            position.withLock { position in
                var count = pread(file.fileDescriptor, buffer.baseAddress, buffer.count, position)
                while count < 0, errno == EINTR {
                    count = pread(file.fileDescriptor, buffer.baseAddress, buffer.count, position)
                }
                guard count >= 0 else { return nil }
                position += off_t(count)
                return count
            }
        }
    }
}
