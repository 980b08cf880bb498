/// Body of `DELETE /admin-api/groups/{id}`: `{}`.
///
/// Spec: 30, section 5.3.
public struct DeleteGroupRequest: Codable, Sendable {
    /// The only value.
    public init() {}
}

/// Answer to the deletion of a group and all below it.
///
/// Spec: 30, section 5.3.
public struct DeleteGroupResponseData: Codable, Sendable {
    /// True when it is gone.
    public let isDeleted: Bool

    /// Makes a value of its parts.
    public init(isDeleted: Bool) { self.isDeleted = isDeleted }
}
