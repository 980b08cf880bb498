import Foundation
import MeroKit

/// A cloud inside this process, on loopback: the control plane, the wallet's and the portal's pages, and a registry of
/// applications, all under one origin.
///
/// ```swift
/// let cloud = try await DevCloud.start()
/// cloud.add(relay)                         // a `DevNode` with `delegatedAccess`
/// let client = CloudClient(baseURL: cloud.url, routingCredential: credential)
/// // … later
/// await cloud.stop()
/// ```
/// It checks every proof as the hosted cloud does, starts in milliseconds, and many can run side by side. Tests make it
/// misbehave with ``inject(_:on:times:)`` and look at what arrived in ``requests``.
///
/// Spec: 70.
public final class DevCloud: Sendable {
    /// Moves challenges, sessions, grants, heartbeats and the delays of relays.
    public let clock: DevClock
    /// What certifies devices on the page at ``walletURL``, and without a browser.
    public let wallet: DevWallet
    let core: CloudCore
    let registry: CloudRegistry
    private let server: DevHttpServer

    /// Starts a cloud. Throws ``DevNodeError`` when the port cannot be used.
    public static func start(
        _ options: DevCloudOptions = DevCloudOptions(), wallet: DevWallet = DevWallet()
    ) async throws -> DevCloud {
        let cloud = DevCloud(options, wallet)
        do {
            try await cloud.server.start()
        } catch {
            throw DevNodeError.server("\(error)")
        }
        return cloud
    }

    private init(_ options: DevCloudOptions, _ wallet: DevWallet) {
        clock = DevClock()
        self.wallet = wallet
        let registry = CloudRegistry()
        let core = CloudCore(options: options, clock: clock, wallet: wallet)
        self.registry = registry
        self.core = core
        let router = NodeRouter(core.routes + registry.routes)
        server = DevHttpServer(port: options.port) { await Self.answer($0, router) }
    }

    private static func answer(_ request: DevHttpRequest, _ router: NodeRouter) async -> DevHttpResponse {
        switch router.match(method: request.method, path: request.path) {
        case .route(let route, let parameters):
            return await route.handler(RouteCall(request: request, parameters: parameters))
        case .none:
            return unhandled(404, "Not Found")
        case .wrongMethod(let allowed):
            var response = unhandled(405, "Method Not Allowed")
            response.headers.append(("Allow", allowed.joined(separator: ", ")))
            return response
        }
    }

    private static func unhandled(_ status: Int, _ text: String) -> DevHttpResponse {
        var response = CloudProblem(status, text).response
        response.handlerRan = false
        return response
    }

    // MARK: - Life

    /// `http://127.0.0.1:<port>`: the API, and the registry's origin as well.
    public var url: URL { Self.url(port: server.port, path: "") }

    /// The wallet's page: `CloudConfig.walletURL`.
    public var walletURL: URL { Self.url(port: server.port, path: "/account-enroll") }

    /// The portal's page, where a person links an account.
    public var portalURL: URL { Self.url(port: server.port, path: "/") }

    /// The registry, as `ApplicationRegistry` takes it.
    public var registryURL: String { url.absoluteString }

    private static func url(port: UInt16, path: String) -> URL {
        var components = URLComponents()
        components.scheme = "http"
        components.host = "127.0.0.1"
        components.port = Int(port)
        components.path = path
        return components.url ?? URL(fileURLWithPath: "/")
    }

    /// The port it listens on.
    public var port: UInt16 { server.port }

    /// How it behaves; may be changed at any time. The port stays what it was.
    public var options: DevCloudOptions {
        get { core.options }
        set { core.settings.withLock { $0 = newValue } }
    }

    /// Stops the cloud; no thread and no socket outlives the call. Relays that were added go on.
    public func stop() async { await server.stop() }

    /// Stops and starts again on the same port. What it knows, faults and records stay. Throws ``DevNodeError``.
    public func restart() async throws {
        do {
            try await server.restart()
        } catch {
            throw DevNodeError.server("\(error)")
        }
    }

    /// `true` closes the listening socket and drops every connection, so that clients are refused; `false` listens
    /// again on the same port. Throws ``DevNodeError``.
    public func refuseConnections(_ refuse: Bool) async throws {
        do {
            try await server.refuseConnections(refuse)
        } catch {
            throw DevNodeError.server("\(error)")
        }
    }

    // MARK: - Observation

    /// What arrived, in order. The oldest make room after 50,000.
    public var requests: [DevRequestRecord] { server.requests }

    /// How many requests arrived for a method and a path; the path may end in `*`.
    public func requestCount(_ method: String, _ path: String) -> Int { server.requestCount(method, path) }

    /// How often the handler behind a route ran; a request without a session, or that a fault kept away, does not count.
    public func handlerRuns(_ method: String, _ path: String) -> Int { server.handlerRuns(method, path) }

    /// Forgets records and counts.
    public func clearRequests() { server.clearRequests() }

    // MARK: - Faults

    /// Makes requests for a route go wrong. Faults about a node's tokens mean nothing here.
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
