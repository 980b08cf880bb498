import Foundation
import MeroKit

/// One open `GET /sse`.
final class SseConnection: LiveStream {
    private struct State {
        var copies = 1
        var framesLeft: Int?
        var lastSent: TimeInterval
    }

    let sessionNumber: UInt64
    let stream: DevHttpStream
    /// For a frame that belongs to the session but comes from outside of it.
    private let nextNumber: @Sendable () -> UInt64
    private let state: Locked<State>

    /// - Parameter frames: how many may wait before further ones are lost.
    init(sessionNumber: UInt64, frames: Int, nextNumber: @escaping @Sendable () -> UInt64) {
        self.sessionNumber = sessionNumber
        self.nextNumber = nextNumber
        // Frames are what is counted, however large they are.
        stream = DevHttpStream(capacity: .max / 2, pieces: frames)
        state = Locked(State(lastSent: ProcessInfo.processInfo.systemUptime))
    }

    var kind: DevStream.Kind { .sse }
    var sessionId: String? { String(sessionNumber) }

    /// Seconds without anything sent.
    var silence: TimeInterval { ProcessInfo.processInfo.systemUptime - state.withLock { $0.lastSent } }

    /// Sends a frame; false when it was dropped. `data` is JSON text on one line.
    func send(number: UInt64, retry: Int? = nil, data: [UInt8]) -> Bool {
        var frame = Data("event: message\nid: \(sessionNumber)-\(number)\n".utf8)
        if let retry { frame.append(contentsOf: "retry: \(retry)\n".utf8) }
        frame.append(contentsOf: "data: ".utf8)
        frame.append(contentsOf: data)
        frame.append(contentsOf: "\n\n".utf8)
        return state.withLock { state in
            guard stream.offer(frame) == .accepted else { return false }
            for _ in 1..<max(2, state.copies) where state.copies > 1 { stream.offer(frame) }
            state.lastSent = ProcessInfo.processInfo.systemUptime
            if let left = state.framesLeft {
                state.framesLeft = left - 1
                if left <= 1 { stream.cut() }
            }
            return true
        }
    }

    /// A comment, unless something waits to be sent anyway.
    func keepAlive() {
        state.withLock { state in
            if stream.queuedBytes == 0 { stream.offer(Data(":\n\n".utf8)) }
            state.lastSent = ProcessInfo.processInfo.systemUptime
        }
    }

    // MARK: - Faults

    func apply(_ shape: StreamShape) {
        state.withLock { state in
            state.copies = shape.copies
            if let frames = shape.cutAfterFrames {
                state.framesLeft = frames
                if frames == 0 { stream.cut() }
            }
        }
        stream.setPaused(shape.isStalled)
        stream.setPieceLimit(shape.pieceLimit)
        if let bytes = shape.cutAfterBytes { stream.cut(afterBytes: bytes) }
    }

    func cut() { stream.cut() }
    func finish() { stream.finish() }
    func send(raw bytes: Data) -> Bool { stream.offer(bytes) == .accepted }

    func announceClose(reason: String) {
        let data: JsonTree = ["type": "close", "reason": .string(reason)]
        _ = send(number: nextNumber(), data: data.bytes)
    }
}
