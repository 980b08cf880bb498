/// Body of `POST /admin-api/namespaces/{id}/join`. Spec: 30, section 4.5.
public struct JoinNamespaceRequest: Codable, Sendable {
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

/// A namespace that the node's account is a member of now.
///
/// Its contexts are empty until `syncGroupContexts`. Spec: 30, section 4.5.
public struct JoinNamespaceResponseData: Codable, Sendable {
    /// The namespace.
    public let namespaceId: String
    /// The key of the node's device.
    public let memberIdentity: String
    /// The account, by which members are addressed; nil on nodes before rc.21.
    public let memberAccount: String?

    /// The namespace.
    @available(*, deprecated, renamed: "namespaceId")
    public var groupId: String { namespaceId }

    /// Makes a value of its parts.
    public init(namespaceId: String, memberIdentity: String, memberAccount: String? = nil) {
        self.namespaceId = namespaceId
        self.memberIdentity = memberIdentity
        self.memberAccount = memberAccount
    }

    /// Nodes before rc.25 call the namespace `groupId`.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let namespaceId: String
        if let current = try fields.decodeIfPresent(String.self, forKey: .namespaceId) {
            namespaceId = current
        } else {
            let old = try decoder.container(keyedBy: InvitationKey.self)
            guard let groupId = try old.decodeIfPresent(String.self, forKey: InvitationKey("groupId")) else {
                throw DecodingError.keyNotFound(
                    CodingKeys.namespaceId,
                    DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "no namespaceId"))
            }
            namespaceId = groupId
        }
        self.init(
            namespaceId: namespaceId, memberIdentity: try fields.decode(String.self, forKey: .memberIdentity),
            memberAccount: try fields.decodeIfPresent(String.self, forKey: .memberAccount))
    }

    private enum CodingKeys: String, CodingKey {
        case namespaceId, memberIdentity, memberAccount
    }
}
