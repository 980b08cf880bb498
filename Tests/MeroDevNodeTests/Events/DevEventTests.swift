import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct DevEventTests {
    private func written(_ event: DevEvent, key: String = "contextId") throws -> JsonTree {
        try JsonParser.parse(event.text(key: key, id: "id"))
    }

    private func data(_ event: DevEvent, type: String) throws -> JsonTree {
        let tree = try written(event)
        #expect(tree["contextId"] == "id")
        #expect(tree["type"] == .string(type))
        #expect(tree.names == ["contextId", "type", "data"])
        return tree["data"] ?? .null
    }

    @Test func contextEvents() throws {
        let event = DevEmittedEvent(kind: "K\"\n", data: Data([0, 7, 255]), handler: "h")
        let plain = DevEmittedEvent(kind: "", data: Data())
        let events: JsonTree = [
            ["kind": "K\"\n", "data": [0, 7, 255], "handler": "h"], ["kind": "", "data": [], "handler": .null],
        ]
        for key in ["contextId", "groupId"] {
            let tree = try written(.stateMutation(newRoot: "r", events: [event, plain]), key: key)
            #expect(
                tree
                    == [
                        JsonMember(name: key, value: "id"), JsonMember(name: "type", value: "StateMutation"),
                        JsonMember(name: "data", value: ["newRoot": "r", "events": events]),
                    ].object)
        }
        #expect(
            try data(.stateMutation(newRoot: "r", events: nil), type: "StateMutation")
                == ["newRoot": "r", "events": .null])
        #expect(
            try data(.stateMutation(newRoot: "r", events: []), type: "StateMutation")
                == ["newRoot": "r", "events": []])
        #expect(
            try data(.syncStatus(.backingOff(retryInSeconds: 8), failureCount: 2, lastError: "e"), type: "SyncStatus")
                == ["syncState": ["state": "backingOff", "retry_in_secs": 8], "failureCount": 2, "lastError": "e"])
        #expect(
            try data(.syncStatus(.receivingSnapshot(recordsReceived: .max)), type: "SyncStatus")["syncState"]
                == [
                    "state": "receivingSnapshot", "records_received": .number("18446744073709551615"),
                    "percent": .null, "eta_secs": .null,
                ])
        for (state, name) in [
            (DevSyncState.idle, "idle"), (.waitingForPeers, "waitingForPeers"), (.syncing, "syncing"),
        ] {
            #expect(state.tree == ["state": .string(name)])
        }
        #expect(try data(.appVersionChanged(from: "1.0.0"), type: "AppVersionChanged") == ["fromVersion": "1.0.0"])
        let outcomes: [(DevXCallOutcome, JsonTree)] = [
            (.ok, ["status": "ok"]), (.denied(reason: "r"), ["status": "denied", "detail": ["reason": "r"]]),
            (.execError(message: "m"), ["status": "exec_error", "detail": ["message": "m"]]),
        ]
        for (outcome, tree) in outcomes {
            #expect(
                try data(.xCall(target: "t", function: "f", outcome: outcome), type: "XCall")
                    == ["targetContextId": "t", "function": "f", "outcome": tree])
        }
        #expect(try written(.other(type: "New", data: nil)) == ["contextId": "id", "type": "New"])
    }

    @Test func groupEvents() throws {
        #expect(
            try data(.memberJoined(account: "a", role: .relayTee), type: "MemberJoined")
                == ["memberAccount": "a", "role": "RelayTee"])
        #expect(try data(.memberAdded(account: "a"), type: "MemberAdded") == ["memberAccount": "a"])
        #expect(try data(.memberRemoved(account: "a"), type: "MemberRemoved") == ["memberAccount": "a"])
        #expect(
            try data(
                .migrationStarted(fromVersion: "1", toVersion: "2", toStateVersion: 3, localContextsTotal: 4),
                type: "MigrationStarted")
                == ["fromVersion": "1", "toVersion": "2", "toStateVersion": 3, "localContextsTotal": 4])
        #expect(
            try data(
                .migrationProgress(migrated: 1, inProgress: 2, unknown: 3, failed: 4, total: 10),
                type: "MigrationProgress")
                == ["migrated": 1, "inProgress": 2, "unknown": 3, "failed": 4, "total": 10])
        #expect(
            try data(
                .cascadeProgress(subgroupId: "ab", localContextsSwapped: 1, localContextsTotal: 2),
                type: "CascadeProgress")
                == ["subgroupId": "ab", "localContextsSwapped": 1, "localContextsTotal": 2])
        #expect(
            try data(.migrationCompleted(toVersion: "2", completedAt: 1_796_000_000), type: "MigrationCompleted")
                == ["toVersion": "2", "completedAt": 1_796_000_000])
    }

    @Test func rawResultsKeepTheirDigits() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let group = try node.createGroup()
            let token = node.mintTokens().accessToken
            let tap = try await fixture.listen(contexts: [context], groups: [group], token: token)
            let texts = [
                #"{"contextId":"\#(context)","type":7,"n":18446744073709551616}"#,
                #"{"groupId":"\#(group)"}"#, #"{"type":"Homeless"}"#, "3",
            ]
            for text in texts { #expect(try node.emit(result: text) == 1) }
            #expect(try node.emit(result: #"{"contextId":"elsewhere"}"#) == 0)
            #expect(throws: DevNodeError.self) { try node.emit(result: "{") }
            #expect(await tap.has(frames: 5))
            #expect(tap.events.map(\.data) == texts.map { "{\"result\":\($0)}" })
        }
    }
}

extension [JsonMember] {
    fileprivate var object: JsonTree { .object(self) }
}
