/// A node's answer to a health or readiness check. Spec: 20, section 5.1.
public struct HealthStatus: Codable, Sendable {
    /// `alive` or `ready` on a 200 answer.
    public let status: String

    public init(status: String) { self.status = status }
}

/// The whole answer of `GET /admin-api/is-authed`. Spec: 20, section 5.1.
public struct AdminAuthStatus: Codable, Sendable {
    /// The inner object of the answer.
    public struct StatusInner: Codable, Sendable {
        public let status: String

        public init(status: String) { self.status = status }
    }

    public let data: StatusInner

    public init(data: StatusInner) { self.data = data }
}

/// How many peers a node is connected to. Spec: 20, section 5.3.
public struct PeersCountResponseData: Codable, Sendable {
    public let count: Int

    public init(count: Int) { self.count = count }
}
