/// Body of `POST /admin-api/namespaces/{id}/admin`.
///
/// Spec: 30, section 7.
public struct ChangeNamespaceAdminRequest: Codable, Sendable {
    /// An account that is a member of the root group.
    public var newAdmin: String
    /// Made by `AccountRoot.authorize`. Nil when the node holds the owner's root and signs by itself; never empty.
    public var rootProof: String?

    /// Makes a value of its parts.
    public init(newAdmin: String, rootProof: String? = nil) {
        self.newAdmin = newAdmin
        self.rootProof = rootProof
    }
}
