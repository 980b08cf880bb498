import Foundation
import MeroKit

/// Upgrades of groups and migrations of namespaces.
enum UpgradeActs {
    static func upgrade(_ run: AdminRun) async throws {
        let id = try run.id("group")
        let named = try run.id(.applicationId)
        try await run.confirm("Upgrade the contexts of group \(id)?")
        let admin = try await run.admin
        let own = named == nil ? try await admin.getGroupInfo(id).targetApplicationId : nil
        let request = UpgradeGroupRequest(
            targetApplicationId: named ?? own ?? "", cascade: run.arguments.has(.cascade) ? true : nil,
            forceCodeOnly: run.arguments.has(.codeOnly) ? true : nil)
        try show(try await admin.upgradeGroup(id, request: request), run)
    }

    static func retry(_ run: AdminRun) async throws {
        try show(try await run.admin.retryGroupUpgrade(try run.id("group")), run)
    }

    static func status(_ run: AdminRun) async throws {
        let id = try run.id("group")
        guard let status = try await run.admin.getGroupUpgradeStatus(id) else {
            return try run.say("No upgrade of group \(id) is on record.", ["groupId": .string(id), "status": nil])
        }
        try run.show(
            [
                ("group", id), ("status", status.status), ("from", status.fromVersion), ("to", status.toVersion),
                ("contexts", counts(status.completed, status.failed, status.total)),
                ("begun", time(status.initiatedAt)), ("by", status.initiatedBy),
                ("done", status.completedAt.map(time)),
            ], try Report.encoding(status).with("groupId", .string(id)))
    }

    static func migration(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        let admin = try await run.admin
        let status = try await admin.getMigrationStatus(id)
        let groups = try await admin.getCascadeStatus(id)
        let rollup = status.rollup
        let document: Report = [
            "namespaceId": .string(id), "migration": try .encoding(status),
            "groups": .array(try groups.map { try Report.encoding($0) }),
        ]
        try run.show(
            [
                ("namespace", id), ("schema version", "\(status.targetVersion)"),
                ("members", "\(rollup.migrated) of \(rollup.total) migrated, \(rollup.failed) failed"),
                ("all migrated", rollup.allMigrated ? "yes" : "no"),
            ], document)
        if !status.members.isEmpty {
            try run.console.line()
            try run.console.table(
                Table(header: ["Member", "State"], rows: status.members.map { [$0.peer, $0.state.rawValue] }))
        }
        if !groups.isEmpty {
            try run.console.line()
            try run.console.table(
                Table(
                    header: ["Group", "Status", "From", "To"],
                    rows: groups.map {
                        [$0.groupId, $0.upgrade.status, $0.upgrade.fromVersion, $0.upgrade.toVersion]
                    }))
        }
    }

    static func abort(_ run: AdminRun) async throws {
        let id = try run.id("namespace")
        try await run.confirm("Stop the migration of namespace \(id)? What was migrated stays so.")
        let answer = try await run.admin.abortMigration(id)
        let isAborted = answer["aborted"]?.boolValue ?? false
        try run.say(
            isAborted ? "Stopped the migration of namespace \(id)." : "No migration of namespace \(id) was under way.",
            ["namespaceId": .string(id), "aborted": .bool(isAborted)])
    }

    // MARK: - Details

    private static func show(_ answer: UpgradeGroupResponseData, _ run: AdminRun) throws {
        try run.show(
            [
                ("group", answer.groupId), ("status", answer.status),
                ("contexts", counts(answer.completed, answer.failed, answer.total)),
            ], try Report.encoding(answer))
    }

    private static func counts(_ completed: Int?, _ failed: Int?, _ total: Int?) -> String? {
        guard let total else { return nil }
        return "\(completed ?? 0) of \(total) done, \(failed ?? 0) failed"
    }

    private static func time(_ seconds: Int) -> String {
        Report.timestamp(Date(timeIntervalSince1970: Double(seconds)))
    }
}

extension Report {
    /// The object with one more member in front.
    func with(_ name: String, _ value: Report) -> Report {
        switch self {
        case .object(let members): return .object([Member(name: name, value: value)] + members)
        case .text(.object(let members)):
            return .object(
                [Member(name: name, value: value)] + members.map { Member(name: $0.key, value: .text($0.value)) })
        default: return self
        }
    }
}
