/// Body of `POST /admin-api/contexts/{id}/resync`.
///
/// Spec: 20, section 6.3.
public struct ResyncContextRequest: Codable, Sendable {
    /// Whether to discard local heads even of a context that is not stranded.
    public var force: Bool?

    /// Makes a value of its parts.
    public init(force: Bool? = nil) { self.force = force }
}

/// Answer to a resync.
///
/// Spec: 20, section 6.3.
public struct ResyncContextResponseData: Codable, Sendable {
    /// The context.
    public let contextId: String
    /// True when the full state is being pulled.
    public let resyncStarted: Bool

    /// Makes a value of its parts.
    public init(contextId: String, resyncStarted: Bool) {
        self.contextId = contextId
        self.resyncStarted = resyncStarted
    }
}
