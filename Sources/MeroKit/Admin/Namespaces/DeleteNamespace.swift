/// Body of `DELETE /admin-api/namespaces/{id}`: `{}`.
///
/// Spec: 30, section 4.3.
public struct DeleteNamespaceRequest: Codable, Sendable {
    /// The only value.
    public init() {}
}

/// Answer to the deletion of a namespace.
///
/// Spec: 30, section 4.3.
public struct DeleteNamespaceResponseData: Codable, Sendable {
    /// True when it is gone.
    public let isDeleted: Bool

    /// Makes a value of its parts.
    public init(isDeleted: Bool) { self.isDeleted = isDeleted }
}
