/// Body of `POST /admin-api/groups/{id}/upgrade`. The node decides which migration runs.
///
/// Spec: 30, section 10.
public struct UpgradeGroupRequest: Codable, Sendable {
    /// The application to upgrade to.
    public var targetApplicationId: String
    /// True for all groups below that run the same release.
    public var cascade: Bool?
    /// True to go on without a migration when the target does not say what it needs.
    public var forceCodeOnly: Bool?

    /// Makes a value of its parts.
    public init(targetApplicationId: String, cascade: Bool? = nil, forceCodeOnly: Bool? = nil) {
        self.targetApplicationId = targetApplicationId
        self.cascade = cascade
        self.forceCodeOnly = forceCodeOnly
    }
}

/// An upgrade that was started.
///
/// Spec: 30, section 10.
public struct UpgradeGroupResponseData: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// `in_progress`, `completed`, or what newer nodes have.
    public let status: String
    /// Contexts of this node that are concerned; nil once completed.
    public let total: Int?
    /// Those that run the new version.
    public let completed: Int?
    /// Those that could not be upgraded.
    public let failed: Int?

    /// Makes a value of its parts.
    public init(groupId: String, status: String, total: Int? = nil, completed: Int? = nil, failed: Int? = nil) {
        self.groupId = groupId
        self.status = status
        self.total = total
        self.completed = completed
        self.failed = failed
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let counters = try UpgradeCounters(from: decoder)
        self.init(
            groupId: try fields.decode(String.self, forKey: .groupId),
            status: try fields.decode(String.self, forKey: .status), total: counters.total,
            completed: counters.completed, failed: counters.failed)
    }
}

/// An upgrade that was started again. Spec: 30, section 10.
public typealias RetryGroupUpgradeResponseData = UpgradeGroupResponseData

/// Body of `POST /admin-api/groups/{id}/upgrade/retry`: `{}`.
///
/// Spec: 30, section 10.
public struct RetryGroupUpgradeRequest: Codable, Sendable {
    /// The only value.
    public init() {}
}
