/// How far one node is with a group's upgrade.
///
/// Spec: 30, sections 3.4 and 10.
struct UpgradeStatus: Sendable, Equatable {
    var upgrade: GroupUpgrade
    var word: String
    /// Nil once nothing is left to count.
    var counts: (total: Int, swapped: Int, failed: Int)?
    /// Seconds since 1970.
    var completedAt: Int64?

    static let inProgress = "in_progress"
    static let completed = "completed"
    static let failed = "failed"
    static let aborted = "aborted"

    var isRunning: Bool { word == Self.inProgress }

    var counters: [JsonMember] {
        func count(_ name: String, _ value: Int?) -> JsonMember {
            JsonMember(name: name, value: value.map { JsonTree($0) } ?? .null)
        }
        return [
            count("localContextsTotal", counts?.total), count("localContextsSwapped", counts?.swapped),
            count("localContextsFailed", counts?.failed),
        ]
    }

    /// As `GET …/upgrade/status` has it.
    var wire: JsonTree {
        .object(
            [
                JsonMember(name: "fromVersion", value: .string(upgrade.from?.version ?? "unknown")),
                JsonMember(name: "toVersion", value: .string(upgrade.to.version)),
                JsonMember(name: "initiatedAt", value: JsonTree(upgrade.initiatedAt)),
                JsonMember(name: "initiatedBy", value: .string(upgrade.initiatedBy)),
                JsonMember(name: "status", value: .string(word)),
            ] + counters + [
                JsonMember(name: "completedAt", value: completedAt.map { JsonTree($0) } ?? .null)
            ])
    }

    /// As the start and the retry of an upgrade are answered.
    func answer(_ group: String) -> JsonTree {
        .object(
            [
                JsonMember(name: "groupId", value: .string(group)), JsonMember(name: "status", value: .string(word)),
            ] + counters)
    }

    static func == (left: UpgradeStatus, right: UpgradeStatus) -> Bool { left.wire == right.wire }
}
