import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// What real nodes were seen to answer: the dev node has every key of it, and no other but those that are newer.
@Suite struct WireFixtureTests {
    private static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/vectors/wire")

    /// Nil, and a line that says so, where the recordings are not at hand.
    private func recording(_ name: String) throws -> JsonTree? {
        let url = Self.folder.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: url.path) else {
            print("No recording \(name) beside this package: nothing to compare with")
            return nil
        }
        return try JsonParser.parse(try Data(contentsOf: url))
    }

    private func expectSameKeys(
        _ name: String, _ own: JsonTree, beside newer: Set<String> = [], except absent: Set<String> = []
    ) throws {
        guard let recorded = try recording(name) else { return }
        compare(recorded, own, newer, absent, name)
    }

    private func compare(
        _ recorded: JsonTree, _ own: JsonTree, _ newer: Set<String>, _ absent: Set<String>, _ path: String
    ) {
        switch (recorded, own) {
        case (.object, .object):
            #expect(own.names.subtracting(newer) == recorded.names.subtracting(absent), "\(path)")
            for member in recorded.members where !absent.contains(member.name) {
                compare(member.value, own[member.name] ?? .null, newer, absent, "\(path).\(member.name)")
            }
        case (.array(let items), .array(let others)):
            guard let item = items.first, let other = others.first else { return }
            compare(item, other, newer, absent, "\(path)[]")
        case (.string, .string), (.number, .number), (.bool, .bool), (.null, _), (_, .null): return
        default: Issue.record("\(path): \(recorded.text) was recorded, \(own.text) is answered")
        }
    }

    @Test func identitiesDevicesAndNamespaces() async throws {
        try await withOwner { owner async throws in
            _ = try await owner.namespace()
            try expectSameKeys("core/identity/node_identity.res.json", try await owner.get("/identity").json)
            try expectSameKeys(
                "rc32-node-identity.json", try await owner.get("/identity").json,
                beside: ["accountNamespaceId", "deviceCertified"])
            try expectSameKeys("rc32-account-devices.json", try await owner.get("/account/devices").json)
            try expectSameKeys(
                "rc32-namespaces.json", try await owner.get("/namespaces").json, beside: ["founding"])
        }
    }

    @Test func invitations() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            let answer = try await owner.post("/namespaces/\(id)/invite")
            try expectSameKeys("rc32-namespace-invitation.json", answer.json)
        }
    }

    @Test func groups() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            try expectSameKeys("core/groups/members.res.json", try await owner.get("/groups/\(id)/members").json)
            if let recorded = try recording("core/groups/tee_admission_policy.res.json") {
                let path = "/groups/\(id)/settings/tee-admission-policy"
                #expect(try await owner.put(path, recorded.replacing("enabled", nil)).status == 200)
                let answer = try await owner.get(path).json
                #expect(JsonTree.object(answer.members.sorted { $0.name < $1.name }) == recorded)
            }
        }
    }

    @Test func upgrades() async throws {
        try await withOwner { owner async throws in
            let id = try await owner.namespace()
            _ = try owner.node.createContext(KeyValueContract(), inGroup: id)
            owner.node.publish(KeyValueContract(), package: "kv-store", version: "2.0.0")
            owner.node.holdUpgrades()
            #expect(
                try await owner.post(
                    "/groups/\(id)/upgrade", ["targetApplicationId": .string(Owner.application)]
                ).status == 200)
            try expectSameKeys(
                "core/groups/upgrade_status.res.json", try await owner.get("/groups/\(id)/upgrade/status").json)
            owner.node.releaseUpgrades()
            #expect(
                await eventually {
                    owner.node.core.groups.read { state in
                        state[id].flatMap { owner.node.core.upgrades.status(of: id, $0) }?.word == "completed"
                    }
                })
            try expectSameKeys(
                "core/groups/migration_status.res.json", try await owner.get("/groups/\(id)/migration-status").json)
        }
    }
}
