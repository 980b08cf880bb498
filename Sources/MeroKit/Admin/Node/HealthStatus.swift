/// A node's answer to a health or readiness check. Spec: 20, section 5.1.
public struct HealthStatus: Codable, Sendable {
    /// `alive` or `ready` on a 200 answer.
    public let status: String

    /// An answer as a test may want it.
    public init(status: String) { self.status = status }
}

/// The whole answer of `GET /admin-api/is-authed`. Spec: 20, section 5.1.
public struct AdminAuthStatus: Codable, Sendable {
    /// The inner object of the answer.
    public struct StatusInner: Codable, Sendable {
        /// `alive`, always: whether a session may administer is asked of any route that needs one.
        public let status: String

        /// An answer as a test may want it.
        public init(status: String) { self.status = status }
    }

    /// The answer's one member.
    public let data: StatusInner

    /// An answer as a test may want it.
    public init(data: StatusInner) { self.data = data }
}

/// How many peers a node is connected to. Spec: 20, section 5.3.
public struct PeersCountResponseData: Codable, Sendable {
    /// Peers that are connected at this moment.
    public let count: Int

    /// An answer as a test may want it.
    public init(count: Int) { self.count = count }
}
