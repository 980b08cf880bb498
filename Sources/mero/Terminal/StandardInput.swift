import Dispatch
import Foundation
import MeroKit

/// What a command reads.
protocol InputSource: Sendable {
    var isTerminal: Bool { get }
    /// One line without its end, nil at the end of the input. Typed text is not shown when `hidden`.
    func line(hidden: Bool, limit: Int) async throws -> [UInt8]?
    /// Everything up to the end of the input.
    func everything(limit: Int) async throws -> [UInt8]
}

/// More input than a command takes.
struct InputTooLong: Error {
    let limit: Int
}

/// Standard input of this process.
///
/// It is read on a thread of its own, byte by byte for a line, so that nothing meant for a later reader is swallowed. A
/// cancelled task stops waiting at once, even though a terminal may never send another byte.
struct StandardInput: InputSource {
    private let descriptor: Int32 = STDIN_FILENO

    var isTerminal: Bool { Terminal.isTerminal(descriptor) }

    func line(hidden: Bool, limit: Int) async throws -> [UInt8]? {
        if hidden, isTerminal, !Terminal.hideInput(descriptor) { return nil }
        defer { if hidden { Terminal.restore(descriptor) } }
        return try await reading { reader in
            var line: [UInt8] = []
            while let byte = try reader.bytes(atMost: 1).first {
                if byte == UInt8(ascii: "\n") { return line }
                line.append(byte)
                if line.count > limit { throw InputTooLong(limit: limit) }
            }
            return line.isEmpty ? nil : line
        }
    }

    func everything(limit: Int) async throws -> [UInt8] {
        try await reading { reader in
            var all: [UInt8] = []
            while true {
                let bytes = try reader.bytes(atMost: 65_536)
                if bytes.isEmpty { return all }
                all += bytes
                if all.count > limit { throw InputTooLong(limit: limit) }
            }
        }
    }

    private func reading<Value: Sendable>(
        _ body: @escaping @Sendable (InterruptibleReader) throws -> Value
    ) async throws -> Value {
        let reader = try InterruptibleReader(descriptor)
        defer { reader.close() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async { continuation.resume(with: Result { try body(reader) }) }
            }
        } onCancel: {
            reader.interrupt()
        }
    }
}

/// A blocking reader that another thread can stop.
private final class InterruptibleReader: Sendable {
    private let source: Int32
    private let waker: WakePipe

    init(_ source: Int32) throws {
        self.source = source
        waker = try WakePipe()
    }

    /// Called once nobody reads and nobody can interrupt any more.
    func close() { waker.close() }

    func interrupt() { waker.wake() }

    /// Empty at the end of the input. Throws `CancellationError` after `interrupt()`.
    func bytes(atMost count: Int) throws -> [UInt8] {
        while true {
            var waits = [
                pollfd(fd: source, events: Int16(POLLIN), revents: 0),
                pollfd(fd: waker.readEnd, events: Int16(POLLIN), revents: 0),
            ]
            if poll(&waits, 2, -1) < 0 {
                if errno == EINTR { continue }
                return []
            }
            if waits[1].revents != 0 { throw CancellationError() }
            var buffer = [UInt8](repeating: 0, count: count)
            let got = read(source, &buffer, count)
            if got < 0, errno == EINTR || errno == EAGAIN { continue }
            return got > 0 ? Array(buffer[..<got]) : []
        }
    }
}
