/// Body of `POST /admin-api/groups/{id}/contexts/{contextId}/remove`: `{}`.
///
/// Spec: 30, section 5.6.
public struct DetachContextFromGroupRequest: Codable, Sendable {
    /// The only value.
    public init() {}
}
