/// Membership of an open subgroup.
///
/// Spec: 30, section 5.5.
public struct JoinSubgroupInheritanceResponseData: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// The key that the node signs with in it.
    public let memberPublicKey: String
    /// True when inherited membership became one of its own, false when it was one already.
    public let wasInherited: Bool

    /// Makes a value of its parts.
    public init(groupId: String, memberPublicKey: String, wasInherited: Bool) {
        self.groupId = groupId
        self.memberPublicKey = memberPublicKey
        self.wasInherited = wasInherited
    }
}
