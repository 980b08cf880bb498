/// How far a member is with a migration. Spec: 30, section 3.4.
public enum MemberMigrationState: String, Codable, Sendable {
    /// Done.
    case migrated
    /// At it.
    case inProgress = "in_progress"
    /// Nothing is known; also a word that this package does not know.
    case unknown
    /// Failed.
    case failed

    public init(from decoder: any Decoder) throws {
        let word = try decoder.singleValueContainer().decode(String.self)
        self = Self(rawValue: word) ?? .unknown
    }
}
