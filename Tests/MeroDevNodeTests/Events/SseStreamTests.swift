import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct SseStreamTests {
    @Test func theFirstFrameConnects() async throws {
        try await withNode(.with { $0.eventRetryMilliseconds = 1234 }) { fixture async throws in
            let token = fixture.node.mintTokens(permissions: ["context:subscribe"]).accessToken
            let tap = try await SseTap.open(fixture.node, token: token)
            #expect(tap.head.status == 200)
            #expect(tap.head.headers["content-type"] == "text/event-stream")
            #expect(tap.head.headers["transfer-encoding"] == "chunked")
            #expect(tap.head.headers["x-sse-reconnect"] == "false")
            let session = tap.sessionId
            #expect(UInt64(session) != nil)
            #expect(await tap.has(frames: 1))
            let data = #"{"type":"connect","session_id":"\#(session)","reconnect":false}"#
            #expect(tap.text == "event: message\nid: \(session)-0\nretry: 1234\ndata: \(data)\n\n")
            let open = fixture.node.streams.open
            #expect(open.map(\.sessionId) == [session])
            #expect(open.map(\.kind) == [.sse])
            tap.leave()
            #expect(await eventually { fixture.node.streams.open.isEmpty })
        }
    }

    @Test func theRetryIsThreeSecondsByDefault() async throws {
        try await withNode { fixture async throws in
            let tap = try await SseTap.open(fixture.node, token: fixture.node.mintTokens().accessToken)
            #expect(await tap.has(frames: 1))
            #expect(tap.frames.first?.retry == "3000")
        }
    }

    @Test func theGuardStandsInFront() async throws {
        try await withNode { fixture async throws in
            let node = fixture.node
            func verdict(_ target: String, token: String? = nil, headers: [(String, String)] = []) async throws
                -> String
            {
                let tap = try await SseTap.open(node, target, token: token, headers: headers)
                tap.leave()
                return "\(tap.head.status) \(tap.head.headers["x-auth-error"] ?? "-")"
            }
            let good = node.mintTokens().accessToken
            #expect(try await verdict("/sse") == "401 -")
            #expect(try await verdict("/sse?token=\(good)") == "200 -")
            #expect(try await verdict("/sse?token=\(good)", token: "nonsense") == "401 -")
            #expect(try await verdict("/sse?token=\(good)", headers: [("Authorization", "Basic x")]) == "401 -")
            for weak in [["context"], ["context:execute"]] {
                let token = node.mintTokens(permissions: weak).accessToken
                #expect(try await verdict("/sse", token: token) == "403 permission_denied")
            }
            node.expireAccessTokens()
            #expect(try await verdict("/sse", token: good) == "401 token_expired")
            let revoked = node.mintTokens().accessToken
            node.revokeFamilies()
            #expect(try await verdict("/sse", token: revoked) == "403 token_revoked")
            let answer = try await fixture.subscription("1", token: revoked)
            #expect(answer.status == 403 && answer.authError == "token_revoked" && answer.body.isEmpty)
        }
    }

    @Test func aNodeWithoutStreamsAnswers404() async throws {
        try await withNode(.with { $0.servesEventStream = false }) { fixture async throws in
            let token = fixture.node.mintTokens().accessToken
            #expect(try await fixture.call("GET", "/sse", token: token).status == 404)
            #expect(try await fixture.subscription("1", token: token).status == 404)
            #expect(try await fixture.call("GET", "/sse/session/1", token: token).status == 404)
        }
    }

    @Test func aPrefixedNodeServesBothPaths() async throws {
        try await withNode(.with { $0.pathPrefix = "/node1" }) { fixture async throws in
            let token = fixture.node.mintTokens().accessToken
            for target in ["/sse", "/node1/sse"] {
                #expect(try await SseTap.open(fixture.node, target, token: token).head.status == 200)
            }
            fixture.node.streams.refuseNext(status: 503)
            #expect(try await fixture.call("GET", "/node1/sse", token: token).status == 503)
        }
    }

    @Test func aHeadRequestLeavesNothingOpen() async throws {
        try await withNode { fixture async throws in
            let token = fixture.node.mintTokens().accessToken
            let answer = try await fixture.call("HEAD", "/sse", token: token)
            #expect(answer.status == 200)
            #expect(answer.headers["x-sse-session-id"] != nil)
            #expect(await eventually { fixture.node.streams.open.isEmpty })
        }
    }

    @Test func executionsAreEchoedAsStateMutations() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            let silent = try fixture.node.createContext(KeyValueContract())
            let token = fixture.node.mintTokens().accessToken
            let tap = try await fixture.listen(contexts: [context], token: token)
            _ = try await fixture.execute(silent, "set", ["key": "a", "value": "1"], token: token)
            _ = try await fixture.execute(context, "set", ["key": "a", "value": "1"], token: token)
            _ = try await fixture.execute(context, "get", ["key": "a"], token: token)
            _ = try await fixture.execute(context, "clear", token: token)
            #expect(await tap.has(frames: 3))
            #expect(tap.numbers == [0, 1, 2])
            #expect(tap.frames.allSatisfy { $0.event == "message" })
            let first = try #require(tap.events.first)
            #expect(first.id == "\(tap.sessionId)-1" && first.retry == nil)
            let payload = Data(#"{"key":"a","value":"1"}"#.utf8)
            #expect(
                first.json == [
                    "result": [
                        "contextId": .string(context), "type": "StateMutation",
                        "data": [
                            "newRoot": .string(Hex.encode(ContextBox.root(of: ["a": "1"]))),
                            "events": [
                                [
                                    "kind": "Inserted", "data": .array(payload.map { JsonTree($0) }),
                                    "handler": .null,
                                ]
                            ],
                        ],
                    ]
                ])
            #expect(
                tap.events.last?.result["data"]?["newRoot"]?.stringValue == Hex.encode(ContextBox.root(of: [:])))
        }
    }

    @Test func aBurstArrivesWholeAndInOrder() async throws {
        try await withNode(.with { $0.eventQueueLength = 100_000 }) { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            let tap = try await fixture.listen(contexts: [context], token: fixture.node.mintTokens().accessToken)
            for index in 0..<5_000 {
                fixture.node.emit(.other(type: "Tick", data: .number(Double(index))), context: context)
            }
            #expect(await tap.has(frames: 5_001))
            #expect(tap.numbers == Array(0...5_000))
            #expect(tap.events.map { $0.result["data"]?.integer(Int.self) } == (0..<5_000).map { $0 })
        }
    }

    @Test func silenceIsFilledWithComments() async throws {
        try await withNode(.with { $0.eventKeepAlive = 0.02 }) { fixture async throws in
            let tap = try await SseTap.open(fixture.node, token: fixture.node.mintTokens().accessToken)
            #expect(await eventually { tap.comments >= 3 })
            #expect(tap.frames.count == 1)
            #expect(tap.text.hasSuffix("\n\n:\n\n"))
        }
    }

    @Test func anOpenStreamOutlivesItsToken() async throws {
        try await withNode { fixture async throws in
            let context = try fixture.node.createContext(KeyValueContract())
            let tap = try await fixture.listen(contexts: [context], token: fixture.node.mintTokens().accessToken)
            fixture.node.expireAccessTokens()
            fixture.node.revokeFamilies()
            fixture.node.emit(.syncStatus(.idle), context: context)
            #expect(await tap.has(frames: 2))
            #expect(tap.end == nil)
        }
    }

    @Test func stoppingEndsEveryStream() async throws {
        let node = try await DevNode.start()
        let token = node.mintTokens().accessToken
        var taps: [SseTap] = []
        for _ in 0..<5 { taps.append(try await SseTap.open(node, token: token)) }
        await node.stop()
        #expect(node.streams.open.isEmpty)
        for tap in taps { #expect(await tap.ended(.abrupt)) }
    }
}
