/// Body of `POST /admin-api/groups/{id}/transfer-ownership`.
///
/// Spec: 30, section 7.
public struct TransferOwnershipRequest: Codable, Sendable {
    /// An account that is an admin of the group.
    public var newOwner: String
    /// Made by `AccountRoot.authorize`. Nil when the node holds the owner's root and signs by itself; never empty.
    public var rootProof: String?

    /// Makes a value of its parts.
    public init(newOwner: String, rootProof: String? = nil) {
        self.newOwner = newOwner
        self.rootProof = rootProof
    }
}
