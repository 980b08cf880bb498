/// What a relay says about itself in one group, to those who want a context made there.
///
/// Spec: 60, section 1.3.
public struct CreationDescription: Codable, Sendable, Equatable {
    /// The account that a warrant must name as its executor.
    public let executorAccount: String
    /// The relay's key for the purpose.
    public let executorKey: String
    /// The group asked about.
    public let groupId: String
    /// Whether the relay may make contexts for others.
    public let canCreateOnBehalf: Bool
    /// Whether the author that was named may have contexts made. Nil when none was.
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

    /// Whatever is missing is empty, or false.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try container.decodeIfPresent(String.self, forKey: key) ?? "" }
        self.init(
            executorAccount: try text(.executorAccount), executorKey: try text(.executorKey),
            groupId: try text(.groupId),
            canCreateOnBehalf: try container.decodeIfPresent(Bool.self, forKey: .canCreateOnBehalf) ?? false,
            authorMayCreate: try container.decodeIfPresent(Bool.self, forKey: .authorMayCreate))
    }
}
