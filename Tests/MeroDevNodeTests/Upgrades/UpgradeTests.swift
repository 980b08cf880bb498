import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// The next release of the key-value store: it wraps values, and says who it is.
private struct NewStore: DevContract {
    let name = "kv-store"
    let stateVersion: UInt32 = 2
    let failsOn: String?
    let methods: [String: DevMethod]
    var migration: DevMigration? {
        let failsOn = failsOn
        return DevMigration { state in
            for key in state.keys {
                if key == failsOn { throw DevContractError.failure("cannot migrate \(key)") }
                state[key] = ["v2": state[key] ?? .null]
            }
        }
    }

    init(failsOn: String? = nil) {
        self.failsOn = failsOn
        methods = [
            "release": .read { _ in .string("2") },
            "get": .read { call in call.state[try call.arg("key")]?["v2"] },
            "set": .mutate { call in
                call.state[try call.arg("key")] = ["v2": .string(try call.arg("value"))]
                return nil
            },
        ]
    }
}

@Suite struct UpgradeTests {
    private let body: JsonTree = ["targetApplicationId": .string(Owner.application)]

    private func contexts(_ owner: Owner, _ group: String, _ count: Int = 1, key: String = "k") async throws -> [String]
    {
        var ids: [String] = []
        for index in 0..<count {
            let id = try owner.node.createContext(KeyValueContract(), inGroup: group)
            let set = try await owner.execute(id, "set", ["key": .string("\(key)\(index)"), "value": "old"])
            #expect(set.output != nil, "\(set.text)")
            ids.append(id)
        }
        return ids
    }

    private func status(_ owner: Owner, _ group: String) async throws -> JsonTree? {
        try await owner.get("/groups/\(group)/upgrade/status").data
    }

    private func becomes(_ word: String, _ owner: Owner, _ group: String) async -> Bool {
        await eventually {
            owner.node.core.groups.read { state in
                state[group].flatMap { owner.node.core.upgrades.status(of: group, $0) }?.word == word
            }
        }
    }

    @Test func anUpgradeGoesContextByContext() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let ids = try await contexts(owner, id, 2)
            #expect(try await owner.get("/groups/\(id)/upgrade/status").json == ["data": .null])
            let tap = try await owner.fixture.listen(contexts: [ids[0]], groups: [id], token: owner.token)
            owner.node.publish(NewStore(), package: "kv-store", version: "2.0.0")
            owner.node.holdUpgrades()
            let started = try await owner.post("/groups/\(id)/upgrade", body)
            #expect(
                started.json == [
                    "data": [
                        "groupId": .string(id), "status": "in_progress", "localContextsTotal": 2,
                        "localContextsSwapped": 0, "localContextsFailed": 0,
                    ]
                ])
            #expect(try await owner.get("/groups/\(id)").data?["activeUpgrade"]?["status"] == "in_progress")
            #expect(try await owner.post("/groups/\(id)/upgrade", body).status == 409)
            let blocked = try await owner.execute(ids[1], "set", ["key": "k", "value": "v"])
            #expect(blocked.rpcType == "UpgradeInProgress")
            #expect(blocked.rpcData == ["group_id": .string(id)])
            #expect(try await owner.execute(ids[1], "get", ["key": "k1"]).output == "old", "reads go on")
            owner.node.stepUpgrades()
            #expect(await eventually { owner.node.core.contexts[ids[0]]?.read { $0.release } != nil })
            #expect(await tap.has(frames: 5))
            #expect(try await owner.execute(ids[0], "get", ["key": "k0"]).output == "old")
            #expect(try await owner.execute(ids[0], "release").output == "2")
            let middle = try await status(owner, id)
            #expect(middle?["status"] == "in_progress")
            #expect(middle?["localContextsSwapped"] == 1)
            #expect(middle?["completedAt"] == .null)
            owner.node.releaseUpgrades()
            #expect(await becomes("completed", owner, id))
            let done = try await status(owner, id)
            #expect(
                done?.names == [
                    "fromVersion", "toVersion", "initiatedAt", "initiatedBy", "status", "localContextsTotal",
                    "localContextsSwapped", "localContextsFailed", "completedAt",
                ])
            #expect(done?["fromVersion"] == "1.0.0")
            #expect(done?["toVersion"] == "2.0.0")
            #expect(done?["initiatedBy"] == .string(owner.account))
            #expect(done?["localContextsTotal"] == .null)
            #expect(done?["completedAt"] != .null)
            #expect(try await owner.execute(ids[1], "set", ["key": "k", "value": "v"]).output == .null)
            #expect(try await owner.get("/groups/\(id)").data?["activeUpgrade"] == nil)
            #expect(try await owner.get("/namespaces/\(id)").data?["appVersion"] == "2.0.0")
            let again = try await owner.post("/groups/\(id)/upgrade", body)
            #expect(again.status == 409)
            #expect(again.error?.contains("already targeting") == true)
            #expect(await eventually { tap.types.contains("MigrationCompleted") })
            let types = tap.types.compactMap { $0 }
            #expect(types.first == "MigrationStarted")
            #expect(types.contains("AppVersionChanged"))
            #expect(types.filter { $0 == "MigrationProgress" }.count == 2)
            #expect(types.filter { $0 == "CascadeProgress" }.count == 2)
            let first = try #require(tap.events.first)
            #expect(
                first.result["data"]
                    == ["fromVersion": "1.0.0", "toVersion": "2.0.0", "toStateVersion": 2, "localContextsTotal": 2])
            #expect(first.result["groupId"] == .string(id))
        }
    }

    @Test func whatUpgradesRefuse() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let path = "/groups/\(id)/upgrade"
            try await expectClosedBody(owner, "POST", path, body, required: ["targetApplicationId"])
            #expect(try await owner.post(path, ["targetApplicationId": .string(Owner.unknown)]).status == 404)
            #expect(try await owner.post(path, ["targetApplicationId": "x"]).status == 400)
            let same = try await owner.post(path, body)
            #expect(same.error?.contains("already targeting") == true)
            owner.node.publish(NewStore(), package: "kv-store", version: "2.0.0")
            let empty = try await owner.post(path, body)
            #expect(empty.status == 409)
            #expect(empty.error?.contains("no contexts") == true)
            #expect(try await owner.post(path + "/retry").status == 404)
            #expect(try await owner.post("/groups/\(Owner.unknown)/upgrade", body).status == 404)
            let foreign = try owner.node.createNamespace(founder: Owner.unknown, isRelay: false)
            for suffix in ["upgrade", "upgrade/retry", "migration/abort"] {
                let body = suffix == "upgrade" ? body : [:]
                let answer = try await owner.post("/groups/\(foreign)/\(suffix)", body)
                #expect(answer.status == 403, "\(suffix)")
                #expect(answer.error?.contains("MANAGE_APPLICATION is not set") == true)
            }
        }
    }

    @Test func aFailedUpgradeIsTriedAgain() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let ids = try await contexts(owner, id, 2)
            owner.node.publish(NewStore(failsOn: "k1"), package: "kv-store", version: "2.0.0")
            #expect(try await owner.post("/groups/\(id)/upgrade", body).status == 200)
            #expect(await becomes("failed", owner, id))
            let failed = try await status(owner, id)
            #expect(failed?["localContextsFailed"] == 1)
            #expect(failed?["localContextsSwapped"] == 1)
            #expect(try await owner.execute(ids[1], "get", ["key": "k1"]).output == "old", "nothing of it happened")
            #expect(try await owner.execute(ids[1], "set", ["key": "x", "value": "y"]).output == .null)
            let report = try await owner.get("/groups/\(id)/migration-status").json["members"]?.arrayValue?.first
            #expect(report?["state"] == "failed")
            #expect(report?["report"]?["migrationFailed"] == "apply_failed")
            try await expectClosedBody(owner, "POST", "/groups/\(id)/upgrade/retry", [:])
            owner.node.publish(NewStore(), package: "kv-store", version: "2.0.0")
            let retried = try await owner.post("/groups/\(id)/upgrade/retry")
            #expect(retried.status == 200)
            #expect(retried.data?["groupId"] == .string(id))
            #expect(await becomes("completed", owner, id))
            #expect(try await owner.execute(ids[1], "get", ["key": "k1"]).output == "old")
            #expect(try await owner.execute(ids[0], "get", ["key": "k0"]).output == "old", "not migrated twice")
            #expect(try await owner.post("/groups/\(id)/upgrade/retry").status == 409)
        }
    }

    @Test func anUpgradeIsAborted() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let ids = try await contexts(owner, id, 3)
            owner.node.publish(NewStore(), package: "kv-store", version: "2.0.0")
            let abort = "/groups/\(id)/migration/abort"
            #expect(
                try await owner.post(abort).json == ["namespaceId": .string(id), "aborted": false])
            owner.node.holdUpgrades()
            #expect(try await owner.post("/groups/\(id)/upgrade", body).status == 200)
            owner.node.stepUpgrades()
            #expect(await eventually { owner.node.core.contexts[ids[0]]?.read { $0.release } != nil })
            try await expectClosedBody(owner, "POST", abort, [:])
            #expect(try await owner.post(abort).json == ["namespaceId": .string(id), "aborted": true])
            #expect(try await owner.post(abort).json["aborted"] == false)
            owner.node.releaseUpgrades()
            #expect(try await status(owner, id)?["status"] == "aborted")
            #expect(try await owner.get("/namespaces/\(id)").data?["appVersion"] == "1.0.0")
            #expect(try await owner.execute(ids[0], "release").output == "2", "what is migrated stays so")
            #expect(try await owner.execute(ids[2], "set", ["key": "k", "value": "v"]).output == .null)
            #expect(try await owner.post("/groups/\(id)/upgrade/retry").status == 409)
            #expect(try await owner.post("/groups/\(id)/upgrade", body).status == 200)
            #expect(await becomes("completed", owner, id))
            #expect(try await owner.execute(ids[0], "get", ["key": "k0"]).output == "old")
        }
    }

    @Test func aCascadeTakesTheWholeTree() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let group = try await owner.subgroup(of: id)
            let other = try await owner.subgroup(of: id)
            try owner.node.setRelease(version: "0.9.0", group: other)
            _ = try await contexts(owner, id)
            _ = try await contexts(owner, group, 2)
            #expect(try await owner.get("/groups/\(id)/cascade-status").json == ["data": []])
            owner.node.publish(NewStore(), package: "kv-store", version: "2.0.0")
            #expect(try await owner.post("/groups/\(id)/upgrade", body.replacing("cascade", true)).status == 200)
            for id in [id, group] { #expect(await becomes("completed", owner, id)) }
            let rows = try await owner.get("/groups/\(id)/cascade-status").data?.arrayValue ?? []
            #expect(Set(rows.compactMap { $0["groupId"]?.stringValue }) == [id, group])
            for row in rows {
                #expect(row.names == ["groupId", "upgrade", "cascadeHlc"])
                #expect(row["upgrade"]?["status"] == "completed")
            }
            #expect(try await status(owner, other) == .null)
        }
    }

    @Test func codeOnly() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let ids = try await contexts(owner, id)
            owner.node.publish(NewStore(failsOn: "k0"), package: "kv-store", version: "2.0.0")
            #expect(
                try await owner.post("/groups/\(id)/upgrade", body.replacing("forceCodeOnly", true)).status == 200)
            #expect(await becomes("completed", owner, id))
            #expect(owner.node.contextState(ids[0])?["k0"] == "old")
        }
    }

    @Test func aFleetMigrates() async throws {
        try await withOwners { network, owners async throws in
            let (ada, bob) = (owners[0], owners[1])
            let id = try await ada.namespace()
            #expect(try await bob.join(id, try await ada.invitation(to: id)).status == 200)
            let ids = try await contexts(ada, id, 2)
            ada.node.publish(NewStore(), package: "kv-store", version: "2.0.0")
            network.isolate(bob.node)
            #expect(try await ada.post("/groups/\(id)/upgrade", body).status == 200)
            #expect(await becomes("completed", ada, id))
            let apart = try await ada.get("/groups/\(id)/migration-status").json
            #expect(
                apart["rollup"]
                    == [
                        "migrated": 1, "inProgress": 0, "unknown": 1, "failed": 0, "total": 2, "allMigrated": false,
                        "membersPendingSignature": 0,
                    ])
            #expect(apart["targetVersion"] == 2)
            let unknown = apart["members"]?.arrayValue?.first { $0["peer"] == .string(bob.node.nodeKey) }
            #expect(unknown?.names == ["peer", "account", "state"], "no report, no answer")
            #expect(apart["fleetCompletedAt"] == nil)
            network.heal()
            #expect(await becomes("completed", bob, id))
            #expect(try await bob.execute(ids[0], "get", ["key": "k0"]).output == "old")
            #expect(try await bob.execute(ids[1], "release").output == "2")
            let together = try await ada.get("/groups/\(id)/migration-status").json
            #expect(together["rollup"]?["allMigrated"] == true)
            #expect(together["fleetCompletedAt"] != nil)
            network.isolate(bob.node)
            let quiet = try await ada.get("/groups/\(id)/migration-status").json
            #expect(quiet["rollup"]?["allMigrated"] == false)
            #expect(quiet["fleetCompletedAt"] == together["fleetCompletedAt"], "it does not turn back")
        }
    }
}
