/// A group as a node sees it.
///
/// Spec: 30, section 5.1.
public struct GroupInfo: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// The release that it runs, a blob.
    public let appKey: String
    /// The application.
    public let targetApplicationId: String
    /// Only old nodes send it.
    public let upgradePolicy: String?
    /// Its members.
    public let memberCount: Int
    /// Its contexts.
    public let contextCount: Int
    /// The upgrade that is under way.
    public let activeUpgrade: GroupUpgradeStatus?
    /// What those who join later may do: bits of `Capabilities`.
    public let defaultCapabilities: Int
    /// `open` or `restricted`.
    public let subgroupVisibility: String
    /// Its metadata, nil when none was ever set.
    public let metadata: MetadataRecord?
    /// Equal on two nodes that agree on members, roles and capabilities.
    public let groupStateHash: String?
    /// The namespace that it belongs to.
    public let namespaceId: String?
    /// What the next root proof has to name. It moves on with every owner op.
    public let ownerOpCounter: UInt64?

    /// Makes a value of its parts.
    public init(
        groupId: String, appKey: String, targetApplicationId: String, upgradePolicy: String? = nil, memberCount: Int,
        contextCount: Int, activeUpgrade: GroupUpgradeStatus? = nil, defaultCapabilities: Int,
        subgroupVisibility: String, metadata: MetadataRecord? = nil, groupStateHash: String? = nil,
        namespaceId: String? = nil, ownerOpCounter: UInt64? = nil
    ) {
        self.groupId = groupId
        self.appKey = appKey
        self.targetApplicationId = targetApplicationId
        self.upgradePolicy = upgradePolicy
        self.memberCount = memberCount
        self.contextCount = contextCount
        self.activeUpgrade = activeUpgrade
        self.defaultCapabilities = defaultCapabilities
        self.subgroupVisibility = subgroupVisibility
        self.metadata = metadata
        self.groupStateHash = groupStateHash
        self.namespaceId = namespaceId
        self.ownerOpCounter = ownerOpCounter
    }
}

/// A group as a node sees it. Spec: 30, section 5.1.
public typealias GroupInfoResponseData = GroupInfo
