/// Body of `DELETE /admin-api/contexts/{id}`: nothing.
///
/// Spec: 20, section 6.1.
public struct DeleteContextRequest: Codable, Sendable {
    /// The only value.
    public init() {}
}

/// Answer to the deletion of a context.
///
/// Spec: 20, section 6.1.
public struct DeleteContextResponseData: Codable, Sendable {
    /// True when it was there and is gone.
    public let isDeleted: Bool

    /// Makes a value of its parts.
    public init(isDeleted: Bool) { self.isDeleted = isDeleted }
}
