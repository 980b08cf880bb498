import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct SyncAndPresenceTests {
    private func rpc(_ fixture: NodeFixture, _ method: String, _ params: JsonTree, token: String) async throws -> Answer
    {
        try await fixture.post(
            "/jsonrpc", ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": params], token: token)
    }

    @Test func syncStatus() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract())
            let token = fixture.node.mintTokens(permissions: ["context:execute[x]"]).accessToken
            let params: JsonTree = ["contextId": .string(context)]
            let idle = try await rpc(fixture, "sync_status", params, token: token)
            #expect(
                idle.json["result"] == [
                    "contextId": .string(context), "isInitialized": true, "syncState": ["state": "idle"],
                    "failureCount": 0,
                ])
            fixture.node.setCondition(.uninitialized, context: context)
            let waiting = try await rpc(fixture, "sync_status", params, token: token)
            #expect(waiting.json["result"]?["isInitialized"] == false)
            #expect(waiting.json["result"]?["syncState"] == ["state": "waitingForPeers"])
            let unknown = try await rpc(
                fixture, "sync_status", ["contextId": .string(String(repeating: "0", count: 64))], token: token)
            #expect(unknown.json["error"] == ["type": "ContextNotFound"])
        }
    }

    @Test func presenceIsSetAndToldOnce() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract())
            let token = fixture.node.mintTokens().accessToken
            let seen = Locked<[[UInt8]]>([])
            let observer = fixture.node.core.contexts.observe { notice in
                if case .ephemeral(let id, _, let state) = notice, id == context { seen.withLock { $0.append(state) } }
            }
            for state in [[123, 125], [123, 125], []] as [JsonTree] {
                let answer = try await rpc(
                    fixture, "set_ephemeral", ["contextId": .string(context), "state": state], token: token)
                #expect(answer.json["result"] == [:])
            }
            #expect(seen.withLock { $0 } == [[123, 125], []])
            fixture.node.core.contexts.stopObserving(observer)
            let full = JsonTree.array((0..<16_384).map { _ in 1 })
            let largest = try await rpc(
                fixture, "set_ephemeral", ["contextId": .string(context), "state": full], token: token)
            #expect(largest.json["result"] == [:])
            #expect(seen.withLock { $0.count } == 2)
            let over = JsonTree.array((0..<16_385).map { _ in 1 })
            let tooLarge = try await rpc(
                fixture, "set_ephemeral", ["contextId": .string(context), "state": over], token: token)
            #expect(tooLarge.json["error"] == ["type": "SliceTooLarge", "data": ["size": 16_385, "max": 16_384]])
            fixture.node.setCondition(.notMember, context: context)
            let stranger = try await rpc(
                fixture, "set_ephemeral", ["contextId": .string(context), "state": []], token: token)
            #expect(stranger.rpcType == "Unauthorized")
            fixture.node.setCondition(.noOwnedIdentity, context: context)
            let nobody = try await rpc(
                fixture, "set_ephemeral", ["contextId": .string(context), "state": []], token: token)
            #expect(nobody.rpcType == "NoOwnedIdentity")
        }
    }

    @Test func listenersHearOfEveryChange() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract())
            let token = fixture.node.mintTokens().accessToken
            let roots = Locked<[String]>([])
            let kinds = Locked<[String]>([])
            _ = fixture.node.core.contexts.observe { notice in
                guard case .stateMutation(context, let root, let events) = notice else { return }
                roots.withLock { $0.append(root) }
                kinds.withLock { $0 += events.map(\.kind) }
            }
            func run(_ method: String, _ args: JsonTree) async throws {
                _ = try await fixture.execute(context, method, args, token: token)
            }
            try await run("set", ["key": "a", "value": "1"])
            try await run("get", ["key": "a"])
            try await run("set", ["key": "b", "value": "1"])
            try await run("remove", ["key": "b"])
            try await run("remove", ["key": "absent"])
            #expect(kinds.withLock { $0 } == ["Inserted", "Inserted", "Removed"])
            let seen = roots.withLock { $0 }
            #expect(seen.count == 3)
            // The same state has the same root, however it came about.
            #expect(seen[0] == seen[2])
            #expect(seen[0] != seen[1])
            #expect(seen[0] == Hex.encode(ContextBox.root(of: ["a": "1"])))
        }
    }
}
