/// Spec: 20, sections 5.1 to 5.3.
extension AdminEndpoints {
    static let health = Endpoint<ApiResponse<HealthStatus>>(.get, "/admin-api/health")
    static let ready = Endpoint<ApiResponse<HealthStatus>>(.get, "/admin-api/ready")
    static let isAuthed = Endpoint<AdminAuthStatus>(.get, "/admin-api/is-authed")
    static let identity = Endpoint<ApiResponse<NodeIdentity>>(.get, "/admin-api/identity")
    static let peers = Endpoint<PeersCountResponseData>(.get, "/admin-api/peers")
    static let networkStatus = Endpoint<JSONValue>(.get, "/admin-api/network/status")
    static let usage = Endpoint<JSONValue>(.get, "/admin-api/usage")

    static let node: [any EndpointDescription] = [
        health, ready, isAuthed, identity, peers, networkStatus, usage,
    ]
}
