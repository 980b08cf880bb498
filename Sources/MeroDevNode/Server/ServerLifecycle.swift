import CMicrohttpd
import Foundation
import MeroKit

/// Starts and stops a server's daemon, one act after the other on a queue of its own, because stopping blocks.
final class ServerLifecycle: Sendable {
    private struct State {
        var port: UInt16
        /// A socket that is bound to the port and never listens: it keeps the port while nothing listens on it.
        var reservation: Int32 = -1
        var running: (run: ServerRun, daemon: OpaquePointer)?
        var isRefusing = false
    }

    let queue = DispatchQueue(label: "MeroDevNode.server")
    let log: RequestLog
    let faults = FaultPlan()
    let acceptedConnections = Locked(0)
    private let options: DevServerOptions
    private let handler: @Sendable (DevHttpRequest) async -> DevHttpResponse
    private let state: Locked<State>

    init(
        port: UInt16, options: DevServerOptions,
        handler: @escaping @Sendable (DevHttpRequest) async -> DevHttpResponse
    ) {
        self.options = options
        self.handler = handler
        log = RequestLog(limit: options.recordLimit)
        state = Locked(State(port: port))
    }

    var port: UInt16 { state.withLock { $0.port } }

    var openConnections: Int { state.withLock { $0.running?.run.openConnections ?? 0 } }

    func perform(_ act: @escaping @Sendable (ServerLifecycle) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result { try act(self) }) }
        }
    }

    func perform(_ act: @escaping @Sendable (ServerLifecycle) -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                act(self)
                continuation.resume()
            }
        }
    }

    // MARK: On the queue

    func start() throws {
        let isRefusing = state.withLock { $0.isRefusing }
        do {
            try reserve()
            try listen()
        } catch {
            if !isRefusing { stop() }
            throw error
        }
    }

    func stop() {
        halt()
        let reservation = state.withLock { state in
            defer { state.reservation = -1 }
            state.isRefusing = false
            return state.reservation
        }
        if reservation >= 0 { close(reservation) }
    }

    func restart() throws {
        halt()
        try start()
    }

    func refuseConnections(_ refuse: Bool) throws {
        let (isRunning, isRefusing) = state.withLock { ($0.running != nil, $0.isRefusing) }
        if refuse, isRunning {
            halt()
            state.withLock { $0.isRefusing = true }
        } else if !refuse, isRefusing {
            try start()
        }
    }

    private func halt() {
        let running = state.withLock { state in
            defer { state.running = nil }
            return state.running
        }
        if let running { running.run.stop(running.daemon) }
    }

    private func reserve() throws {
        let (port, reservation) = state.withLock { ($0.port, $0.reservation) }
        guard reservation < 0 else { return }
        let socket = merokit_bind_loopback(port)
        guard socket >= 0 else { throw refusal(port) }
        state.withLock { state in
            state.port = merokit_bound_port(socket)
            // Only Linux lets a second socket listen on the port beside one that merely holds it.
            #if os(Linux)
                state.reservation = socket
            #endif
        }
        #if !os(Linux)
            close(socket)
        #endif
    }

    private func listen() throws {
        let (port, isRunning) = state.withLock { ($0.port, $0.running != nil) }
        guard !isRunning else { return }
        let socket = try listeningSocket(port)
        let run = ServerRun(
            options: options, log: log, faults: faults, acceptedConnections: acceptedConnections, handler: handler)
        guard let daemon = run.start(listening: socket) else { throw DevServerError.daemonRefused }
        state.withLock { state in
            state.running = (run, daemon)
            state.isRefusing = false
        }
    }

    /// Tries again for two seconds while the port is taken: a process that is just being started holds what this one had
    /// open a moment ago, until it has become another program.
    private func listeningSocket(_ port: UInt16) throws -> Int32 {
        var attempts = 1
        while true {
            let socket = merokit_bind_loopback(port)
            if socket >= 0, Foundation.listen(socket, 4096) == 0 { return socket }
            let isTaken = errno == EADDRINUSE
            let error = refusal(port)
            if socket >= 0 { close(socket) }
            guard isTaken, attempts < 100 else { throw error }
            attempts += 1
            usleep(20_000)
        }
    }

    private func refusal(_ port: UInt16) -> DevServerError {
        .cannotListen(port: port, reason: String(cString: strerror(errno)))
    }
}
