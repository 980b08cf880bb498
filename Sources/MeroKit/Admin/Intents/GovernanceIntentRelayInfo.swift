/// What a warrant for a change to a group must name at this node. Spec: 30, section 3.
public struct GovernanceIntentRelayInfo: Codable, Sendable, Equatable {
    /// The node's account.
    public let executorAccount: String
    /// The node's key for the purpose.
    public let executorKey: String
    /// The group asked about.
    public let groupId: String
    /// Whether the node may change the group for others.
    public let canActOnBehalf: Bool

    /// Makes a value of its parts.
    public init(executorAccount: String, executorKey: String, groupId: String, canActOnBehalf: Bool) {
        self.executorAccount = executorAccount
        self.executorKey = executorKey
        self.groupId = groupId
        self.canActOnBehalf = canActOnBehalf
    }
}
