import CMicrohttpd
import Foundation
import MeroKit

/// One life of the daemon: what its callbacks work with between a start and the following stop.
final class ServerRun: Sendable {
    let options: DevServerOptions
    let handler: @Sendable (DevHttpRequest) async -> DevHttpResponse
    let log: RequestLog
    let faults: FaultPlan
    let acceptedConnections: Locked<Int>
    let watcher = PeerWatcher()
    let upgraded = UpgradedConnections()
    /// Handlers and disk writes that are under way.
    let group = DispatchGroup()
    private let table = ConnectionTable()
    private let sweepQueue = DispatchQueue(label: "MeroDevNode.sweep")
    private let sweepTimer = Locked<(any DispatchSourceTimer)?>(nil)

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

    var openConnections: Int { table.count }

    /// Takes the listening socket over, be it to close it because libmicrohttpd refuses (nil).
    func start(listening socket: Int32) -> OpaquePointer? {
        let context = Unmanaged.passRetained(self).toOpaque()
        let flags =
            MHD_USE_AUTO_INTERNAL_THREAD.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue
            | MHD_ALLOW_UPGRADE.rawValue
        let daemon = merokit_mhd_start(
            socket, flags, UInt32(clamping: options.connectionLimit), 32 << 10, context,
            { context, rawTarget, connection in
                ServerRun.from(context)?.begin(rawTarget: rawTarget.map { String(cString: $0) } ?? "", on: connection)
            },
            { _, connection, _, method, _, upload, size, exchange in
                guard let connection, let method, let size, let exchange = Exchange.from(exchange?.pointee) else {
                    return .NO
                }
                return exchange.proceed(
                    connection: connection, method: String(cString: method), upload: upload, size: size)
            },
            { context, connection, exchange, _ in
                guard let pointer = exchange?.pointee else { return }
                exchange?.pointee = nil
                Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue().complete()
                if let connection { ServerRun.from(context)?.table.end(on: connection) }
            },
            { context, connection, _, change in
                guard let connection, let run = ServerRun.from(context) else { return }
                if change == .CONNECTION_NOTIFY_STARTED {
                    run.table.open(connection)
                    run.acceptedConnections.withLock { $0 += 1 }
                } else {
                    run.table.close(connection)
                }
            })
        if daemon == nil {
            Unmanaged<ServerRun>.fromOpaque(context).release()
        } else {
            startSweeping()
        }
        return daemon
    }

    private func startSweeping() {
        let timer = DispatchSource.makeTimerSource(queue: sweepQueue)
        timer.schedule(deadline: .now() + .milliseconds(250), repeating: .milliseconds(250), leeway: .milliseconds(50))
        timer.setEventHandler { [table, options] in
            table.dropAbandoned()
            table.refuseLate(at: options.now())
        }
        timer.resume()
        sweepTimer.withLock { $0 = timer }
    }

    /// Blocks until the daemon's thread, the watcher's thread and every handler are done.
    func stop(_ daemon: OpaquePointer) {
        sweepTimer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
        let exchanges = table.stop()
        // libmicrohttpd aborts the process if it is stopped with a suspended connection.
        for exchange in exchanges { exchange.abort() }
        // It complains when upgraded connections are still open then.
        upgraded.stop()
        MHD_stop_daemon(daemon)
        watcher.stop()
        group.wait()
        sweepQueue.sync {}
        Unmanaged.passUnretained(self).release()
    }

    private func begin(rawTarget: String, on connection: OpaquePointer?) -> UnsafeMutableRawPointer? {
        guard let connection else { return nil }
        let exchange = Exchange(run: self, rawTarget: rawTarget)
        if !table.begin(exchange, on: connection) { exchange.abort() }
        return Unmanaged.passRetained(exchange).toOpaque()
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
