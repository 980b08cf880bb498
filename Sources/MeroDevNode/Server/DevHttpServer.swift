import CMicrohttpd
import Foundation
import MeroKit

/// An HTTP/1.1 server on 127.0.0.1 that can be told to misbehave. It knows nothing of what it serves.
///
/// ```swift
/// let server = DevHttpServer { request in
///     DevHttpResponse(status: 200, body: .bytes(Data(request.path.utf8)))
/// }
/// try await server.start()
/// server.inject(.cutAfterHandler, on: "POST /jsonrpc")
/// await server.stop()
/// ```
/// The handler runs in a task of its own per request, which is cancelled when the server stops; `stop` waits for it, so it
/// must not be called from a handler. Records, counters and faults live as long as this object, across restarts.
package final class DevHttpServer: Sendable {
    private let lifecycle: ServerLifecycle

    /// - Parameter port: 0 takes any free port at the first start and keeps it for later ones.
    package init(
        port: UInt16 = 0, options: DevServerOptions = DevServerOptions(),
        handler: @escaping @Sendable (DevHttpRequest) async -> DevHttpResponse
    ) {
        lifecycle = ServerLifecycle(port: port, options: options, handler: handler)
    }

    deinit {
        // Nobody is left to wait for it; the threads end all the same.
        let lifecycle = lifecycle
        lifecycle.queue.async { lifecycle.stop() }
    }

    /// The port asked for, or the one taken once it has started.
    package var port: UInt16 { lifecycle.port }

    /// Does nothing when it is running. Throws `DevServerError`.
    package func start() async throws { try await lifecycle.perform { try $0.start() } }

    /// Drops every connection, cancels and awaits every handler, joins every thread. Idempotent; `start` works again, on
    /// the same port if nobody has taken it.
    package func stop() async { await lifecycle.perform { $0.stop() } }

    /// Stops and starts on the same port, which nobody else can take in between.
    package func restart() async throws { try await lifecycle.perform { try $0.restart() } }

    /// `true` closes the listening socket and drops every connection, so that clients are refused; the port stays reserved.
    /// `false` listens again. Does nothing on a stopped server.
    package func refuseConnections(_ refuse: Bool) async throws {
        try await lifecycle.perform { try $0.refuseConnections(refuse) }
    }

    package var openConnections: Int { lifecycle.openConnections }

    /// All connections ever accepted, which shows whether a client reuses them.
    package var acceptedConnections: Int { lifecycle.acceptedConnections.withLock { $0 } }

    // MARK: Records

    /// In the order of arrival: the moment a body is complete, or the client has given up on it.
    package var requests: [DevRequestRecord] { lifecycle.log.records }

    package func requestCount(_ route: DevRouteMatch) -> Int { lifecycle.log.requestCount(route) }

    package func requestCount(_ method: String, _ path: String) -> Int { requestCount(DevRouteMatch(method, path)) }

    /// How often the handler ran to its end and said so (`DevHttpResponse.handlerRan`).
    package func handlerRuns(_ route: DevRouteMatch) -> Int { lifecycle.log.handlerRuns(route) }

    package func handlerRuns(_ method: String, _ path: String) -> Int { handlerRuns(DevRouteMatch(method, path)) }

    /// Forgets records and counts.
    package func clearRequests() { lifecycle.log.clear() }

    // MARK: Faults

    /// - Parameter times: how many requests it strikes; nil means every one until it is removed.
    @discardableResult
    package func inject(_ fault: DevFault, on route: DevRouteMatch, times: Int? = 1) -> DevFaultHandle {
        lifecycle.faults.add(fault, on: route, times: times)
    }

    package func removeFaults() { lifecycle.faults.removeAll() }
}
