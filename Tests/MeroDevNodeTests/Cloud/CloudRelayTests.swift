import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct CloudRelayTests {
    private static let namespace = String(repeating: "a1", count: 32)
    private static let executor = String(repeating: "e1", count: 32)

    private static func relay(_ id: String = "peer-1") -> DevCloudRelay {
        DevCloudRelay(peerId: id, url: "http://127.0.0.1:1", executorAccount: executor, teeRole: "RelayTee")
    }

    @Test func relaysAppearAfterAWhile() async throws {
        try await withCloud(.with { ($0.assignmentDelay, $0.activationDelay) = (10, 5) }) { fixture in
            fixture.cloud.add(Self.relay())
            try fixture.cloud.assign("peer-1", toAccount: fixture.ada.accountId)
            try fixture.cloud.claim(Self.namespace, for: CloudFixture.email)
            let session = fixture.session()
            let path = "/api/cloud/namespaces/\(Self.namespace)/enable-ha"
            #expect(try await fixture.post(path, [:], token: session).json["status"] == "enabled")
            func row() async throws -> JsonTree? {
                let path = "/api/cloud/me/namespaces/\(Self.namespace)/relays"
                return try await fixture.call("GET", path, token: session).json["relays"]?.arrayValue?.first
            }
            #expect(try await row() == nil)
            #expect(try await fixture.relays().json["relays"] == [])
            fixture.cloud.clock.advance(by: 11)
            let assigned = try await row()
            #expect(assigned?["status"] == "assigned" && assigned?["confirmed_at"] == .null)
            #expect(assigned?["relay_url"] == "http://127.0.0.1:1" && assigned?["can_execute"] == true)
            let mine = try await fixture.relays().json["relays"]?.arrayValue?.first
            #expect(mine?["executor_account"]?.stringValue == Self.executor && mine?["assigned"] == false)
            fixture.cloud.clock.advance(by: 5)
            #expect(try await row()?["status"] == "active")
        }
    }

    @Test func heartbeatsLapseAndComeBack() async throws {
        try await withCloud { fixture in
            fixture.cloud.add(Self.relay())
            try fixture.cloud.assign("peer-1", toAccount: fixture.ada.accountId)
            try fixture.cloud.assign("peer-1", toNamespace: Self.namespace)
            func fresh() async throws -> [JsonTree?] {
                let routing = try await fixture.admitters(Self.namespace).json
                return [
                    try await fixture.relays().json["relays"]?.arrayValue?.first?["fresh"],
                    routing["admitters"]?.arrayValue?.first?["fresh"], routing["servable"], routing["writable"],
                ]
            }
            #expect(try await fresh() == [true, true, true, true])
            fixture.cloud.stopHeartbeat(of: "peer-1")
            #expect(try await fresh() == [true, true, true, true])
            fixture.cloud.clock.advance(by: 91)
            #expect(try await fresh() == [false, false, false, false])
            fixture.cloud.resumeHeartbeat(of: "peer-1")
            #expect(try await fresh() == [true, true, true, true])
        }
    }

    @Test func rowsSayWhatIsKnown() async throws {
        try await withCloud { fixture in
            var bare = DevCloudRelay(peerId: "peer-2")
            bare.nodeKey = Self.namespace
            bare.spellsNodePublicKey = true
            bare.authorshipReady = false
            fixture.cloud.add(bare)
            try fixture.cloud.claim(Self.namespace, for: CloudFixture.email, isHosted: true)
            try fixture.cloud.assign("peer-2", toNamespace: Self.namespace)
            let path = "/api/cloud/me/namespaces/\(Self.namespace)/relays"
            let session = fixture.session()
            let row = try await fixture.call("GET", path, token: session).json["relays"]?.arrayValue?.first
            #expect(row?["relay_url"] == .null && row?["executor_account"] == .null && row?["node_key"] == nil)
            #expect(row?["node_public_key"]?.stringValue == Self.namespace && row?["can_execute"] == false)
            fixture.cloud.options.tellsRecentFields = false
            let old = try await fixture.call("GET", path, token: session).json["relays"]?.arrayValue?.first
            #expect(old?["can_execute"] == nil && old?["tee_role"] == nil && old?["authorship_ready"] == false)
            let machines = try await fixture.call("GET", "/api/cloud/me/machines", token: session).json
            let machine = machines["machines"]?.arrayValue?.first
            #expect(machine?["peer_id"] == "peer-2" && machine?["can_execute"] == nil)
            #expect(machine?["namespaces"]?.arrayValue?.first?["namespace_id"]?.stringValue == Self.namespace)
            #expect(try await fixture.call("GET", "/api/cloud/me/node", token: session).text == #"{"node":null}"#)
            let stranger = try await fixture.call("GET", path, token: fixture.session("bob@example.com"))
            #expect(stranger.status == 404)
        }
    }

    /// A read-only replica never writes, with or without the grant; a relay by its role does without it.
    @Test(arguments: [
        ("RelayTee", false, true), ("RelayTee", true, true), ("ReadOnlyTee", true, false), ("", true, true),
        ("", false, false),
    ])
    func rolesDecideWhoWrites(_ role: String, _ isGranted: Bool, _ canWrite: Bool) async throws {
        try await withCloud { fixture in
            var relay = Self.relay()
            relay.teeRole = role.isEmpty ? nil : role
            relay.authorshipReady = isGranted
            fixture.cloud.add(relay)
            try fixture.cloud.assign("peer-1", toNamespace: Self.namespace)
            let answer = try await fixture.admitters(Self.namespace).json
            let row = answer["admitters"]?.arrayValue?.first
            #expect(row?["can_execute"] == .bool(canWrite) && row?["can_admit"] == true)
            #expect(answer["writable"] == .bool(canWrite) && answer["servable"] == true)
            #expect(
                row?["admit_url"]?.stringValue
                    == "http://127.0.0.1:1/admin-api/namespaces/\(Self.namespace)/admit")
        }
    }

    @Test func usableNodesComeFirst() async throws {
        try await withCloud { fixture in
            for id in ["a", "b", "c"] {
                fixture.cloud.add(Self.relay(id))
                try fixture.cloud.assign(id, toNamespace: Self.namespace)
            }
            fixture.cloud.change(relay: "a") { $0.isDialable = false }
            fixture.cloud.stopHeartbeat(of: "b")
            fixture.cloud.clock.advance(by: 91)
            let rows = try await fixture.admitters(Self.namespace).json["admitters"]?.arrayValue ?? []
            #expect(rows.compactMap { $0["peer_id"]?.stringValue } == ["c", "a", "b"])
            fixture.cloud.removeRelay("c")
            #expect(try await fixture.admitters(Self.namespace).json["admitters"]?.arrayValue?.count == 2)
        }
    }

    @Test func aNewAccountMayBeGivenARelay() async throws {
        try await withCloud(.with { $0.givesRelaysToNewAccounts = true }) { fixture in
            #expect(try await fixture.relays().json["relays"] == [])
            fixture.cloud.add(Self.relay())
            let first = try await fixture.relays().json["relays"]?.arrayValue
            #expect(first?.count == 1 && first?.first?["assigned"] == true)
            let second = try await fixture.relays().json["relays"]?.arrayValue
            #expect(second?.count == 1 && second?.first?["assigned"] == false)
        }
    }

    @Test func aRunningRelayIsToldAsItIs() async throws {
        try await withNode(.with { $0.delegatedAccess = true }) { node in
            try await withCloud { fixture in
                let peer = fixture.cloud.add(node.node)
                let namespace = try node.node.createNamespace(
                    members: [fixture.ada.accountId: .member], isRelay: false)
                try fixture.cloud.assign(peer, toNamespace: namespace)
                let row = try await fixture.admitters(namespace).json["admitters"]?.arrayValue?.first
                #expect(row?["account"]?.stringValue == node.node.accountId && row?["authorship_ready"] == false)
                #expect(row?["status"] == "active" && row?["can_execute"] == true)
                try node.node.setAuthorship(true, group: namespace)
                let granted = try await fixture.admitters(namespace).json["admitters"]?.arrayValue?.first
                #expect(granted?["authorship_ready"] == true)
                // Whoever is a member there has it as a relay; nobody else has.
                #expect(try await fixture.relays().json["relays"]?.arrayValue?.count == 1)
                #expect(try await fixture.relays(of: DevAccount()).json["relays"] == [])
                let elsewhere = Self.namespace
                try fixture.cloud.assign(peer, toNamespace: elsewhere)
                let absent = try await fixture.admitters(elsewhere).json["admitters"]?.arrayValue?.first
                #expect(absent?["status"] == "assigned" && absent?["can_admit"] == false)
            }
        }
    }
}
