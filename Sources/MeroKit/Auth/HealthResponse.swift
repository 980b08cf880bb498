/// Answer of `GET /auth/health`.
///
/// A node whose store is down still answers 200, with `status` `not_alive` and `storage` false. Spec: 10, section 9.4.
public struct HealthResponse: Codable, Sendable {
    /// `alive` or `not_alive`.
    public var status: String
    /// Whether the node's store works.
    public var storage: Bool
    /// Seconds since the auth service started.
    public var uptimeSeconds: Int

    /// Makes a value of its parts.
    public init(status: String, storage: Bool, uptimeSeconds: Int) {
        self.status = status
        self.storage = storage
        self.uptimeSeconds = uptimeSeconds
    }

    private enum CodingKeys: String, CodingKey {
        case status, storage
        case uptimeSeconds = "uptime_seconds"
    }
}

/// Answer of `GET /admin/identity`. The values are the node's own business and are not checked. Spec: 10, section 9.4.
public struct IdentityResponse: Codable, Sendable {
    /// `calimero-auth`.
    public var service: String
    /// The auth service's version.
    public var version: String
    /// How the node takes its callers, e.g. `forward`.
    public var authenticationMode: String
    /// The names of the login providers.
    public var providers: [String]

    /// Makes a value of its parts.
    public init(service: String, version: String, authenticationMode: String, providers: [String]) {
        self.service = service
        self.version = version
        self.authenticationMode = authenticationMode
        self.providers = providers
    }

    private enum CodingKeys: String, CodingKey {
        case service, version
        case authenticationMode = "authentication_mode"
        case providers
    }
}
