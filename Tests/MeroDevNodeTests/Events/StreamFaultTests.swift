import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct StreamFaultTests {
    private func withStream(
        _ options: DevNodeOptions = DevNodeOptions(),
        _ body: (NodeFixture, SseTap, _ context: String, _ token: String) async throws -> Void
    ) async throws {
        try await withNode(options) { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            let token = fixture.node.mintTokens().accessToken
            try await body(
                fixture, try await fixture.listen(contexts: [context], token: token), context, token)
        }
    }

    @Test func cuttingIsAbruptAndFinishingIsNot() async throws {
        try await withStream { fixture, tap, context, token async throws in
            let node = fixture.node
            let other = try await SseTap.open(node, token: token)
            #expect(await other.has(frames: 1))
            node.emit(.syncStatus(.idle), context: context)
            node.streams.open.first { $0.sessionId == other.sessionId }?.finish()
            #expect(await other.ended(.proper))
            #expect(tap.end == nil)
            node.streams.cutAll()
            #expect(await tap.ended(.abrupt))
            #expect(tap.types == ["SyncStatus"])
            let third = try await SseTap.open(node, token: token)
            let fourth = try await SseTap.open(node, token: token)
            node.streams.finishAll()
            #expect(await third.ended(.proper))
            #expect(await fourth.ended(.proper))
            #expect(await eventually { node.streams.open.isEmpty })
        }
    }

    @Test func theNextStreamsAreCutByScript() async throws {
        try await withStream { fixture, tap, context, token async throws in
            let node = fixture.node
            node.streams.cutNext(afterFrames: 2)
            node.streams.cutNext(afterBytes: 20)
            node.streams.cutNext(afterBytes: 0)
            let byFrames = try await fixture.listen(contexts: [context], token: token)
            for _ in 0..<3 { node.emit(.syncStatus(.idle), context: context) }
            #expect(await byFrames.ended(.abrupt))
            #expect(byFrames.frames.count == 2)
            let byBytes = try await SseTap.open(node, token: token)
            #expect(await byBytes.ended(.abrupt))
            #expect(byBytes.text == "event: message\nid: \(byBytes.sessionId)".prefix(20))
            let atOnce = try await SseTap.open(node, token: token)
            #expect(await atOnce.ended(.abrupt))
            #expect(atOnce.text == "")
            #expect(await tap.has(frames: 4))
            #expect(try await SseTap.open(node, token: token).has(frames: 1))
        }
    }

    @Test func aStalledStreamStaysOpenAndThenLosesEvents() async throws {
        let options = DevNodeOptions.with {
            $0.eventQueueLength = 3
            $0.eventBacklog = 2
            $0.eventKeepAlive = 0.01
        }
        try await withStream(options) { fixture, tap, context, token async throws in
            let node = fixture.node
            #expect(await eventually { tap.comments > 0 })
            node.streams.stall()
            let before = tap.comments
            var taken = 0
            for index in 0..<20 { taken += node.emit(.other(type: "\(index)", data: nil), context: context) }
            #expect((4...5).contains(taken), "\(taken)")
            let late = try await SseTap.open(node, token: token)
            #expect(late.head.status == 200)
            #expect(tap.frames.count == 1 && late.text == "" && tap.comments <= before + 1)
            node.streams.resume()
            #expect(await late.has(frames: 1))
            #expect(await tap.has(frames: 1 + taken))
            node.emit(.other(type: "next", data: nil), context: context)
            #expect(await tap.has(frames: 2 + taken))
            #expect(tap.types == (0..<taken).map { "\($0)" } + ["next"])
            // What was lost leaves no gap.
            #expect(tap.numbers == Array(0...(taken + 1)))
        }
    }

    @Test func splitIntoSingleBytes() async throws {
        try await withStream { fixture, tap, context, token async throws in
            let node = fixture.node
            #expect(await tap.has(frames: 1))
            let whole = tap.pieces.count
            node.streams.split(bytes: 1)
            node.emit(.other(type: "é\u{1F600}", data: nil), context: context)
            #expect(await tap.has(frames: 2))
            #expect(tap.pieces.dropFirst(whole).allSatisfy { $0 == 1 })
            #expect(tap.types == ["é\u{1F600}"])
            let late = try await SseTap.open(node, token: token)
            #expect(await late.has(frames: 1))
            #expect(late.pieces.allSatisfy { $0 == 1 })
            let split = tap.pieces.count
            node.streams.split(bytes: nil)
            node.emit(.other(type: "whole", data: nil), context: context)
            #expect(await tap.has(frames: 3))
            #expect(tap.pieces.count == split + 1)
        }
    }

    @Test func framesMayComeTwice() async throws {
        try await withStream { fixture, tap, context, token async throws in
            let node = fixture.node
            node.streams.repeatFrames(times: 2)
            node.emit(.other(type: "a", data: nil), context: context)
            node.emit(.other(type: "b", data: nil), context: context)
            let late = try await SseTap.open(node, token: token)
            node.streams.behave()
            node.emit(.other(type: "c", data: nil), context: context)
            #expect(await tap.has(frames: 6))
            #expect(tap.types == ["a", "a", "b", "b", "c"])
            #expect(tap.numbers == [0, 1, 1, 2, 2, 3])
            #expect(await late.has(frames: 2))
            #expect(late.numbers == [0, 0])
        }
    }

    @Test func oneStreamMaySufferAlone() async throws {
        try await withStream { fixture, tap, context, token async throws in
            let node = fixture.node
            let well = try await fixture.listen(contexts: [context], token: token)
            #expect(await tap.has(frames: 1))
            let ill = try #require(node.streams.open.first { $0.sessionId == tap.sessionId })
            ill.stall()
            ill.repeatFrames(times: 2)
            ill.split(bytes: 7)
            node.emit(.other(type: "a", data: nil), context: context)
            #expect(await well.has(frames: 2))
            #expect(tap.frames.count == 1)
            ill.resume()
            #expect(await tap.has(frames: 3))
            #expect(tap.pieces.dropFirst().contains(7) && !tap.pieces.dropFirst().contains { $0 > 7 })
            ill.cut(afterFrames: 1)
            // Another change neither lifts the cut nor starts it anew.
            ill.repeatFrames(times: 1)
            for _ in 0..<3 { node.emit(.other(type: "b", data: nil), context: context) }
            #expect(await tap.ended(.abrupt))
            #expect(tap.types == ["a", "a", "b"])
            #expect(await well.has(frames: 5))
            let length = well.text.utf8.count
            node.streams.open.first { $0.sessionId == well.sessionId }?.cut(afterBytes: length + 5)
            node.emit(.other(type: "c", data: nil), context: context)
            #expect(await well.ended(.abrupt))
            #expect(well.text.hasSuffix("\n\nevent"))
        }
    }

    @Test func everythingAtOnceEndsInOrder() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            let context = try node.createContext(KeyValueContract())
            let group = try node.createGroup()
            try node.assign(context: context, toGroup: group)
            let account = String(repeating: "a", count: 64)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for worker in 0..<3 {
                    tasks.addTask {
                        let token = node.mintTokens().accessToken
                        var last = "0"
                        for round in 0..<15 {
                            // What the restarts and cuts below break is broken; nothing may hang or crash.
                            guard
                                let tap = try? await SseTap.open(
                                    node, token: token, headers: [("Last-Event-ID", last)])
                            else { continue }
                            last = tap.sessionId
                            _ = try? await fixture.subscription(
                                last, round % 3 == 2 ? "unsubscribe" : "subscribe", contexts: [context],
                                groups: [group], token: token)
                            _ = try? await fixture.execute(
                                context, "set", ["key": .string("\(worker)"), "value": "v"], token: token)
                            if round % 2 == 0 { tap.leave() }
                        }
                    }
                }
                tasks.addTask {
                    for round in 0..<300 {
                        try node.addMember(account, group: group)
                        try node.setPresence(Data([UInt8(round % 256)]), author: account, context: context)
                        node.clock.advance(by: 0.01)
                        try node.removeMember(account, group: group)
                        node.emit(.syncStatus(.idle), context: context)
                        await Task.yield()
                    }
                }
                tasks.addTask {
                    for round in 0..<10 {
                        node.streams.split(bytes: round % 2 == 0 ? 3 : nil)
                        if round % 3 == 0 { node.streams.cutAll() } else { node.streams.finishAll() }
                        try await node.restart()
                    }
                }
                try await tasks.waitForAll()
            }
            node.streams.behave()
            let tap = try await fixture.listen(contexts: [context], token: node.mintTokens().accessToken)
            #expect(node.emit(.other(type: "after", data: nil), context: context) >= 1)
            #expect(await eventually { tap.types.last == "after" })
        }
    }

    @Test func theNextStreamIsRefused() async throws {
        try await withStream { fixture, _, _, token async throws in
            let handle = fixture.node.streams.refuseNext(status: 403, authError: "token_reuse", times: 2)
            for _ in 0..<2 {
                let refused = try await fixture.call("GET", "/sse", token: token)
                #expect(refused.status == 403)
                #expect(refused.authError == "token_reuse")
            }
            #expect(handle.hits == 2)
            #expect(try await SseTap.open(fixture.node, token: token).head.status == 200)
        }
    }

    @Test func theClientMayBeToldToGo() async throws {
        try await withStream { fixture, tap, context, _ async throws in
            fixture.node.streams.announceClose(reason: "maintenance")
            fixture.node.emit(.syncStatus(.idle), context: context)
            #expect(await tap.has(frames: 3))
            #expect(tap.events.first?.json == ["type": "close", "reason": "maintenance"])
            #expect(tap.numbers == [0, 1, 2])
            #expect(tap.end == nil)
        }
    }

    @Test func anythingMayBeWrittenIntoAStream() async throws {
        try await withStream { fixture, tap, context, _ async throws in
            fixture.node.streams.send(raw: Data("data: not json\n\n".utf8))
            #expect(fixture.node.emitSerializationFailure(context: context) == 1)
            #expect(await tap.has(frames: 3))
            #expect(tap.events.first?.data == "not json")
            #expect(tap.events.last?.data == #"{"error":{"type":"InternalError","data":{}}}"#)
        }
    }

    @Test func faultsOutliveARestart() async throws {
        try await withStream { fixture, tap, _, token async throws in
            let node = fixture.node
            node.streams.repeatFrames(times: 3)
            node.streams.cutNext(afterFrames: 1)
            try await node.restart()
            #expect(await tap.ended(.abrupt))
            let next = try await SseTap.open(node, token: token)
            #expect(await next.ended(.abrupt))
            #expect(next.numbers == [0, 0, 0])
        }
    }
}
