import CMicrohttpd
import Foundation
import MeroKit

/// What is spoken on a connection after its upgrade. A handler answers 101 with one of these as the body.
///
/// All calls come from one thread, which serves all upgraded connections of a server: they must not block.
package protocol DevUpgradedProtocol: AnyObject, Sendable {
    func opened(_ socket: DevUpgradedSocket)
    func received(_ bytes: UnsafeRawBufferPointer)
    /// Everything that was to be sent has been handed to the system.
    func drained()
    /// Called once a lap, at least when it asked to be.
    ///
    /// - Parameter now: nanoseconds of uptime.
    /// - Returns: when to be called next.
    func tick(_ now: UInt64) -> UInt64
    /// The last call: the connection is over, or never came to be.
    func closed()
}

/// The sending end of an upgraded connection. Any thread may use it.
package final class DevUpgradedSocket: Sendable {
    enum End {
        /// Once everything is sent.
        case orderly
        case abrupt
    }

    private struct State {
        var unsent: [UInt8] = []
        var sent = 0
        var isPaused = false
        var pieceLimit = Int.max
        var end: End?
    }

    let descriptor: Int32
    private let state = Locked(State())
    private let wake: @Sendable () -> Void

    init(_ descriptor: Int32, wake: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.wake = wake
    }

    /// Bytes that the system has not taken yet.
    package var unsentBytes: Int { state.withLock { $0.unsent.count - $0.sent } }

    package func send(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        state.withLock { state in
            guard state.end == nil else { return }
            state.unsent += bytes
        }
        wake()
    }

    /// Whether what the client sends is left unread.
    package func pauseReading(_ isPaused: Bool) {
        state.withLock { $0.isPaused = isPaused }
        wake()
    }

    /// Hands at most this many bytes to the system at once; nil for as many as it takes.
    package func limitPieces(to bytes: Int?) { state.withLock { $0.pieceLimit = bytes ?? .max } }

    /// Closes once everything is sent. Nothing can be sent any more, and nothing is read.
    package func finish() {
        state.withLock { if $0.end == nil { $0.end = .orderly } }
        wake()
    }

    /// Drops the connection by a reset, whatever waits to be sent.
    package func cut() {
        state.withLock { $0.end = .abrupt }
        wake()
    }

    // MARK: The thread's side

    /// What poll should look for; nil when the connection is to be closed now.
    var interest: Int32? {
        state.withLock { state in
            let hasMore = state.sent < state.unsent.count
            switch state.end {
            case .abrupt?:
                merokit_reset_on_close(descriptor)
                return nil
            case .orderly? where !hasMore: return nil
            default: break
            }
            let reads = !state.isPaused && state.end == nil
            return (reads ? Int32(POLLIN) : 0) | (hasMore ? Int32(POLLOUT) : 0)
        }
    }

    enum Writing {
        case nothing
        case some
        case all
        case failed
    }

    func write() -> Writing {
        state.withLock { state in
            guard state.sent < state.unsent.count else { return .nothing }
            let count = state.unsent.withUnsafeBytes { bytes in
                merokit_send(
                    descriptor, bytes.baseAddress.map { $0 + state.sent },
                    min(bytes.count - state.sent, state.pieceLimit))
            }
            if count < 0 { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? .some : .failed }
            state.sent += count
            guard state.sent == state.unsent.count else {
                // A client that always leaves a little unread would otherwise make everything ever sent stay.
                if state.sent > 1 << 16, state.sent * 2 > state.unsent.count {
                    state.unsent.removeFirst(state.sent)
                    state.sent = 0
                }
                return .some
            }
            state.unsent = []
            state.sent = 0
            return .all
        }
    }
}
