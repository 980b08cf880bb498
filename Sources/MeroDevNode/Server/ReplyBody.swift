import CMicrohttpd
import Foundation
import MeroKit

/// How faults change the sending of a body.
struct BodyShape: Sendable {
    var cutAfter: Int?
    var slow: (chunk: Int, interval: TimeInterval)?

    var isPlain: Bool { cutAfter == nil && slow == nil }
}

/// The bytes of an answer that libmicrohttpd asks for piece by piece: streams, and any body that a fault has reshaped.
final class ReplyBody: Sendable {
    enum Source: Sendable {
        case bytes(Data)
        /// Closed with this object.
        case file(descriptor: Int32, offset: UInt64, length: UInt64)
        case content(any DevHttpContent)
        case stream(DevHttpStream)
    }

    private struct State {
        var connection: OpaquePointer?
        var isSuspended = false
        var hasEnded = false
        var sent = 0
        /// What may still be sent before the next pause.
        var allowance: Int

        mutating func resumeConnection() {
            guard isSuspended, let connection else { return }
            isSuspended = false
            MHD_resume_connection(connection)
        }
    }

    private let source: Source
    private let shape: BodyShape
    private let state: Locked<State>

    init(_ source: Source, shape: BodyShape) {
        self.source = source
        self.shape = shape
        state = Locked(State(allowance: shape.slow.map { max(1, $0.chunk) } ?? .max))
    }

    deinit {
        if case .file(let descriptor, _, _) = source { Foundation.close(descriptor) }
    }

    /// How much is worth being asked for at once: what is made as it is sent comes in large pieces, or the system calls
    /// would cost more than the making.
    var pieceSize: Int {
        if case .content = source { return 256 << 10 }
        return 16 << 10
    }

    /// Ends the sending now, whatever is left.
    func close(_ end: DevHttpStream.End) {
        // The stream first, or libmicrohttpd could end the request in between and name another reason.
        if case .stream(let stream) = source { stream.close(end) }
        state.withLock { state in
            state.hasEnded = true
            state.resumeConnection()
        }
    }

    // MARK: On libmicrohttpd's thread

    func attach(_ connection: OpaquePointer) {
        state.withLock { $0.connection = connection }
        if case .stream(let stream) = source { stream.attach(connection) }
    }

    func detach() {
        state.withLock { state in
            state.connection = nil
            state.isSuspended = false
        }
        if case .stream(let stream) = source { stream.detach() }
    }

    func read(position: UInt64, into buffer: UnsafeMutablePointer<CChar>, limit: Int) -> Int {
        let count = piece(position: position, into: buffer, limit: limit)
        if count == merokit_mhd_end_with_error(), let connection = state.withLock({ $0.connection }) {
            merokit_mhd_close_soon(connection)
        }
        return count
    }

    private func piece(position: UInt64, into buffer: UnsafeMutablePointer<CChar>, limit: Int) -> Int {
        let granted = state.withLock { state -> Int in
            if state.hasEnded { return merokit_mhd_end_with_error() }
            if let cutAfter = shape.cutAfter, state.sent >= cutAfter { return merokit_mhd_end_with_error() }
            if state.allowance == 0 { return pause(&state) }
            return min(limit, state.allowance, (shape.cutAfter ?? .max) - state.sent)
        }
        guard granted > 0 else { return granted }
        let count = copy(position: position, into: buffer, limit: granted)
        if count > 0 {
            state.withLock { state in
                state.sent += count
                if shape.slow != nil { state.allowance -= count }
            }
        }
        return count
    }

    private func pause(_ state: inout State) -> Int {
        guard let connection = state.connection, let slow = shape.slow else { return merokit_mhd_end_with_error() }
        state.isSuspended = true
        MHD_suspend_connection(connection)
        DispatchQueue.global().asyncAfter(deadline: .now() + max(0, slow.interval)) { [weak self] in
            self?.state.withLock { state in
                state.allowance = max(1, slow.chunk)
                state.resumeConnection()
            }
        }
        return 0
    }

    private func copy(position: UInt64, into buffer: UnsafeMutablePointer<CChar>, limit: Int) -> Int {
        switch source {
        case .bytes(let data):
            return data.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress, position < UInt64(bytes.count) else {
                    return merokit_mhd_end_of_stream()
                }
                let count = min(limit, bytes.count - Int(position))
                UnsafeMutableRawPointer(buffer).copyMemory(from: start + Int(position), byteCount: count)
                return count
            }
        case .file(let descriptor, let offset, let length):
            guard position < length else { return merokit_mhd_end_of_stream() }
            let wanted = Int(min(UInt64(limit), length - position))
            let count = pread(descriptor, buffer, wanted, off_t(clamping: offset + position))
            return count > 0 ? count : merokit_mhd_end_with_error()
        case .content(let content):
            return content.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: limit))
                ?? merokit_mhd_end_with_error()
        case .stream(let stream):
            return stream.read(into: buffer, limit: limit)
        }
    }
}
