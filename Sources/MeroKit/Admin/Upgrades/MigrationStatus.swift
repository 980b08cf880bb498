/// How far the members of a namespace have come with a migration. For looking only.
///
/// Spec: 30, section 10.
public struct MigrationStatus: Codable, Sendable {
    /// The schema that it leads to.
    public let targetVersion: Int
    /// Those that are waited for.
    public let expectedMembers: Int
    /// The logical time at which those were fixed.
    public let cohortPinnedAtHlc: String?
    /// The sums.
    public let rollup: MigrationStatusRollup
    /// One entry for each member.
    public let members: [MemberMigrationStatusEntry]
    /// Unix seconds at which all were done. Unlike `rollup.allMigrated` it stays.
    public let fleetCompletedAt: Int?

    /// Makes a value of its parts.
    public init(
        targetVersion: Int, expectedMembers: Int, cohortPinnedAtHlc: String? = nil, rollup: MigrationStatusRollup,
        members: [MemberMigrationStatusEntry], fleetCompletedAt: Int? = nil
    ) {
        self.targetVersion = targetVersion
        self.expectedMembers = expectedMembers
        self.cohortPinnedAtHlc = cohortPinnedAtHlc
        self.rollup = rollup
        self.members = members
        self.fleetCompletedAt = fleetCompletedAt
    }
}

/// A migration in numbers.
///
/// Spec: 30, section 10.
public struct MigrationStatusRollup: Codable, Sendable {
    /// Members that are done.
    public let migrated: Int
    /// Members that are at it.
    public let inProgress: Int
    /// Members of whom nothing is known.
    public let unknown: Int
    /// Members that failed.
    public let failed: Int
    /// All members.
    public let total: Int
    /// Whether all are done. It can become false again when a member goes quiet.
    public let allMigrated: Bool
    /// Members who have yet to sign what is theirs.
    public let membersPendingSignature: Int

    /// Makes a value of its parts.
    public init(
        migrated: Int, inProgress: Int, unknown: Int, failed: Int, total: Int, allMigrated: Bool,
        membersPendingSignature: Int
    ) {
        self.migrated = migrated
        self.inProgress = inProgress
        self.unknown = unknown
        self.failed = failed
        self.total = total
        self.allMigrated = allMigrated
        self.membersPendingSignature = membersPendingSignature
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            migrated: try fields.decode(Int.self, forKey: .migrated),
            inProgress: try fields.decode(Int.self, forKey: .inProgress),
            unknown: try fields.decode(Int.self, forKey: .unknown),
            failed: try fields.decodeIfPresent(Int.self, forKey: .failed) ?? 0,
            total: try fields.decode(Int.self, forKey: .total),
            allMigrated: try fields.decode(Bool.self, forKey: .allMigrated),
            membersPendingSignature: try fields.decodeIfPresent(Int.self, forKey: .membersPendingSignature) ?? 0)
    }
}
