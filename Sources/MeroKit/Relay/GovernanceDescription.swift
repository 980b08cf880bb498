/// What a relay says about itself in one group, to those who want the group changed.
///
/// Spec: 60, section 1.5.
public struct GovernanceDescription: Codable, Sendable, Equatable {
    /// The account that a warrant must name as its executor.
    public let executorAccount: String
    /// The relay's key for the purpose.
    public let executorKey: String
    /// The group asked about.
    public let groupId: String
    /// Whether the relay may change the group for others.
    public let canActOnBehalf: Bool

    /// Makes a value of its parts.
    public init(executorAccount: String, executorKey: String, groupId: String, canActOnBehalf: Bool) {
        self.executorAccount = executorAccount
        self.executorKey = executorKey
        self.groupId = groupId
        self.canActOnBehalf = canActOnBehalf
    }

    /// Whatever is missing is empty, or false.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try container.decodeIfPresent(String.self, forKey: key) ?? "" }
        self.init(
            executorAccount: try text(.executorAccount), executorKey: try text(.executorKey),
            groupId: try text(.groupId),
            canActOnBehalf: try container.decodeIfPresent(Bool.self, forKey: .canActOnBehalf) ?? false)
    }
}
