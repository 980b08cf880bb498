import Foundation
import MeroKit

/// A body of known length that is read and sealed as libmicrohttpd asks for it, straight to where it is sent from.
final class SealedContent: DevHttpContent {
    private struct State {
        var writer: SealedFrameWriter
        /// Of the content, to be read yet.
        var rest: UInt64
        var isEnded = false
        /// A frame, or the head, that found no room as a whole, and how much of it is gone.
        var pending: Data
        var pendingStart = 0
        var plaintext = [UInt8](repeating: 0, count: SealedFrameWriter.largestData)
    }

    /// With head and end.
    let length: UInt64
    private let read: @Sendable (UnsafeMutableRawBufferPointer) -> Int?
    private let mayGoOn: @Sendable () -> Bool
    private let state: Locked<State>

    /// - Parameters:
    ///   - head: sealed already.
    ///   - length: of what `read` brings.
    ///   - read: fills as much of the buffer as it can; nil when there is no more than that.
    ///   - mayGoOn: false cuts the answer.
    init(
        head: Data, _ writer: sending SealedFrameWriter, length: UInt64, mayGoOn: @escaping @Sendable () -> Bool,
        read: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Int?
    ) {
        self.length =
            UInt64(head.count + SealedFrameWriter.size(ofData: Int(clamping: length)) + SealedFrameWriter.overhead)
        self.read = read
        self.mayGoOn = mayGoOn
        state = Locked(State(writer: writer, rest: length, pending: head))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard mayGoOn() else { return nil }
        return state.withLock { state in
            var filled = 0
            while filled < buffer.count {
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                if state.pendingStart < state.pending.count {
                    let count = min(room.count, state.pending.count - state.pendingStart)
                    state.pending.copyBytes(to: room, from: state.pendingStart..<(state.pendingStart + count))
                    state.pendingStart += count
                    filled += count
                } else if state.isEnded {
                    break
                } else {
                    guard let count = frame(&state, into: room) else { return nil }
                    filled += count
                }
            }
            return filled
        }
    }

    /// Seals the next frame into the room, or into `pending` if it is larger.
    ///
    /// - Returns: how much of the room it takes; nil when the content is shorter than it should be.
    private func frame(_ state: inout State, into room: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = Int(min(state.rest, UInt64(SealedFrameWriter.largestData)))
        guard fill(&state.plaintext, wanted) else { return nil }
        state.rest -= UInt64(wanted)
        let kind: SealedFrameWriter.Kind = wanted > 0 ? .data : .end
        state.isEnded = kind == .end
        let size = wanted + SealedFrameWriter.overhead
        return state.plaintext.withUnsafeBytes { plaintext in
            let data = UnsafeRawBufferPointer(rebasing: plaintext[..<wanted])
            if room.count >= size {
                state.writer.put(kind, data, into: room)
                return size
            }
            state.pending.count = size
            state.pendingStart = 0
            state.pending.withUnsafeMutableBytes { state.writer.put(kind, data, into: $0) }
            return 0
        }
    }

    private func fill(_ plaintext: inout [UInt8], _ wanted: Int) -> Bool {
        plaintext.withUnsafeMutableBytes { plaintext in
            var filled = 0
            while filled < wanted {
                guard let count = read(UnsafeMutableRawBufferPointer(rebasing: plaintext[filled..<wanted])), count > 0
                else { return false }
                filled += count
            }
            return true
        }
    }
}
