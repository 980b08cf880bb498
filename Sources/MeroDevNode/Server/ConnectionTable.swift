import CMicrohttpd
import Foundation
import MeroKit

/// The open connections of a daemon and what each is busy with.
final class ConnectionTable: Sendable {
    private struct Connection {
        let descriptor: Int32
        var exchange: Exchange?
        /// Set while the peer has closed and everything it sent is read: how much that was.
        var stuckAt: UInt64?
    }

    private struct State {
        var isStopping = false
        var connections: [OpaquePointer: Connection] = [:]
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.connections.count } }

    func open(_ connection: OpaquePointer) {
        let descriptor = merokit_mhd_connection_socket(connection)
        state.withLock { $0.connections[connection] = Connection(descriptor: descriptor) }
    }

    /// Called before libmicrohttpd closes the descriptor.
    func close(_ connection: OpaquePointer) { state.withLock { _ = $0.connections.removeValue(forKey: connection) } }

    /// False when the server stops and the exchange must not come to anything.
    func begin(_ exchange: Exchange, on connection: OpaquePointer) -> Bool {
        state.withLock { state in
            guard !state.isStopping else { return false }
            state.connections[connection]?.exchange = exchange
            return true
        }
    }

    func end(on connection: OpaquePointer) {
        state.withLock { state in
            state.connections[connection]?.exchange = nil
            state.connections[connection]?.stuckAt = nil
        }
    }

    /// From now on nothing begins.
    ///
    /// - Returns: what is under way.
    func stop() -> [Exchange] {
        state.withLock { state in
            state.isStopping = true
            return state.connections.values.compactMap(\.exchange)
        }
    }

    /// Wakes libmicrohttpd for clients that left in the middle of a request.
    ///
    /// It waits for edges only and takes a short read for the end of what there is, so it misses a close that came together
    /// with the last bytes: such a connection would stay open for ever. Two looks in a row must agree, because a request may be
    /// complete a moment after the first.
    func dropAbandoned() {
        state.withLock { state in
            guard !state.connections.isEmpty, !state.isStopping else { return }
            var keys: [OpaquePointer] = []
            var polled: [pollfd] = []
            for (key, connection) in state.connections {
                keys.append(key)
                polled.append(pollfd(fd: connection.descriptor, events: merokit_poll_hangup(), revents: 0))
            }
            guard poll(&polled, nfds_t(polled.count), 0) > 0 else { return }
            for (key, entry) in zip(keys, polled) where entry.revents != 0 {
                guard let connection = state.connections[key] else { continue }
                let received = connection.exchange.map { $0.receivedSoFar } ?? 0
                guard let received, merokit_unread_bytes(entry.fd) == 0 else {
                    state.connections[key]?.stuckAt = nil
                    continue
                }
                if connection.stuckAt == received {
                    _ = shutdown(entry.fd, Int32(SHUT_RDWR))
                } else {
                    state.connections[key]?.stuckAt = received
                }
            }
        }
    }

    /// Answers requests whose bodies have not come in time.
    func refuseLate(at now: Date) {
        state.withLock { state in
            guard !state.isStopping else { return }
            for connection in state.connections.values {
                connection.exchange?.refuseIfLate(at: now, on: connection.descriptor)
            }
        }
    }
}
