/// One invitation. Spec: 30, section 4.4.
public struct CreateNamespaceInvitationResponseData: Codable, Sendable {
    /// The invitation.
    public let invitation: SignedGroupOpenInvitation
    /// The name of what it invites to.
    public let groupName: String?

    /// Makes a value of its parts.
    public init(invitation: SignedGroupOpenInvitation, groupName: String? = nil) {
        self.invitation = invitation
        self.groupName = groupName
    }
}

/// Invitations to a namespace and the groups below it. Spec: 30, section 4.4.
public struct CreateRecursiveInvitationResponseData: Codable, Sendable {
    /// One for each group.
    public let invitations: [RecursiveInvitationEntry]

    /// Makes a value of its parts.
    public init(invitations: [RecursiveInvitationEntry]) { self.invitations = invitations }
}

/// An invitation to one of several groups. Spec: 30, section 4.4.
public struct RecursiveInvitationEntry: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// The invitation.
    public let invitation: SignedGroupOpenInvitation
    /// The group's name.
    public let groupName: String?

    /// Makes a value of its parts.
    public init(groupId: String, invitation: SignedGroupOpenInvitation, groupName: String? = nil) {
        self.groupId = groupId
        self.invitation = invitation
        self.groupName = groupName
    }
}

/// What `createNamespaceInvitation` brought: one invitation, or many where the request was recursive.
///
/// Spec: 30, section 4.4.
public enum CreateNamespaceInvitationResult: Codable, Sendable {
    /// One invitation.
    case single(CreateNamespaceInvitationResponseData)
    /// One for each group.
    case recursive(CreateRecursiveInvitationResponseData)

    public init(from decoder: any Decoder) throws {
        if try InvitationShape.isRecursive(decoder) {
            self = .recursive(try CreateRecursiveInvitationResponseData(from: decoder))
        } else {
            self = .single(try CreateNamespaceInvitationResponseData(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .single(let answer): try answer.encode(to: encoder)
        case .recursive(let answer): try answer.encode(to: encoder)
        }
    }
}

/// One invitation to a group. Spec: 30, section 5.7.
public struct CreateGroupInvitationResponseData: Codable, Sendable {
    /// The invitation.
    public let invitation: SignedGroupOpenInvitation
    /// The name of what it invites to.
    public let groupName: String?

    /// Makes a value of its parts.
    public init(invitation: SignedGroupOpenInvitation, groupName: String? = nil) {
        self.invitation = invitation
        self.groupName = groupName
    }
}

/// Invitations to a group and the groups below it. Spec: 30, section 5.7.
public struct CreateRecursiveGroupInvitationResponseData: Codable, Sendable {
    /// One for each group.
    public let invitations: [RecursiveInvitationEntry]

    /// Makes a value of its parts.
    public init(invitations: [RecursiveInvitationEntry]) { self.invitations = invitations }
}

/// What `createGroupInvitation` brought: one invitation, or many where the request was recursive.
///
/// Spec: 30, section 5.7.
public enum CreateGroupInvitationResult: Codable, Sendable {
    /// One invitation.
    case single(CreateGroupInvitationResponseData)
    /// One for each group.
    case recursive(CreateRecursiveGroupInvitationResponseData)

    public init(from decoder: any Decoder) throws {
        if try InvitationShape.isRecursive(decoder) {
            self = .recursive(try CreateRecursiveGroupInvitationResponseData(from: decoder))
        } else {
            self = .single(try CreateGroupInvitationResponseData(from: decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .single(let answer): try answer.encode(to: encoder)
        case .recursive(let answer): try answer.encode(to: encoder)
        }
    }
}

private enum InvitationShape {
    static func isRecursive(_ decoder: any Decoder) throws -> Bool {
        try decoder.container(keyedBy: InvitationKey.self).contains(InvitationKey("invitations"))
    }
}
