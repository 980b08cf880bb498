/// A group below another.
///
/// Spec: 30, section 5.5.
public struct SubgroupEntry: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// Its name.
    public let name: String?

    /// Makes a value of its parts.
    public init(groupId: String, name: String? = nil) {
        self.groupId = groupId
        self.name = name
    }
}
