extension NodeCore {
    /// A row whose access comes from the table of scopes.
    static func guarded(
        _ method: String, _ template: String, _ permissions: RoutePermissions = .standard,
        _ handler: @escaping @Sendable (RouteCall) async -> DevHttpResponse
    ) -> NodeRoute {
        NodeRoute(method, template, permissions.access(method: method, template: template), handler)
    }

    /// The same below the admin API, by what stands behind its prefix.
    static func adminRoute(
        _ method: String, _ template: String, _ handler: @escaping @Sendable (RouteCall) async -> DevHttpResponse
    ) -> NodeRoute {
        guarded(method, "/admin-api" + template, .standard, handler)
    }

    static func adminRoutes(
        status: NodeStatus, identity: NodeIdentity, link: PeerLink, _ usage: UsageReport
    ) -> [NodeRoute] {
        [
            guarded("GET", "/admin-api/health") { _ in
                let isAlive = status.isStorageAvailable
                return .json(
                    isAlive ? 200 : 503, ["data": ["status": .string(isAlive ? "alive" : "store_unavailable")]])
            },
            guarded("GET", "/admin-api/ready") { _ in
                let readiness = status.readiness
                let isReady = readiness == .ready && status.isStorageAvailable
                let word = readiness == .ready && !isReady ? "store_unavailable" : readiness.rawValue
                return .json(isReady ? 200 : 503, ["data": ["status": .string(word)]])
            },
            guarded("GET", "/admin-api/is-authed") { _ in .json(200, ["data": ["status": "alive"]]) },
            guarded("GET", "/admin-api/identity") { _ in .json(200, ["data": identity.tree]) },
            guarded("GET", "/admin-api/peers") { _ in
                .json(200, ["count": JsonTree(link.network?.peers(of: link.id).count ?? 0)])
            },
            guarded("GET", "/admin-api/network/status") { _ in .json(200, unconnected(identity)) },
            guarded("GET", "/admin-api/usage") { _ in usage.answer() },
        ]
    }

    /// The network status of a node that has started and met nobody.
    private static func unconnected(_ identity: NodeIdentity) -> JsonTree {
        [
            "localPeerId": .string(identity.peerId),
            "listenAddrs": [], "externalAddrs": [],
            "relays": [], "rendezvous": [], "directUpgrades": [],
            "autonat": [
                "reachability": "unknown", "lastTestAddr": .null, "lastTestResult": .null, "lastTestReason": .null,
                "lastTestObservedAddr": .null, "lastTestAt": .null,
            ],
        ]
    }

    static func webSocketRoutes(_ service: WebSocketService) -> [NodeRoute] {
        [guarded("GET", "/ws") { service.open($0) }]
    }

    static func rpcRoutes(_ rpc: JsonRpcService) -> [NodeRoute] {
        [guarded("POST", "/jsonrpc") { await rpc.handle($0) }]
    }

    static func sseRoutes(_ sse: SseService) -> [NodeRoute] {
        [
            guarded("GET", "/sse") { sse.open($0) },
            guarded("POST", "/sse/subscription") { sse.change($0) },
            guarded("GET", "/sse/session/{id}") { sse.inspect($0) },
        ]
    }

    static func authRoutes(_ auth: AuthService, _ permissions: RoutePermissions) -> [NodeRoute] {
        let validate: @Sendable (RouteCall) async -> DevHttpResponse = {
            auth.validate($0.request, permissions: permissions)
        }
        let page = HostedLogin(auth: auth)
        let open: [NodeRoute] = [
            NodeRoute("GET", "/auth/login", .open) { page.page($0.request) },
            NodeRoute("POST", "/auth/login", .open) { page.submit($0.request) },
            NodeRoute("GET", "/auth/health", .open) { _ in auth.health() },
            NodeRoute("GET", "/auth/providers", .open) { _ in auth.providers() },
            NodeRoute("GET", "/auth/challenge", .open) { _ in auth.challenge() },
            NodeRoute("POST", "/auth/token", .open) { auth.login($0.request) },
            NodeRoute("POST", "/auth/refresh", .open) { auth.refresh($0.request) },
            NodeRoute("POST", "/auth/logout", .open) { auth.logout($0.request) },
            NodeRoute("POST", "/auth/mock-token", .open) { auth.mockToken($0.request) },
            NodeRoute("GET", "/auth/validate", .open, validate),
            NodeRoute("POST", "/auth/validate", .open, validate),
        ]
        return open + [
            admin("GET", "/admin/identity") { _, _ in auth.identity() },
            admin("GET", "/admin/metrics") { _, _ in auth.metrics() },
            admin("GET", "/admin/keys") { _, _ in auth.listRootKeys() },
            admin("POST", "/admin/keys") { call, _ in auth.createRootKey(call.request) },
            admin("DELETE", "/admin/keys/{id}") { call, _ in auth.deleteRootKey(call.parameters["id"] ?? "") },
            admin("POST", "/admin/revoke") { call, _ in auth.revoke(call.request) },
            admin("POST", "/admin/client-key") { call, caller in auth.createClientKey(call.request, caller: caller) },
            admin("GET", "/admin/keys/clients") { _, _ in auth.listClientKeys() },
            admin("DELETE", "/admin/keys/{id}/clients/{client}") { call, _ in
                auth.deleteClientKey(root: call.parameters["id"] ?? "", client: call.parameters["client"] ?? "")
            },
            admin("GET", "/admin/keys/{id}/permissions") { call, _ in
                auth.keyPermissions(call.parameters["id"] ?? "")
            },
            admin("PUT", "/admin/keys/{id}/permissions") { call, caller in
                auth.updateKeyPermissions(call.parameters["id"] ?? "", request: call.request, caller: caller)
            },
        ]
    }

    /// A row of the auth service's `/admin`, whose good answers name the caller.
    private static func admin(
        _ method: String, _ template: String, _ handler: @escaping @Sendable (RouteCall, Caller) -> DevHttpResponse
    ) -> NodeRoute {
        guarded(method, template) { call in
            guard let caller = call.caller else { return .refused(401, authError: "invalid_token") }
            var response = handler(call, caller)
            if response.status == 200 { response.headers += AuthService.identityHeaders(caller) }
            return response
        }
    }
}
