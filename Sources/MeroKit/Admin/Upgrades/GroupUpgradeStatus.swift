/// How far a group's upgrade has come on one node.
///
/// Spec: 30, section 10.
public struct GroupUpgradeStatus: Codable, Sendable {
    /// The version before.
    public let fromVersion: String
    /// The version that it leads to.
    public let toVersion: String
    /// Unix seconds.
    public let initiatedAt: Int
    /// The key of the device that started it.
    public let initiatedBy: String
    /// `in_progress`, `completed`, or what newer nodes have.
    public let status: String
    /// Contexts of this node that are concerned; nil once completed.
    public let total: Int?
    /// Those that run the new version.
    public let completed: Int?
    /// Those that could not be upgraded.
    public let failed: Int?
    /// Unix seconds at which this node was done.
    public let completedAt: Int?

    /// Makes a value of its parts.
    public init(
        fromVersion: String, toVersion: String, initiatedAt: Int, initiatedBy: String, status: String,
        total: Int? = nil, completed: Int? = nil, failed: Int? = nil, completedAt: Int? = nil
    ) {
        self.fromVersion = fromVersion
        self.toVersion = toVersion
        self.initiatedAt = initiatedAt
        self.initiatedBy = initiatedBy
        self.status = status
        self.total = total
        self.completed = completed
        self.failed = failed
        self.completedAt = completedAt
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        let counters = try UpgradeCounters(from: decoder)
        self.init(
            fromVersion: try fields.decode(String.self, forKey: .fromVersion),
            toVersion: try fields.decode(String.self, forKey: .toVersion),
            initiatedAt: try fields.decode(Int.self, forKey: .initiatedAt),
            initiatedBy: try fields.decode(String.self, forKey: .initiatedBy),
            status: try fields.decode(String.self, forKey: .status), total: counters.total,
            completed: counters.completed, failed: counters.failed,
            completedAt: try fields.decodeIfPresent(Int.self, forKey: .completedAt))
    }
}

/// A group's upgrade, nil when none is on record. Spec: 30, section 10.
public typealias GroupUpgradeStatusResponseData = GroupUpgradeStatus?
