import Foundation
import MeroKit

/// A Calimero node inside this process, on loopback: real HTTP, a real auth service, contracts written in Swift.
///
/// ```swift
/// let node = try await DevNode.start()
/// let context = try node.createContext(KeyValueContract())
/// let tokens = try node.mintTokens()
/// // … talk to node.url …
/// await node.stop()
/// ```
/// It starts in milliseconds, and many can run side by side. Tests make it misbehave with ``inject(_:on:times:)`` and
/// look at what arrived in ``requests``.
public final class DevNode: Sendable {
    /// Moves token expiry, key lifetimes and the login throttle.
    public let clock: DevClock
    private let options: DevNodeOptions
    private let status: NodeStatus
    private let directory: DataDirectory?
    private let cores: Locked<NodeCore>
    private let registry = StreamRegistry()
    private let webSocketsAreMuted = Locked(false)
    private let server: DevHttpServer

    /// Starts a node. Throws ``DevNodeError`` when the port or the data directory cannot be used.
    public static func start(_ options: DevNodeOptions = DevNodeOptions()) async throws -> DevNode {
        let node = try DevNode(options)
        do {
            try await node.server.start()
        } catch {
            node.directory?.release()
            throw DevNodeError.server("\(error)")
        }
        options.network?.attach(node.core)
        return node
    }

    private init(_ options: DevNodeOptions) throws {
        self.options = options
        clock = DevClock()
        status = NodeStatus()
        directory = options.dataDirectory.map { DataDirectory($0) }
        try directory?.acquire()
        let core = try Self.makeCore(
            options, clock, status, directory, ContractShelf(options.contracts), [], registry, webSocketsAreMuted)
        let cores = Locked(core)
        self.cores = cores
        var serverOptions = DevServerOptions()
        serverOptions.bodySpoolThreshold = max(
            serverOptions.bodySpoolThreshold, options.bodyLimit, options.authBodyLimit)
        serverOptions.spoolDirectory = options.dataDirectory.map(BlobStore.folder)
        serverOptions.bodyLimit = { request in cores.withLock { $0 }.bodyLimit(request) }
        serverOptions.bodyDeadline = { request in cores.withLock { $0 }.bodyDeadline(request) }
        serverOptions.bodyTooLate = { request in cores.withLock { $0 }.sealed.tooLate }
        serverOptions.now = { [clock] in clock.now }
        serverOptions.bodyTooLarge = { request in cores.withLock { $0 }.tooLarge(request) }
        server = DevHttpServer(port: options.port, options: serverOptions) { request in
            await cores.withLock { $0 }.handle(request)
        }
    }

    private static func makeCore(
        _ options: DevNodeOptions, _ clock: DevClock, _ status: NodeStatus, _ directory: DataDirectory?,
        _ shelf: ContractShelf, _ published: [ReleaseCatalog.Release], _ streams: StreamRegistry,
        _ webSocketsAreMuted: Locked<Bool>
    ) throws -> NodeCore {
        let core = try NodeCore(
            options: options, clock: clock, status: status, directory: directory, shelf: shelf,
            published: published, streams: streams, webSocketsAreMuted: webSocketsAreMuted)
        for user in options.users where !core.auth.accepts(username: user.username, password: user.password) {
            core.auth.putUser(username: user.username, password: user.password)
        }
        return core
    }

    var core: NodeCore { cores.withLock { $0 } }

    // MARK: - Life

    /// `http://127.0.0.1:<port>`, without the path prefix.
    public var url: URL {
        var components = URLComponents()
        components.scheme = "http"
        components.host = "127.0.0.1"
        components.port = Int(port)
        return components.url ?? URL(fileURLWithPath: "/")
    }

    /// The port it listens on.
    public var port: UInt16 { server.port }

    /// Stops the node; no thread and no socket outlives the call. Calling it again does nothing.
    public func stop() async {
        options.network?.detach(nodeKey)
        await server.stop()
        await registry.drain()
        core.endProcess()
        directory?.release()
    }

    /// Stops and starts again on the same port. A node with a data directory starts from what is on disk, another keeps
    /// what it has in memory. Faults and records stay.
    public func restart() async throws {
        options.network?.detach(nodeKey)
        do {
            try await server.refuseConnections(true)
            await registry.drain()
            if let directory {
                try directory.acquire()
                let next = try Self.makeCore(
                    options, clock, status, directory, core.applications.shelf, core.relay.catalog.published,
                    registry, webSocketsAreMuted)
                let previous = cores.withLock { core in
                    defer { core = next }
                    return core
                }
                previous.close()
            } else {
                core.endProcess()
            }
            try await server.refuseConnections(false)
            try await server.start()
            options.network?.attach(core)
        } catch let error as DevNodeError {
            throw error
        } catch {
            throw DevNodeError.server("\(error)")
        }
    }

    /// `true` closes the listening socket and drops every connection, so that clients are refused; `false` listens
    /// again on the same port.
    public func refuseConnections(_ refuse: Bool) async throws {
        do {
            try await server.refuseConnections(refuse)
        } catch {
            throw DevNodeError.server("\(error)")
        }
    }

    // MARK: - Health

    /// `false` makes the node answer as one whose datastore is gone: 503 from health, 500 from the guard, 401
    /// `Service unavailable` from a login, 500 from a refresh.
    public func setStorageAvailable(_ isAvailable: Bool) { status.isStorageAvailable = isAvailable }

    /// What `GET /admin-api/ready` tells.
    public func setReadiness(_ readiness: DevReadiness) { status.readiness = readiness }

    /// What becomes of requests for attestation from now on.
    public func setAttestation(_ attestation: DevAttestation) { status.attestation = attestation }

    // MARK: - Contexts

    /// Creates a context that runs a contract, and returns its id (64 hex).
    ///
    /// With the id of a context that exists already and ran a contract of the same name, it takes that up with its
    /// state. Throws ``DevNodeError``.
    @discardableResult
    public func createContext(
        _ contract: any DevContract, id: String? = nil, role: DevRole = .member
    ) throws -> String {
        try core.contexts.create(contract, id: id, role: role)
    }

    /// The ids of all contexts in the order of creation.
    public var contexts: [String] { core.contexts.ids }

    /// Forces the outcome of calls to a context; nil lifts it. False when there is no such context.
    @discardableResult
    public func setCondition(_ condition: DevContextCondition?, context: String) -> Bool {
        let isKnown = core.contexts[context]?.change { $0.condition = condition } != nil
        core.events.recheck()
        return isKnown
    }

    /// Changes the node's role in a context. False when there is no such context.
    @discardableResult
    public func setRole(_ role: DevRole, context: String) -> Bool {
        core.contexts[context]?.change { $0.role = role } != nil
    }

    /// A copy of a context's state; nil when there is no such context.
    public func contextState(_ context: String) -> [String: JSONValue]? {
        core.contexts[context]?.read { $0.state.values }
    }

    /// The last events a context's contract emitted, oldest first, at least the last 1,000; nil when there is no such
    /// context.
    public func contextEvents(_ context: String) -> [DevEmittedEvent]? { core.contexts[context]?.read { $0.events } }

    // MARK: - Users and tokens

    /// Adds a user with a root key that may do everything, or changes a known user's password.
    public func addUser(username: String, password: String) {
        core.auth.putUser(username: username, password: password)
    }

    /// A token pair without a login, behind a root key of its own.
    ///
    /// - Parameters:
    ///   - permissions: scopes of spec 10, section 7.4.
    ///   - nodeURL: binds the tokens to the host of this URL.
    public func mintTokens(permissions: [String] = ["admin"], nodeURL: String? = nil) -> DevTokens {
        core.auth.mintForTests(permissions: permissions, nodeURL: nodeURL).1
    }

    /// From now on every access token minted so far is refused as `token_expired`, and may be refreshed.
    public func expireAccessTokens() { core.auth.expireAccessTokens() }

    /// Revokes the key behind every token minted so far: 403 `token_revoked`. Users and accounts may log in again. To shut an
    /// account out for good, delete its key: `DELETE /admin/keys/{key_id}`.
    public func revokeFamilies() { core.auth.revokeEveryKey() }

    // MARK: - Observation

    /// What arrived, in order. The oldest make room after 50,000.
    public var requests: [DevRequestRecord] { server.requests }

    /// How many requests arrived for a method and a path; the path may end in `*`.
    public func requestCount(_ method: String, _ path: String) -> Int { server.requestCount(method, path) }

    /// How often the handler behind a route ran; a request that the guard refused or a fault kept away does not count.
    public func handlerRuns(_ method: String, _ path: String) -> Int { server.handlerRuns(method, path) }

    /// Forgets records and counts.
    public func clearRequests() { server.clearRequests() }

    /// Connections that are open right now.
    public var openConnections: Int { server.openConnections }

    /// Connections ever accepted; shows whether a client reuses them.
    public var acceptedConnections: Int { server.acceptedConnections }

    // MARK: - Streams

    /// The event connections, and what can go wrong with them.
    public var streams: DevStreams {
        DevStreams(registry: registry, server: server, path: options.normalizedPathPrefix + "/sse")
    }

    /// The WebSockets, and what can go wrong with them.
    public var webSockets: DevWebSockets { DevWebSockets(registry: registry, isMuted: webSocketsAreMuted) }

    // MARK: - Faults

    /// Makes requests for a route go wrong.
    ///
    /// - Parameters:
    ///   - fault: what goes wrong.
    ///   - route: for which requests, e.g. `POST /jsonrpc` or `/auth/*`.
    ///   - times: how many requests it strikes; nil means every one until it is removed.
    @discardableResult
    public func inject(_ fault: DevFault, on route: DevRouteMatch, times: Int? = 1) -> DevFaultHandle {
        server.inject(fault, on: route, times: times)
    }

    /// Removes every fault.
    public func removeFaults() { server.removeFaults() }
}
