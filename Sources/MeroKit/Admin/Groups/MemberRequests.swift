/// An account that is to become a member.
///
/// Spec: 30, section 5.4.
public struct GroupMemberInput: Codable, Sendable {
    /// The account. A mistyped one is added as well: it is a member that nobody is.
    public var identity: String
    /// `Admin`, `Member` or `ReadOnly`.
    public var role: String

    /// Makes a value of its parts.
    public init(identity: String, role: String) {
        self.identity = identity
        self.role = role
    }
}

/// Body of `POST /admin-api/groups/{id}/members`.
///
/// Spec: 30, section 5.4.
public struct AddGroupMembersRequest: Codable, Sendable {
    /// At least one.
    public var members: [GroupMemberInput]

    /// Makes a value of its parts.
    public init(members: [GroupMemberInput]) { self.members = members }
}

/// Body of `POST /admin-api/groups/{id}/members/remove`.
///
/// Spec: 30, section 5.4.
public struct RemoveGroupMembersRequest: Codable, Sendable {
    /// At least one account.
    public var members: [String]

    /// Makes a value of its parts.
    public init(members: [String]) { self.members = members }
}

/// Body of `PUT /admin-api/groups/{id}/members/{account}/role`.
///
/// Spec: 30, section 5.4.
public struct UpdateMemberRoleRequest: Codable, Sendable {
    /// `Admin`, `Member` or `ReadOnly`; the TEE roles come by attestation only.
    public var role: String

    /// Makes a value of its parts.
    public init(role: String) { self.role = role }
}
