/// Body of an owner op that needs nothing but the proof.
///
/// Spec: 30, section 7.
public struct RootGuardedOpRequest: Codable, Sendable {
    /// Made by `AccountRoot.authorize`. Nil when the node holds the owner's root and signs by itself; never empty.
    public var rootProof: String?

    /// Makes a value of its parts.
    public init(rootProof: String? = nil) { self.rootProof = rootProof }
}

/// Body of `POST /admin-api/groups/{id}/owner-delete`. Spec: 30, section 7.
public typealias OwnerDeleteGroupRequest = RootGuardedOpRequest
