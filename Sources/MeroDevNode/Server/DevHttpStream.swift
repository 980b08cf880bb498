import CMicrohttpd
import Foundation
import MeroKit

/// The body of an answer that a producer writes bit by bit, such as an event stream.
///
/// A handler answers with `.stream(stream)` and pushes from a task of its own. Bytes pushed before the answer is on its way
/// are kept. The queue is bounded: `offer` refuses when it is full, `push` waits. A paused stream sends nothing until it goes
/// on or ends. A stream that is never sent (its request
/// was cut, the client had left, HEAD) ends by itself.
package final class DevHttpStream: Sendable {
    /// Why a stream is over.
    package enum End: Sendable, Equatable {
        case finished
        case cut
        case clientLeft
        case serverStopped
    }

    package enum Offer: Sendable, Equatable {
        case accepted
        case full
        case closed
    }

    private struct State {
        var queue: [Data] = []
        /// Entries of `queue` that are gone, and bytes gone of the first that is not: removing from the front is slow.
        var consumedEntries = 0
        var consumedBytes = 0
        var queuedBytes = 0
        var end: End?
        var isPaused = false
        var pieceLimit = Int.max
        var sentBytes = 0
        var cutAfter: Int?
        /// Set while libmicrohttpd reads from this stream.
        var connection: OpaquePointer?
        var isSuspended = false
        var nextWaiter = 0
        var waitingForRoom: [Int: CheckedContinuation<Void, Never>] = [:]
        var waitingForEnd: [Int: CheckedContinuation<End?, Never>] = [:]
        /// Of a reader that is no connection.
        var waitingForBytes: CheckedContinuation<Void, Never>?

        var waitingPieces: Int { queue.count - consumedEntries }

        mutating func resumeConnection() {
            waitingForBytes?.resume()
            waitingForBytes = nil
            guard isSuspended, let connection else { return }
            isSuspended = false
            MHD_resume_connection(connection)
        }

        mutating func takeWaiters() -> [CheckedContinuation<Void, Never>] {
            defer { waitingForRoom.removeAll() }
            return Array(waitingForRoom.values)
        }
    }

    private let capacity: Int
    private let pieces: Int
    private let state = Locked(State())

    /// - Parameters:
    ///   - capacity: bytes that may wait for the client; one larger piece is taken when nothing waits.
    ///   - pieces: offered pieces that may wait, whatever their size.
    package init(capacity: Int = 1 << 20, pieces: Int = .max) {
        self.capacity = max(1, capacity)
        self.pieces = max(1, pieces)
    }

    /// Why it is over; nil while it is open.
    package var end: End? { state.withLock { $0.end } }

    /// Bytes that wait for the client.
    package var queuedBytes: Int { state.withLock { $0.queuedBytes } }

    /// Queues the bytes unless the queue is full; never waits.
    @discardableResult
    package func offer(_ bytes: Data) -> Offer {
        state.withLock { state in
            guard state.end == nil else { return .closed }
            guard !bytes.isEmpty else { return .accepted }
            guard state.queuedBytes == 0 || bytes.count <= capacity - state.queuedBytes, state.waitingPieces < pieces
            else { return .full }
            state.queue.append(bytes)
            state.queuedBytes += bytes.count
            state.resumeConnection()
            return .accepted
        }
    }

    /// Queues the bytes, waiting for room. False when the stream is over or the calling task was cancelled.
    @discardableResult
    package func push(_ bytes: Data) async -> Bool {
        while true {
            switch offer(bytes) {
            case .accepted: return true
            case .closed: return false
            case .full: await waitForRoom()
            }
            if Task.isCancelled { return false }
        }
    }

    /// The next piece, for a reader that takes the place of a connection; nil at the end. One reader at a time.
    func take() async -> Data? {
        while true {
            let (bytes, isOver) = state.withLock { state -> (Data?, Bool) in
                guard !state.isPaused || state.end != nil, state.waitingPieces > 0 else {
                    return (nil, state.end != nil)
                }
                let bytes = state.queue[state.consumedEntries].dropFirst(state.consumedBytes)
                state.queue[state.consumedEntries] = Data()
                state.consumedEntries += 1
                state.consumedBytes = 0
                state.queuedBytes -= bytes.count
                state.sentBytes += bytes.count
                if state.consumedEntries == state.queue.count {
                    state.queue.removeAll()
                    state.consumedEntries = 0
                }
                return (Data(bytes), false)
            }
            if let bytes {
                for continuation in state.withLock({ $0.takeWaiters() }) { continuation.resume() }
                return bytes
            }
            if isOver { return nil }
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    if state.end != nil || (!state.isPaused && state.waitingPieces > 0) { return true }
                    state.waitingForBytes = continuation
                    return false
                }
                if isThere { continuation.resume() }
            }
        }
    }

    /// Ends the body properly once what was pushed is sent.
    package func finish() { close(.finished) }

    /// Drops the connection once what was pushed is sent.
    package func cut() { close(.cut) }

    /// Drops the connection once this many bytes in all were sent.
    package func cut(afterBytes count: Int) {
        state.withLock { state in
            state.cutAfter = max(0, count)
            state.resumeConnection()
        }
    }

    /// While paused nothing is sent; an end lifts it.
    package func setPaused(_ isPaused: Bool) {
        state.withLock { state in
            state.isPaused = isPaused
            state.resumeConnection()
        }
    }

    /// Lets at most this many bytes go out at once; nil means as many as there are.
    package func setPieceLimit(_ limit: Int?) { state.withLock { $0.pieceLimit = limit.map { max(1, $0) } ?? .max } }

    /// Waits for the end and tells why; nil when the calling task was cancelled.
    package func waitForEnd() async -> End? {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known: End?? = state.withLock { state in
                    if let end = state.end { return .some(end) }
                    if Task.isCancelled { return .some(nil) }
                    state.waitingForEnd[waiter] = continuation
                    return nil
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            state.withLock { $0.waitingForEnd.removeValue(forKey: waiter) }?.resume(returning: nil)
        }
    }

    private func waitForRoom() async {
        let waiter = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.end != nil || state.queuedBytes == 0 || Task.isCancelled { return true }
                    state.waitingForRoom[waiter] = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waitingForRoom.removeValue(forKey: waiter) }?.resume()
        }
    }

    /// The first end counts. What is queued is still sent after `finished` and `cut`, and dropped after the others.
    func close(_ end: End) {
        let (room, ends) = state.withLock { state in
            if end == .clientLeft || end == .serverStopped {
                state.queue.removeAll()
                state.consumedEntries = 0
                state.consumedBytes = 0
                state.queuedBytes = 0
            }
            let isFirst = state.end == nil
            // A finished stream may still wait for a client that will read no more; it must not stay suspended then.
            if isFirst { state.end = end }
            state.resumeConnection()
            guard isFirst else { return ([CheckedContinuation<Void, Never>](), [CheckedContinuation<End?, Never>]()) }
            let ends = Array(state.waitingForEnd.values)
            state.waitingForEnd.removeAll()
            return (state.takeWaiters(), ends)
        }
        for continuation in room { continuation.resume() }
        for continuation in ends { continuation.resume(returning: end) }
    }

    // MARK: The side of libmicrohttpd, called on its thread

    func attach(_ connection: OpaquePointer) { state.withLock { $0.connection = connection } }

    func detach() {
        state.withLock { state in
            state.connection = nil
            state.isSuspended = false
        }
    }

    /// How much was copied; 0 after having suspended the connection, or one of libmicrohttpd's two ends.
    func read(into buffer: UnsafeMutablePointer<CChar>, limit: Int) -> Int {
        var isCut = false
        let (count, waiters) = state.withLock { state -> (Int, [CheckedContinuation<Void, Never>]) in
            var most = min(limit, state.pieceLimit)
            if let cutAfter = state.cutAfter {
                most = min(most, max(0, cutAfter - state.sentBytes))
                isCut = most == 0
                if isCut { return (merokit_mhd_end_with_error(), []) }
            }
            if state.isPaused && state.end == nil { most = 0 }
            let count = copy(from: &state, into: UnsafeMutableRawPointer(buffer), limit: most)
            state.sentBytes += count
            if count > 0 {
                let hasRoom = state.queuedBytes <= capacity / 2 && state.waitingPieces <= pieces / 2
                return (count, hasRoom ? state.takeWaiters() : [])
            }
            switch state.end {
            case .finished?: return (merokit_mhd_end_of_stream(), [])
            case .cut?, .clientLeft?, .serverStopped?: return (merokit_mhd_end_with_error(), [])
            case nil:
                guard let connection = state.connection else { return (merokit_mhd_end_with_error(), []) }
                // Inside the lock, so that no push can come between finding nothing and suspending.
                state.isSuspended = true
                MHD_suspend_connection(connection)
                return (0, [])
            }
        }
        if isCut { close(.cut) }
        for continuation in waiters { continuation.resume() }
        return count
    }

    private func copy(from state: inout State, into buffer: UnsafeMutableRawPointer, limit: Int) -> Int {
        var copied = 0
        while copied < limit, state.consumedEntries < state.queue.count {
            let entry = state.queue[state.consumedEntries]
            let count = min(limit - copied, entry.count - state.consumedBytes)
            entry.withUnsafeBytes { bytes in
                guard let start = bytes.baseAddress else { return }
                buffer.advanced(by: copied).copyMemory(from: start + state.consumedBytes, byteCount: count)
            }
            copied += count
            state.consumedBytes += count
            if state.consumedBytes == entry.count {
                state.queue[state.consumedEntries] = Data()
                state.consumedEntries += 1
                state.consumedBytes = 0
            }
        }
        state.queuedBytes -= copied
        if state.consumedEntries == state.queue.count {
            state.queue.removeAll(keepingCapacity: state.queue.count < 1024)
            state.consumedEntries = 0
        } else if state.consumedEntries >= 1024 {
            state.queue.removeFirst(state.consumedEntries)
            state.consumedEntries = 0
        }
        return copied
    }
}
