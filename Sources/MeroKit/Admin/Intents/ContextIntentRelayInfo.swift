/// What a warrant for a new context at this node must name. Spec: 20, section 6.7.
public struct ContextIntentRelayInfo: Codable, Sendable, Equatable {
    /// The node's account.
    public let executorAccount: String
    /// The node's key for the purpose.
    public let executorKey: String
    /// The group asked about.
    public let groupId: String
    /// Whether the node may make contexts for others.
    public let canCreateOnBehalf: Bool
    /// Whether the account that was named may have contexts made; nil when none was.
    public let authorMayCreate: Bool?

    /// Makes a value of its parts.
    public init(
        executorAccount: String, executorKey: String, groupId: String, canCreateOnBehalf: Bool,
        authorMayCreate: Bool? = nil
    ) {
        self.executorAccount = executorAccount
        self.executorKey = executorKey
        self.groupId = groupId
        self.canCreateOnBehalf = canCreateOnBehalf
        self.authorMayCreate = authorMayCreate
    }
}
