import CMicrohttpd
import Foundation
import MeroKit

/// One life of the daemon: what its callbacks work with between a start and the following stop.
final class ServerRun: Sendable {
    private struct State {
        var isStopping = false
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var openConnections = 0
    }

    let options: DevServerOptions
    let handler: @Sendable (DevHttpRequest) async -> DevHttpResponse
    let log: RequestLog
    let faults: FaultPlan
    let acceptedConnections: Locked<Int>
    let watcher = PeerWatcher()
    /// Handlers and disk writes that are under way.
    let group = DispatchGroup()
    private let state = Locked(State())

    init(
        options: DevServerOptions, log: RequestLog, faults: FaultPlan, acceptedConnections: Locked<Int>,
        handler: @escaping @Sendable (DevHttpRequest) async -> DevHttpResponse
    ) {
        self.options = options
        self.log = log
        self.faults = faults
        self.acceptedConnections = acceptedConnections
        self.handler = handler
    }

    var openConnections: Int { state.withLock { $0.openConnections } }

    func remove(_ exchange: Exchange) {
        state.withLock { _ = $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Takes the listening socket over, be it to close it because libmicrohttpd refuses (nil).
    func start(listening socket: Int32) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self).toOpaque()
        let flags = MHD_USE_AUTO_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
        let daemon = merokit_mhd_start(
            socket, flags, UInt32(clamping: options.connectionLimit), 32 << 10, context,
            { context, rawTarget, connection in
                ServerRun.from(context)?.begin(rawTarget: rawTarget.map { String(cString: $0) } ?? "")
            },
            { _, connection, _, method, _, upload, size, exchange in
                guard let connection, let method, let size, let exchange = Exchange.from(exchange?.pointee) else {
                    return .NO
                }
                return exchange.proceed(
                    connection: connection, method: String(cString: method), upload: upload, size: size)
            },
            { _, _, exchange, _ in
                guard let pointer = exchange?.pointee else { return }
                exchange?.pointee = nil
                Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().completed()
            },
            { context, _, _, change in
                ServerRun.from(context)?.connectionChanged(isNew: change == .CONNECTION_NOTIFY_STARTED)
            })
        if daemon == nil { Unmanaged<ServerRun>.fromOpaque(context).release() }
        return daemon
    }

    /// Blocks until the daemon's thread, the watcher's thread and every handler are done.
    func stop(_ daemon: OpaquePointer) {
        let exchanges = state.withLock { state in
            state.isStopping = true
            return Array(state.exchanges.values)
        }
        // libmicrohttpd aborts the process if it is stopped with a suspended connection.
        for exchange in exchanges { exchange.abort() }
        MHD_stop_daemon(daemon)
        watcher.stop()
        group.wait()
        Unmanaged.passUnretained(self).release()
    }

    private func begin(rawTarget: String) -> UnsafeMutableRawPointer? {
        let exchange = Exchange(run: self, rawTarget: rawTarget)
        let isStopping = state.withLock { state in
            if !state.isStopping { state.exchanges[ObjectIdentifier(exchange)] = exchange }
            return state.isStopping
        }
        if isStopping { exchange.abort() }
        return Unmanaged.passRetained(exchange).toOpaque()
    }

    private func connectionChanged(isNew: Bool) {
        state.withLock { $0.openConnections += isNew ? 1 : -1 }
        if isNew { acceptedConnections.withLock { $0 += 1 } }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> ServerRun? {
        context.map { Unmanaged<ServerRun>.fromOpaque($0).takeUnretainedValue() }
    }
}

extension Exchange {
    fileprivate static func from(_ pointer: UnsafeMutableRawPointer?) -> Exchange? {
        pointer.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }
}
