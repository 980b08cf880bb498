import CMicrohttpd
import Foundation
import MeroKit

/// The upgraded connections of a daemon, served by one thread that starts with the first.
final class UpgradedConnections: Sendable {
    /// One connection on its way to the thread.
    private struct Arrival: @unchecked Sendable {
        // Safe to share: `handle` is only passed on to libmicrohttpd, which takes it from any thread, once.
        let handle: OpaquePointer
        let socket: DevUpgradedSocket
        let proto: any DevUpgradedProtocol
        let first: [UInt8]
    }

    private struct State {
        var arrivals: [Arrival] = []
        /// The thread is gone, or was never needed: nothing is taken any more.
        var isOver = false
    }

    private let state = Locked(State())
    private let thread = PollThread()

    /// Takes over a connection that was just upgraded.
    ///
    /// - Parameter first: bytes that came together with the request.
    func add(_ handle: OpaquePointer, descriptor: Int32, first: [UInt8], proto: any DevUpgradedProtocol) {
        merokit_no_delay(descriptor)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        let socket = DevUpgradedSocket(descriptor) { [weak self] in self?.thread.wakeUp() }
        let isRunning = thread.start { [self] in loop() }
        let isTaken = state.withLock { state in
            guard isRunning, !state.isOver else { return false }
            state.arrivals.append(Arrival(handle: handle, socket: socket, proto: proto, first: first))
            return true
        }
        if isTaken {
            thread.wakeUp()
        } else {
            proto.closed()
            merokit_mhd_close_upgraded(handle)
        }
    }

    /// Drops every connection and joins the thread.
    func stop() { thread.stop() }

    // MARK: - The thread

    private func loop() {
        var open: [Arrival] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while let (arrivals, wake) = takeNews() {
            for arrival in arrivals {
                arrival.proto.opened(arrival.socket)
                arrival.first.withUnsafeBytes { if !$0.isEmpty { arrival.proto.received($0) } }
            }
            open += arrivals
            let now = DispatchTime.now().uptimeNanoseconds
            var next = now + 60_000_000_000
            for connection in open { next = min(next, connection.proto.tick(now)) }
            var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            var ended: [Int] = []
            for (index, connection) in open.enumerated() {
                let interest = connection.socket.interest
                if interest == nil { ended.append(index) }
                // Looked at for nothing, a connection that the client has closed would wake the thread for ever.
                let descriptor = interest ?? 0 == 0 ? -1 : connection.socket.descriptor
                polled.append(pollfd(fd: descriptor, events: Int16(interest ?? 0), revents: 0))
            }
            let wait = !ended.isEmpty || next <= now ? 0 : Int32((next - now) / 1_000_000 + 1)
            let count = poll(&polled, nfds_t(polled.count), wait)
            guard count >= 0 || errno == EINTR else { break }
            for index in open.indices where polled[index + 1].revents != 0 && !ended.contains(index) {
                if !serve(open[index], polled[index + 1].revents, &buffer) { ended.append(index) }
            }
            for index in ended.sorted(by: >) { end(open.remove(at: index)) }
        }
        let rest = state.withLock { state in
            defer { state.arrivals = [] }
            state.isOver = true
            return state.arrivals
        }
        for connection in open + rest { end(connection) }
    }

    /// Nil when it is time to stop.
    private func takeNews() -> (arrivals: [Arrival], wake: Int32)? {
        guard let wake = thread.beginRound() else { return nil }
        let arrivals = state.withLock { state in
            defer { state.arrivals = [] }
            return state.arrivals
        }
        return (arrivals, wake)
    }

    /// False when the connection is over.
    private func serve(_ connection: Arrival, _ ready: Int16, _ buffer: inout [UInt8]) -> Bool {
        if ready & Int16(POLLOUT) != 0 {
            switch connection.socket.write() {
            case .failed: return false
            case .all: connection.proto.drained()
            case .some, .nothing: break
            }
        }
        guard ready & Int16(POLLIN | POLLHUP | POLLERR) != 0 else { return true }
        let count = recv(connection.socket.descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            buffer.withUnsafeBytes { connection.proto.received(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            return true
        }
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
    }

    private func end(_ connection: Arrival) {
        connection.proto.closed()
        merokit_mhd_close_upgraded(connection.handle)
    }
}

/// An upgrade that was promised to a client: made by the handler, carried out by libmicrohttpd's thread.
final class PendingUpgrade: Sendable {
    private let proto: any DevUpgradedProtocol
    private let connections: UpgradedConnections
    private let isTaken = Locked(false)

    init(_ proto: any DevUpgradedProtocol, _ connections: UpgradedConnections) {
        self.proto = proto
        self.connections = connections
    }

    /// The head of the answer is on its way.
    func begin(_ handle: OpaquePointer, descriptor: Int32, first: [UInt8]) {
        isTaken.withLock { $0 = true }
        connections.add(handle, descriptor: descriptor, first: first, proto: proto)
    }

    /// The request is over. Without the upgrade having begun nothing will come of it.
    func complete() {
        let wasTaken = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return isTaken
        }
        if !wasTaken { proto.closed() }
    }
}
