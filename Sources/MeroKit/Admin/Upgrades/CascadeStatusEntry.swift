/// The upgrade of one group of a namespace.
///
/// Spec: 30, section 10.
public struct CascadeStatusEntry: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// How far it has come.
    public let upgrade: GroupUpgradeStatus
    /// The logical time of the cascade that it belongs to.
    public let cascadeHlc: String?

    /// Makes a value of its parts.
    public init(groupId: String, upgrade: GroupUpgradeStatus, cascadeHlc: String? = nil) {
        self.groupId = groupId
        self.upgrade = upgrade
        self.cascadeHlc = cascadeHlc
    }
}
