import MeroKit

/// The contexts of a group that was just joined, brought to the node: all of them, and not only the first hundred.
struct Arrival: Sendable {
    let groupId: String
    /// Contexts that the node is in.
    let joined: [String]
    /// Contexts that it could not join, and why.
    let failed: [(context: String, reason: String)]

    /// Has the node ask its peers for the group, then join each of its contexts and ask for that.
    ///
    /// Peers that cannot be reached end nothing: what is there is joined. Throws when the contexts cannot be listed.
    static func bring(_ groupId: String, _ run: AdminRun) async throws -> Arrival {
        let admin = try await run.admin
        do {
            _ = try await admin.syncGroup(groupId)
        } catch let error as MeroError {
            try run.console.remark("The group's peers were not reached: \(error.localizedDescription)")
        }
        let contexts = try await Pages.all(id: \.contextId) {
            try await admin.listGroupContexts(groupId, offset: $0, limit: $1)
        }
        var joined: [String] = []
        var failed: [(context: String, reason: String)] = []
        for context in contexts {
            do {
                _ = try await admin.joinContext(context.contextId)
                joined.append(context.contextId)
                try await admin.syncContext(context.contextId)
            } catch let error as MeroError {
                if joined.last != context.contextId { failed.append((context.contextId, error.localizedDescription)) }
            }
        }
        for failure in failed {
            try run.console.remark("Context \(failure.context) was not joined: \(failure.reason)")
        }
        return Arrival(groupId: groupId, joined: joined, failed: failed)
    }

    var line: String {
        switch joined.count {
        case 0: return "Group \(groupId) has no contexts that could be joined."
        case 1: return "Joined the context \(joined[0])."
        default: return "Joined \(joined.count) contexts."
        }
    }

    var members: [Report.Member] {
        [
            .init(name: "groupId", value: .string(groupId)), .init(name: "contexts", value: .strings(joined)),
            .init(
                name: "failed",
                value: .array(failed.map { ["contextId": .string($0.context), "reason": .string($0.reason)] })),
        ]
    }
}
