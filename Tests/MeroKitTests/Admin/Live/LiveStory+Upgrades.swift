import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

extension LiveStory {
    static func upgrades(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let id = try await world.shared()
        let request = UpgradeGroupRequest(targetApplicationId: LiveWorld.application)
        #expect(try await ada.admin.getGroupUpgradeStatus(id) == nil)
        await refused(404, "no upgrade") { _ = try await ada.admin.retryGroupUpgrade(id) }
        await refused(404, "not found") {
            _ = try await ada.admin.upgradeGroup(id, request: UpgradeGroupRequest(targetApplicationId: unknown))
        }
        await refused(409, "already targeting") { _ = try await ada.admin.upgradeGroup(id, request: request) }
        ada.node.publish(KeyValueContract(), package: "kv-store", version: "2.0.0")
        await refused(409, "no contexts") { _ = try await ada.admin.upgradeGroup(id, request: request) }
        let context = try await world.context(in: id)
        await refused(403) { _ = try await bob.admin.upgradeGroup(id, request: request) }
        await refused(403) { _ = try await bob.admin.retryGroupUpgrade(id) }
        await refused(403) { _ = try await bob.admin.abortMigration(id) }
        await refused(404) { _ = try await ada.admin.abortMigration(unknown) }
        ada.node.holdUpgrades()
        let started = try await ada.admin.upgradeGroup(
            id, request: UpgradeGroupRequest(targetApplicationId: LiveWorld.application, cascade: true))
        #expect(started.groupId == id && started.status == "in_progress")
        #expect(started.total == 1 && started.completed == 0 && started.failed == 0)
        await refused(409, "in progress") { _ = try await ada.admin.upgradeGroup(id, request: request) }
        await refused(409, "not retryable") { _ = try await ada.admin.retryGroupUpgrade(id) }
        #expect(try await ada.admin.getGroupInfo(id).activeUpgrade?.status == "in_progress")
        let status = try #require(try await ada.admin.getGroupUpgradeStatus(id))
        #expect(status.fromVersion == "1.0.0" && status.toVersion == "2.0.0" && status.total == 1)
        #expect(status.completed == 0 && status.completedAt == nil && status.initiatedAt > 1_600_000_000)
        let cascade = try await ada.admin.getCascadeStatus(id)
        #expect(cascade.map(\.groupId) == [id] && cascade[0].cascadeHlc != nil)
        let fleet = try await ada.admin.getMigrationStatus(id)
        #expect(fleet.rollup.total == fleet.members.count && fleet.rollup.allMigrated == false)
        await refused(404) { _ = try await ada.admin.getMigrationStatus(unknown) }
        #expect(try await ada.admin.abortMigration(id)["aborted"]?.boolValue == true)
        #expect(try await ada.admin.abortMigration(id)["aborted"]?.boolValue == false)
        ada.node.releaseUpgrades()
        _ = try await ada.admin.upgradeGroup(id, request: request)
        try await eventuallyTrue {
            try await ada.admin.getGroupUpgradeStatus(id)?.status == "completed"
        }
        #expect(try await ada.admin.getContext(context).applicationVersion == "2.0.0")
        // One that fails, and goes well the second time.
        ada.node.publish(Stubborn(), package: "kv-store", version: "3.0.0")
        _ = try await ada.admin.upgradeGroup(id, request: request)
        try await eventuallyTrue { try await ada.admin.getGroupUpgradeStatus(id)?.failed == 1 }
        #expect(try await ada.admin.retryGroupUpgrade(id).groupId == id)
        #expect(try await bob.admin.getMigrationStatus(id).targetVersion == 2)
        try await bob.admin.leaveNamespace(id)
        await refused(403) { _ = try await bob.admin.getMigrationStatus(id) }
    }

    /// The next release, whose migration never works.
    private struct Stubborn: DevContract {
        let name = "kv-store"
        let stateVersion: UInt32 = 2
        let methods: [String: DevMethod] = ["release": .read { _ in .string("3") }]
        var migration: DevMigration? { DevMigration { _ in throw DevContractError.failure("cannot migrate") } }
    }
}

/// Waits until an answer of a node is as wanted.
func eventuallyTrue(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = Date() + 60
    while try await !condition() {
        guard Date() < deadline else {
            Issue.record("Still not so after a minute", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
