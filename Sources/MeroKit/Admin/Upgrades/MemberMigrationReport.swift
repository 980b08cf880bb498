/// What a member says of its migration.
///
/// Spec: 30, section 10.
public struct MemberMigrationReport: Codable, Sendable {
    /// The schema that it has.
    public let schemaVersion: Int
    /// Entries that are yet to be migrated by themselves.
    public let residueAuto: Int
    /// Always 0.
    public let residueIdentity: Int
    /// The logical time up to which it knows of changes.
    public let syncedUpToHlc: Int
    /// Unix seconds.
    public let reportedAt: Int
    /// Entries that only their author can migrate.
    public let authoredRemaining: Int
    /// Why it failed; nil when it did not, or for an unknown word.
    public let migrationFailed: MigrationFailureReason?

    /// Makes a value of its parts.
    public init(
        schemaVersion: Int, residueAuto: Int, residueIdentity: Int, syncedUpToHlc: Int, reportedAt: Int,
        authoredRemaining: Int, migrationFailed: MigrationFailureReason? = nil
    ) {
        self.schemaVersion = schemaVersion
        self.residueAuto = residueAuto
        self.residueIdentity = residueIdentity
        self.syncedUpToHlc = syncedUpToHlc
        self.reportedAt = reportedAt
        self.authoredRemaining = authoredRemaining
        self.migrationFailed = migrationFailed
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            schemaVersion: try fields.decode(Int.self, forKey: .schemaVersion),
            residueAuto: try fields.decode(Int.self, forKey: .residueAuto),
            residueIdentity: try fields.decodeIfPresent(Int.self, forKey: .residueIdentity) ?? 0,
            syncedUpToHlc: try fields.decode(Int.self, forKey: .syncedUpToHlc),
            reportedAt: try fields.decode(Int.self, forKey: .reportedAt),
            authoredRemaining: try fields.decodeIfPresent(Int.self, forKey: .authoredRemaining) ?? 0,
            migrationFailed: try fields.decodeKnown(MigrationFailureReason.self, forKey: .migrationFailed))
    }
}

/// Why a member's migration failed. Spec: 30, section 3.4.
public enum MigrationFailureReason: String, Codable, Sendable {
    /// A check before the migration said no.
    case checkAborted = "check_aborted"
    /// The migration itself failed.
    case applyFailed = "apply_failed"
    /// No way leads from the one version to the other.
    case noMigrationPath = "no_migration_path"
}

/// A member's migration.
///
/// Spec: 30, section 10.
public struct MemberMigrationStatusEntry: Codable, Sendable {
    /// The key of its device.
    public let peer: String
    /// What it says of itself, nil when it said nothing.
    public let report: MemberMigrationReport?
    /// How far it is.
    public let state: MemberMigrationState
    /// Its account.
    public let account: String?

    /// Makes a value of its parts.
    public init(
        peer: String, report: MemberMigrationReport? = nil, state: MemberMigrationState, account: String? = nil
    ) {
        self.peer = peer
        self.report = report
        self.state = state
        self.account = account
    }
}
