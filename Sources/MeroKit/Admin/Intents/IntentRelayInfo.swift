/// What a warrant for a write at this node must name. Spec: 20, section 6.4.
public struct IntentRelayInfo: Codable, Sendable, Equatable {
    /// The node's account.
    public let executorAccount: String
    /// The node's key in the context.
    public let executorKey: String
    /// Whether the node may write for others.
    public let canAuthorOnBehalf: Bool
    /// The group that the context belongs to.
    public let groupId: String
    /// The group, this one or one above it, that the right was granted on; nil while it is granted nowhere.
    public let grantedOnGroupId: String?
    /// The release that runs in the context.
    public let releaseBytecodeId: String
    /// That release's version.
    public let releaseVersion: String

    /// Makes a value of its parts.
    public init(
        executorAccount: String, executorKey: String, canAuthorOnBehalf: Bool, groupId: String,
        grantedOnGroupId: String? = nil, releaseBytecodeId: String, releaseVersion: String
    ) {
        self.executorAccount = executorAccount
        self.executorKey = executorKey
        self.canAuthorOnBehalf = canAuthorOnBehalf
        self.groupId = groupId
        self.grantedOnGroupId = grantedOnGroupId
        self.releaseBytecodeId = releaseBytecodeId
        self.releaseVersion = releaseVersion
    }
}
