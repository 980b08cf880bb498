import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct SseSessionTests {
    private func resume(_ node: DevNode, _ lastId: String, token: String) async throws -> SseTap {
        try await SseTap.open(node, token: token, headers: [("Last-Event-ID", lastId)])
    }

    private func inspect(_ fixture: NodeFixture, _ session: String, token: String) async throws -> Answer {
        try await fixture.call("GET", "/sse/session/\(session)", token: token)
    }

    private func options(_ change: (inout DevNodeOptions) -> Void = { _ in }) -> DevNodeOptions {
        .with { options in
            options.accessTokenLifetime = 30 * 86_400
            change(&options)
        }
    }

    @Test func aNewConnectionTakesTheSessionOver() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let token = node.mintTokens().accessToken
            let first = try await fixture.listen(contexts: [context], token: token)
            node.emit(.syncStatus(.idle), context: context)
            #expect(await first.has(frames: 2))
            let second = try await resume(node, "\(first.sessionId)-77-x", token: token)
            #expect(second.head.headers["x-sse-reconnect"] == "true")
            #expect(second.sessionId == first.sessionId)
            #expect(await first.ended(.proper))
            node.emit(.syncStatus(.syncing), context: context)
            #expect(await second.has(frames: 2))
            #expect(second.frames.first?.json["reconnect"] == true)
            #expect(second.numbers == [0, 2])
            #expect(first.numbers == [0, 1])
        }
    }

    @Test func whatHappensInBetweenIsGone() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let token = node.mintTokens().accessToken
            let first = try await fixture.listen(contexts: [context], token: token)
            first.leave()
            #expect(await eventually { node.streams.open.isEmpty })
            #expect(node.emit(.syncStatus(.idle), context: context) == 0)
            let second = try await resume(node, first.sessionId, token: token)
            #expect(node.emit(.syncStatus(.syncing), context: context) == 1)
            #expect(await second.has(frames: 2))
            // The outage leaves no gap in the ids.
            #expect(second.numbers == [0, 1])
        }
    }

    @Test func aSessionThatCannotBeAdoptedBecomesANewOne() async throws {
        try await withNode(options()) { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let token = node.mintTokens().accessToken
            let tap = try await fixture.listen(contexts: [context], token: token)
            func isNew(_ id: String, token: String) async throws -> Bool {
                let other = try await resume(node, id, token: token)
                let count = node.emit(.syncStatus(.idle), context: context)
                return other.head.status == 200 && other.head.headers["x-sse-reconnect"] == "false"
                    && other.sessionId != tap.sessionId && count <= 1
            }
            #expect(try await isNew("nonsense", token: token))
            #expect(try await isNew("12345-6", token: token))
            #expect(try await isNew("\(tap.sessionId)-0", token: node.mintTokens().accessToken))
            node.clock.advance(by: 86_400)
            #expect(try await isNew("\(tap.sessionId)-0", token: token))
        }
    }

    @Test func idlenessCountsFromTheLastSubscription() async throws {
        try await withNode(options()) { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let token = node.mintTokens().accessToken
            let tap = try await SseTap.open(node, token: token)
            node.clock.advance(by: 86_000)
            #expect(try await fixture.subscription(tap.sessionId, contexts: [context], token: token).status == 200)
            node.clock.advance(by: 86_000)
            node.emit(.syncStatus(.idle), context: context)
            #expect(try await inspect(fixture, tap.sessionId, token: token).status == 200)
            node.clock.advance(by: 400)
            let gone = try await inspect(fixture, tap.sessionId, token: token)
            #expect(gone.status == 410)
            #expect(gone.json == ["error": "Session expired"])
            #expect(try await fixture.subscription(tap.sessionId, token: token).status == 404)
            node.clock.advance(by: 86_400)
            _ = try await SseTap.open(node, token: token)
            #expect(try await inspect(fixture, tap.sessionId, token: token).status == 404)
        }
    }

    @Test func inspection() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let group = try node.createGroup()
            let token = node.mintTokens().accessToken
            let tap = try await fixture.listen(contexts: [context], groups: [group], token: token)
            node.emit(.syncStatus(.idle), context: context)
            let answer = try await inspect(fixture, tap.sessionId, token: token)
            #expect(
                answer.json == [
                    "result": [
                        "session_id": .number(tap.sessionId), "subscriptions": [.string(context)],
                        "event_counter": 1, "status": "active",
                    ]
                ])
            let missing = try await inspect(fixture, "1", token: token)
            #expect(missing.status == 404)
            #expect(missing.json == ["error": "Session not found"])
            let stranger = try await inspect(fixture, tap.sessionId, token: node.mintTokens().accessToken)
            #expect(stranger.status == 403)
            #expect(stranger.json == ["error": "Forbidden: not the session owner"])
            #expect(try await inspect(fixture, "x", token: token).status == 400)
            #expect(try await inspect(fixture, tap.sessionId, token: "nonsense").status == 401)
        }
    }

    @Test(arguments: [true, false]) func aRestartKeepsSessionsButNotConnections(isOnDisk: Bool) async throws {
        try await withFolder { folder in
            try await withNode(options { $0.dataDirectory = isOnDisk ? folder : nil }) { fixture async throws in
                let node = fixture.node
                let context = try node.createContext(KeyValueContract())
                let group = try node.createGroup()
                let token = node.mintTokens().accessToken
                let tap = try await fixture.listen(contexts: [context], groups: [group], token: token)
                for _ in 0..<3 { node.emit(.syncStatus(.idle), context: context) }
                #expect(await tap.has(frames: 4))
                try await node.restart()
                #expect(await tap.ended(.abrupt))
                #expect(node.streams.open.isEmpty)
                let stored = try await inspect(fixture, tap.sessionId, token: token)
                #expect(stored.json["result"]?["status"] == "persisted")
                #expect(stored.json["result"]?["event_counter"] == 0)
                #expect(stored.json["result"]?["subscriptions"] == [.string(context)])
                #expect(try await fixture.subscription(tap.sessionId, token: token).status == 404)
                #expect(node.emit(.syncStatus(.idle), context: context) == 0)
                let again = try await resume(node, "\(tap.sessionId)-3", token: token)
                #expect(again.head.headers["x-sse-reconnect"] == "true")
                #expect(node.emit(.syncStatus(.idle), context: context) == 1)
                #expect(node.emit(.memberRemoved(account: context), group: group) == 1)
                #expect(await again.has(frames: 3))
                // The count goes on from what was stored with the last subscription, so ids repeat.
                #expect(again.numbers == [0, 1, 2])
                #expect(try await fixture.subscription(tap.sessionId, token: token).status == 200)
            }
        }
    }

    @Test func aResumedSessionIsAuthorisedAnew() async throws {
        try await withFolder { folder in
            var session = ""
            var context = ""
            var kept = ""
            var token = ""
            try await withNode(options { $0.dataDirectory = folder }) { fixture async throws in
                context = try fixture.node.createContext(KeyValueContract())
                kept = try fixture.node.createContext(KeyValueContract())
                token = fixture.node.mintTokens().accessToken
                session = try await fixture.listen(contexts: [context, kept], token: token).sessionId
            }
            try await withNode(options { $0.dataDirectory = folder }) { fixture async throws in
                fixture.node.setCondition(.notMember, context: context)
                let tap = try await resume(fixture.node, session, token: token)
                #expect(tap.head.headers["x-sse-reconnect"] == "true")
                #expect(fixture.node.emit(.syncStatus(.idle), context: context) == 0)
                #expect(fixture.node.emit(.syncStatus(.idle), context: kept) == 1)
                #expect(
                    try await inspect(fixture, session, token: token).json["result"]?["subscriptions"]
                        == [.string(kept)])
            }
        }
    }
}
