/// Body of `POST /admin-api/groups/join`. Spec: 30, section 5.7.
public struct JoinGroupRequest: Codable, Sendable {
    /// The invitation.
    public var invitation: SignedGroupOpenInvitation
    /// The name that came with it.
    public var groupName: String?

    /// Makes a value of its parts.
    public init(invitation: SignedGroupOpenInvitation, groupName: String? = nil) {
        self.invitation = invitation
        self.groupName = groupName
    }
}

/// A group that the node's account is a member of now. Spec: 30, section 5.7.
public struct JoinGroupResponseData: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// The key of the node's device.
    public let memberIdentity: String
    /// The account, by which members are addressed; empty on nodes before rc.21.
    public let memberAccount: String

    /// Makes a value of its parts.
    public init(groupId: String, memberIdentity: String, memberAccount: String) {
        self.groupId = groupId
        self.memberIdentity = memberIdentity
        self.memberAccount = memberAccount
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            groupId: try fields.decode(String.self, forKey: .groupId),
            memberIdentity: try fields.decode(String.self, forKey: .memberIdentity),
            memberAccount: try fields.decodeIfPresent(String.self, forKey: .memberAccount) ?? "")
    }
}
