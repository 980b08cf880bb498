extension NodeCore {
    /// What accounts without a node ask for.
    static func relayRoutes(_ relay: RelayService, _ permissions: RoutePermissions) -> [NodeRoute] {
        func route(
            _ method: String, _ template: String, _ handler: @escaping @Sendable (RouteCall) async -> DevHttpResponse
        ) -> NodeRoute {
            guarded(method, "/admin-api" + template, permissions, handler)
        }
        let always = [
            route("GET", "/contexts/{context}/intents") { await relay.describe($0) },
            route("POST", "/contexts/{context}/intents") { await relay.write($0) },
            route("POST", "/contexts/{context}/presence-intents") { await relay.showPresence($0) },
            route("POST", "/contexts/{context}/query") { await relay.query($0) },
            route("GET", "/groups/{group}/context-intents") { await relay.describeCreation($0) },
            route("POST", "/groups/{group}/context-intents") { await relay.createContext($0) },
            route("GET", "/groups/{group}/governance-intents") { await relay.describeGovernance($0) },
            route("POST", "/groups/{group}/governance-intents") { await relay.govern($0) },
            route("POST", "/namespaces/{group}/admit") { await relay.admit($0) },
        ]
        guard relay.options.servesWarrantNonce else { return always }
        return always + [
            route("POST", "/contexts/{context}/warrant-nonce") { await relay.ownNonce($0) },
            route("GET", "/contexts/{context}/warrant-nonce/{device}") { await relay.nonce($0) },
        ]
    }
}
