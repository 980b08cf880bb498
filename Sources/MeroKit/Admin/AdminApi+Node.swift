extension AdminApi {
    /// Whether the node's store answers: `alive`. A sick node's 503 is thrown as `MeroError.http`, after retries. Needs no
    /// token.
    public func healthCheck() async throws -> HealthStatus {
        try await enveloped(AdminEndpoints.health)
    }

    /// Whether the node has started up: `ready`. Until then its 503 is thrown as `MeroError.http`, after retries, with the
    /// state (`starting`, `shutting_down`, `store_unavailable`) in `bodyText`. Needs no token.
    public func readinessCheck() async throws -> HealthStatus {
        try await enveloped(AdminEndpoints.ready)
    }

    /// Whether the node's front door lets this caller in. The route is public: this proves nothing about a token. Use
    /// `AuthApi.validateToken` for that.
    public func isAuthed() async throws -> AdminAuthStatus {
        try await flat(AdminEndpoints.isAuthed)
    }

    /// Which account and device the node is. A 404 means that it has taken part in nothing yet.
    public func getNodeIdentity() async throws -> NodeIdentity {
        try await enveloped(AdminEndpoints.identity)
    }

    /// How many peers the node is connected to. Needs the `admin` permission.
    public func getPeersCount() async throws -> PeersCountResponseData {
        try await flat(AdminEndpoints.peers)
    }

    /// The node's place in the network, as it reports it. Needs the `admin` permission.
    public func getNetworkStatus() async throws -> JSONValue {
        try await flat(AdminEndpoints.networkStatus)
    }

    /// Estimated storage by namespace, in bytes, as the node reports it. Needs the `admin` permission.
    public func getUsage() async throws -> JSONValue {
        try await flat(AdminEndpoints.usage)
    }
}
