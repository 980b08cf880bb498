/// A member of a group.
///
/// Spec: 30, section 5.1.
public struct GroupMember: Codable, Sendable {
    /// The member's account, not one of its devices.
    public let identity: String
    /// `Admin`, `Member`, `ReadOnly`, `ReadOnlyTee`, `RelayTee`, or what newer nodes have.
    public let role: String
    /// The member's name in the group.
    public let name: String?

    /// Makes a value of its parts.
    public init(identity: String, role: String, name: String? = nil) {
        self.identity = identity
        self.role = role
        self.name = name
    }
}

/// Members of a group, inherited ones included.
///
/// Spec: 30, section 5.1.
public struct ListGroupMembersResponseData: Codable, Sendable {
    /// One entry for each account.
    public let members: [GroupMember]
    /// Nil on all current nodes.
    public let selfIdentity: String?
    /// Always nil.
    public let data: [GroupMember]?

    /// Makes a value of its parts.
    public init(members: [GroupMember], selfIdentity: String? = nil, data: [GroupMember]? = nil) {
        self.members = members
        self.selfIdentity = selfIdentity
        self.data = data
    }
}
