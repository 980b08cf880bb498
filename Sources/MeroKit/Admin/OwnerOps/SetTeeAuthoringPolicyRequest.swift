/// Body of `PUT /admin-api/groups/{id}/settings/tee-authoring-policy`.
///
/// Spec: 30, section 8.2.
public struct SetTeeAuthoringPolicyRequest: Codable, Sendable {
    /// Measurements of the environments that may write as the namespace's authority; empty turns it off.
    public var allowedMrtd: [String]
    /// Made by `AccountRoot.authorize`. Nil when the node holds the owner's root and signs by itself; never empty.
    public var rootProof: String?

    /// Makes a value of its parts.
    public init(allowedMrtd: [String], rootProof: String? = nil) {
        self.allowedMrtd = allowedMrtd
        self.rootProof = rootProof
    }
}
