import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct PresenceTests {
    private let author = String(repeating: "a", count: 64)
    private let account = String(repeating: "7", count: 64)

    private func withFrozenNode(
        _ body: (NodeFixture, _ context: String, _ token: String) async throws -> Void
    ) async throws {
        try await withNode { fixture async throws in
            fixture.node.clock.freeze()
            let context = try fixture.node.createContext(KeyValueContract())
            try await body(fixture, context, fixture.node.mintTokens().accessToken)
        }
    }

    private func publish(_ fixture: NodeFixture, _ state: JsonTree, _ context: String, token: String) async throws {
        let answer = try await fixture.post(
            "/jsonrpc",
            [
                "jsonrpc": "2.0", "id": 1, "method": "set_ephemeral",
                "params": ["contextId": .string(context), "state": state],
            ], token: token)
        #expect(answer.json["result"] == [:])
    }

    private func presences(_ tap: SseTap) -> [JsonTree] {
        tap.events.filter { $0.type == "Ephemeral" }.compactMap { $0.result["data"] }
    }

    @Test func liveSlicesCarryNoAge() async throws {
        try await withFrozenNode { fixture, context, token async throws in
            let node = fixture.node
            let tap = try await fixture.listen(contexts: [context], token: token)
            try await publish(fixture, [123, 125], context, token: token)
            try await publish(fixture, [123, 125], context, token: token)
            try node.setPresence(Data([1]), author: author, account: account, context: context)
            try node.setPresence(Data([1]), author: author, account: account, context: context)
            try node.setPresence(Data(), author: author, account: account, context: context)
            #expect(node.removePresence(author: author, context: context))
            #expect(!node.removePresence(author: author, context: context))
            #expect(await tap.has(frames: 5))
            let me = JsonTree.string(node.executor(inContext: context) ?? "")
            let them = JsonTree.string(author)
            let owner = JsonTree.string(account)
            #expect(
                presences(tap) == [
                    ["author": me, "state": [123, 125]], ["author": them, "account": owner, "state": [1]],
                    ["author": them, "account": owner, "state": []],
                    ["author": them, "account": owner, "removed": true],
                ])
            #expect(tap.events.allSatisfy { $0.result["contextId"] == .string(context) })
        }
    }

    @Test func subscribersAreShownWhoIsThere() async throws {
        try await withFrozenNode { fixture, context, token async throws in
            let node = fixture.node
            let elsewhere = try node.createContext(KeyValueContract())
            try node.setPresence(Data([9]), author: author, context: elsewhere)
            try await publish(fixture, [1], context, token: token)
            try node.setPresence(Data([2]), author: author, context: context)
            let early = try await fixture.listen(contexts: [context], token: token)
            #expect(await early.has(frames: 3))
            node.clock.advance(by: 3)
            let late = try await fixture.listen(contexts: [context], token: token)
            // Everything it is shown was queued before the answer; what follows proves that nothing came twice.
            node.emit(.syncStatus(.idle), context: context)
            #expect(await late.has(frames: 4))
            #expect(await early.has(frames: 4))
            let me = node.executor(inContext: context) ?? ""
            func seeds(_ ages: [String: JsonTree]) -> Set<String> {
                Set(
                    [(me, JsonTree(1)), (author, JsonTree(2))].map { name, byte in
                        (["author": .string(name), "state": [byte], "ageMs": ages[name] ?? .null] as JsonTree).text
                    })
            }
            #expect(Set(presences(early).map(\.text)) == seeds([me: 0, author: 0]))
            // The node's own slice has had a heartbeat half a second ago.
            #expect(Set(presences(late).map(\.text)) == seeds([me: 500, author: 3000]))
            #expect(early.types.last == "SyncStatus" && late.types.last == "SyncStatus")
            // Asking again shows them again, to this one alone.
            _ = try await fixture.subscription(early.sessionId, contexts: [context], token: token)
            #expect(await early.has(frames: 6))
            #expect(late.frames.count == 4)
        }
    }

    @Test func withoutHeartbeatsAnAuthorGoes() async throws {
        try await withFrozenNode { fixture, context, token async throws in
            let node = fixture.node
            let steady = String(repeating: "b", count: 64)
            let tap = try await fixture.listen(contexts: [context], token: token)
            try await publish(fixture, [1], context, token: token)
            try node.setPresence(Data([2]), author: author, context: context)
            try node.setPresence(Data([3]), author: steady, keepsBeating: true, context: context)
            node.clock.advance(by: 5)
            try node.setPresence(Data([2]), author: author, context: context)
            node.clock.advance(by: 6.5)
            node.emit(.syncStatus(.idle), context: context)
            node.clock.advance(by: 0.5)
            node.emit(.syncStatus(.idle), context: context)
            node.clock.advance(by: 1000)
            node.emit(.syncStatus(.idle), context: context)
            #expect(await tap.has(frames: 8))
            #expect(
                tap.types == [
                    "Ephemeral", "Ephemeral", "Ephemeral", "SyncStatus", "Ephemeral", "SyncStatus", "SyncStatus",
                ])
            #expect(presences(tap).last == ["author": .string(author), "removed": true])
        }
    }

    @Test func theClockMovesByItself() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let tap = try await fixture.listen(contexts: [context], token: node.mintTokens().accessToken)
            try node.setPresence(Data([2]), author: author, context: context)
            node.clock.advance(by: 6.7)
            #expect(await tap.has(frames: 3))
            #expect(presences(tap).last?["removed"] == true)
        }
    }

    @Test func aNewcomerEvictsTheStalest() async throws {
        try await withNode(.with { $0.eventQueueLength = 2_000 }) { fixture async throws in
            let node = fixture.node
            node.clock.freeze()
            let context = try node.createContext(KeyValueContract())
            let token = node.mintTokens().accessToken
            try await publish(fixture, [1], context, token: token)
            func name(_ index: Int) -> String { String(repeating: "0", count: 60) + String(format: "%04x", index) }
            for index in 0..<511 {
                try node.setPresence(Data([2]), author: name(index), context: context)
                node.clock.advance(by: 0.001)
            }
            // A heartbeat makes the oldest one the freshest.
            try node.setPresence(Data([2]), author: name(0), context: context)
            let tap = try await fixture.listen(contexts: [context], token: token)
            #expect(await tap.has(frames: 513))
            try node.setPresence(Data([3]), author: author, context: context)
            #expect(await tap.has(frames: 515))
            #expect(
                presences(tap).suffix(2) == [
                    ["author": .string(name(1)), "removed": true], ["author": .string(author), "state": [3]],
                ])
        }
    }

    @Test func presenceEndsWithTheProcess() async throws {
        try await withFrozenNode { fixture, context, token async throws in
            let node = fixture.node
            try await publish(fixture, [1], context, token: token)
            try node.setPresence(Data([2]), author: author, context: context)
            try await node.restart()
            let tap = try await fixture.listen(contexts: [context], token: token)
            // The same bytes as before the restart are news again.
            try await publish(fixture, [1], context, token: token)
            #expect(await tap.has(frames: 2))
            #expect(presences(tap).map { $0["ageMs"] } == [nil])
        }
    }

    @Test func whatCannotBeTrackedIsAnError() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            try fixture.node.setPresence(Data(count: 16_384), author: author, context: context)
            #expect(throws: DevNodeError.sliceTooLarge(16_385)) {
                try fixture.node.setPresence(Data(count: 16_385), author: author, context: context)
            }
            #expect(throws: DevNodeError.unknownContext(author)) {
                try fixture.node.setPresence(Data(), author: author, context: author)
            }
        }
    }
}
