/// What a relay says about itself in one context: what a warrant for it must name.
///
/// Nodes before rc.83 leave some of it out, which then is empty: such a relay can be described and not written through.
/// Spec: 60, section 1.1.
public struct RelayDescription: Codable, Sendable, Equatable {
    /// The account that a warrant must name as its executor.
    public let executorAccount: String
    /// The relay's key in the context.
    public let executorKey: String
    /// Whether the relay may write for others. False is what every context begins with, and no error.
    public let canAuthorOnBehalf: Bool
    /// The group that the context belongs to.
    public let groupId: String
    /// The release of the application that runs there.
    public let releaseBytecodeId: String
    /// That release's version.
    public let releaseVersion: String

    /// Makes a value of its parts.
    public init(
        executorAccount: String, executorKey: String, canAuthorOnBehalf: Bool, groupId: String,
        releaseBytecodeId: String, releaseVersion: String
    ) {
        self.executorAccount = executorAccount
        self.executorKey = executorKey
        self.canAuthorOnBehalf = canAuthorOnBehalf
        self.groupId = groupId
        self.releaseBytecodeId = releaseBytecodeId
        self.releaseVersion = releaseVersion
    }

    /// Whatever is missing is empty, or false.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String { try container.decodeIfPresent(String.self, forKey: key) ?? "" }
        self.init(
            executorAccount: try text(.executorAccount), executorKey: try text(.executorKey),
            canAuthorOnBehalf: try container.decodeIfPresent(Bool.self, forKey: .canAuthorOnBehalf) ?? false,
            groupId: try text(.groupId), releaseBytecodeId: try text(.releaseBytecodeId),
            releaseVersion: try text(.releaseVersion))
    }
}
