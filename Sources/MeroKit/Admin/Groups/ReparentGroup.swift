/// Body of `POST /admin-api/groups/{id}/reparent`.
///
/// Spec: 30, section 5.5.
public struct ReparentGroupRequest: Codable, Sendable {
    /// A group of the same namespace.
    public var newParentId: String

    /// Makes a value of its parts.
    public init(newParentId: String) { self.newParentId = newParentId }
}

/// Answer to a group's move.
///
/// Spec: 30, section 5.5.
public struct ReparentGroupResponseData: Codable, Sendable {
    /// True when it moved.
    public let reparented: Bool

    /// Makes a value of its parts.
    public init(reparented: Bool) { self.reparented = reparented }
}
