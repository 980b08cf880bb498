import Foundation
import Testing

@testable import MeroKit

/// One event stream: what is sent, and what each answer and frame leads to. Spec: 40, sections 2.1 to 2.7.
@Suite("SSE client")
struct SseClientTests {
    static let quick = SseConnection.Timing(retryDelay: 0.05, inactivity: 60, opening: 30)

    func client(
        _ node: ScriptedEventNode, _ engine: EngineUnderTest = .allCases[0], token: String? = "t0k3n",
        timing: SseConnection.Timing = Self.quick, onRefused: StreamRefusal.Hook? = nil
    ) throws -> SseClient {
        var credentials = StreamCredentials(source: .bearer { token })
        if let onRefused { credentials.onRefused = onRefused }
        return SseClient(
            baseURL: node.baseURL, credentials: credentials, engine: try engine.make(), timing: timing)
    }

    static func event(_ context: String, _ kind: String = "StateMutation", _ number: Int = 0) -> String {
        #"{"result":{"contextId":"\#(context)","type":"\#(kind)","data":{"number":\#(number)}}}"#
    }

    @Test(arguments: EngineUnderTest.allCases)
    func asksAsTheContractSays(engine: EngineUnderTest) async throws {
        let node = try ScriptedEventNode()
        let stream = try client(node, engine).events(contextIds: ["c1", "c2"], groupIds: ["g1"])
        let opened = try await node.stream(0)
        #expect(opened.request.method == "GET")
        #expect(opened.request.target == "/sse")
        #expect(opened.request.values("Accept") == ["text/event-stream"])
        #expect(opened.request.values("Authorization") == ["Bearer t0k3n"])
        let body = try await node.subscriptions(1)[0]
        #expect(
            body == [
                "id": "s1", "method": "subscribe", "params": ["contextIds": ["c1", "c2"], "groupIds": ["g1"]],
            ])
        let post = try #require(node.requests.first { $0.method == "POST" })
        #expect(post.values("Content-Type") == ["application/json"])
        #expect(post.values("Authorization") == ["Bearer t0k3n"])
        try opened.send(event: Self.event("c1"))
        try opened.send(event: #"{"result":{"groupId":"g1","type":"MemberJoined","data":{"memberAccount":"a"}}}"#)
        var iterator = stream.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.contextId == "c1" && first.kind == "StateMutation" && first.groupId == nil)
        let second = try #require(try await iterator.next())
        #expect(second.contextId == "" && second.groupId == "g1" && second.kind == "MemberJoined")
        #expect(node.subscriptions.count == 1)
    }

    @Test func groupIdsAreLeftOutWhenThereAreNone() throws {
        let body = SseClient.subscriptionBody(sessionId: "1", contextIds: [], groupIds: [])
        #expect(Set(body.keys) == ["id", "method", "params"])
        #expect(body["id"] as? String == "1")
        #expect(body["method"] as? String == "subscribe")
        let params = try #require(body["params"] as? [String: Any])
        #expect(params["contextIds"] as? [String] == [])
        #expect(params["groupIds"] == nil)
        let both = SseClient.subscriptionBody(sessionId: "1", contextIds: ["c"], groupIds: ["g"])
        #expect((both["params"] as? [String: Any])?["groupIds"] as? [String] == ["g"])
    }

    @Test(arguments: ["ends", "cut", "close frame"])
    func opensAgainAndMarksTheGap(end: String) async throws {
        let node = try ScriptedEventNode()
        let stream = try client(node).events(contextIds: ["c"], groupIds: ["g"])
        var iterator = stream.makeAsyncIterator()
        let first = try await node.stream(0)
        _ = try await node.subscriptions(1)
        try first.send(event: Self.event("c", "One"))
        #expect(try await iterator.next()?.kind == "One")
        switch end {
        case "ends": try first.end()
        case "cut": first.cut()
        default: try first.send(event: #"{"type":"close","reason":"bye"}"#)
        }
        let second = try await node.stream(1)
        #expect(try await node.subscriptions(2)[1]["id"] == "s2")
        let gap = try #require(try await iterator.next())
        #expect(gap.isGap && gap.contextId == "c" && gap.groupId == nil && gap.content == .gap)
        let groupGap = try #require(try await iterator.next())
        #expect(groupGap.isGap && groupGap.contextId == "" && groupGap.groupId == "g")
        try second.send(event: Self.event("c", "Two"))
        #expect(try await iterator.next()?.kind == "Two")
    }

    @Test func thePauseIsThreeSecondsUnlessTheNodeAsksForAnother() async throws {
        #expect(SseConnection.Timing().retryDelay == 3)
        let asked: [(UInt64, Double)] = [
            (0, 0.1), (99, 0.1), (100, 0.1), (3000, 3), (60_000, 60), (60_001, 60), (.max, 60),
        ]
        for (milliseconds, seconds) in asked {
            #expect(SseConnection.Timing.retryDelay(asked: milliseconds) == seconds)
        }
        // With a pause of an hour by itself, the node's 100 ms are what brings the second stream.
        let node = try ScriptedEventNode()
        let sse = try client(node, timing: SseConnection.Timing(retryDelay: 3600))
        sse.connect()
        try await node.stream(0).cut()
        _ = try await node.stream(1)
    }

    @Test func anythingButARefusalForGoodIsTriedAgain() async throws {
        let node = try ScriptedEventNode()
        node.refuse("503 Service Unavailable")
        node.refuse("401 Unauthorized")
        node.refuse("404 Not Found")
        node.refuse("200 OK", body: "<html></html>")
        let seen = Locked<[String]>([])
        let sse = try client(node)
        sse.onError { error in seen.withLock { $0.append((error as? MeroError)?.httpStatus.map(String.init) ?? "-") } }
        sse.connect()
        _ = try await node.stream(0)
        try await eventually { sse.status.connection == .open }
        try await eventually { seen.withLock { $0 } == ["503", "401", "404"] }
        #expect(sse.status.lastError == nil)
    }

    @Test(arguments: [
        ("403 Forbidden", "", nil as String?), ("403 Forbidden", "X-Auth-Error: permission_denied\r\n", nil),
        ("403 Forbidden", "X-Auth-Error: token_revoked\r\n", "token_revoked"),
        ("401 Unauthorized", "X-Auth-Error: token_reuse\r\n", "token_reuse"),
        ("401 Unauthorized", "X-Auth-Error: token_revoked\r\n", "token_revoked"),
    ])
    func aRefusalForGoodIsThrown(status: String, headers: String, reason: String?) async throws {
        let node = try ScriptedEventNode()
        node.refuse(status, headers: headers, body: "no")
        let error = await #expect(throws: MeroError.self) {
            for try await _ in try client(node).events(contextIds: ["c"]) {}
        }
        switch error {
        case .authRevoked(let told, let http):
            #expect(told == reason)
            #expect(http.bodyText == "no")
        case .http(let http):
            #expect(reason == nil)
            #expect(http.status == 403)
        default: Issue.record("Not such an error: \(String(describing: error))")
        }
        #expect(node.streamCount == 0)
        #expect(node.requests.count == 1)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func endsWithItsConsumer(engine: EngineUnderTest) async throws {
        let node = try ScriptedEventNode()
        let sse = try client(node, engine)
        let task = Task {
            for try await _ in sse.events(contextIds: ["c"]) {}
            return "ended without an error"
        }
        let opened = try await node.stream(0)
        task.cancel()
        #expect(try await task.value == "ended without an error")
        try await eventually { !opened.isAlive }
    }

    @Test func endsWhenTheLoopIsLeft() async throws {
        let node = try ScriptedEventNode()
        let sse = try client(node)
        let task = Task {
            for try await event in sse.events(contextIds: ["c"]) { return event.kind }
            return ""
        }
        let opened = try await node.stream(0)
        try opened.send(event: Self.event("c", "X"))
        #expect(try await task.value == "X")
        try await eventually { !opened.isAlive }
        // Nor does one that nobody ever reads from stay.
        do {
            let unread = sse.events(contextIds: ["c"])
            _ = try await node.stream(1)
            withExtendedLifetime(unread) {}
        }
        try await eventually { node.openStreams == 0 }
    }

    @Test func aTokenIsAskedForEveryTimeAndMayBeMissing() async throws {
        let node = try ScriptedEventNode()
        let asked = Locked(0)
        let credentials = StreamCredentials(
            source: .bearer {
                asked.withLock { asked in
                    asked += 1
                    return asked == 1 ? nil : asked == 2 ? "  " : "t\(asked)"
                }
            })
        let sse = SseClient(
            baseURL: node.baseURL, credentials: credentials, engine: try EngineUnderTest.allCases[0].make(),
            timing: Self.quick)
        sse.connect()
        let opened = try await node.stream(0)
        #expect(opened.request.values("Authorization") == ["Bearer t3"])
        try await sse.subscribe(contextIds: ["c"])
        _ = try await node.subscriptions(1)
        #expect(asked.withLock { $0 } == 3)
        #expect(node.requests.filter { $0.method == "POST" }.allSatisfy { $0.values("Authorization") == ["Bearer t3"] })
        opened.cut()
        #expect(try await node.stream(1).request.values("Authorization") == ["Bearer t4"])
    }

    @Test func theHookDecidesWhatA401LeadsTo() async throws {
        let node = try ScriptedEventNode()
        for _ in 0..<3 { node.refuse("401 Unauthorized", headers: "X-Auth-Error: token_expired\r\n") }
        let told = Locked<[String]>([])
        let sse = try client(node, timing: SseConnection.Timing(retryDelay: 0.01)) { answer, presented in
            let count = told.withLock { told in
                told.append("\(answer.headers["x-auth-error"] ?? "") \(presented ?? "")")
                return told.count
            }
            return count == 1 ? .retryNow : count == 2 ? .retryAfterDelay : .finish(MeroError.noRefreshToken)
        }
        let error = await #expect(throws: MeroError.self) {
            for try await _ in sse.events(contextIds: ["c"]) {}
        }
        if case .noRefreshToken = error {} else { Issue.record("Not the hook's error: \(String(describing: error))") }
        #expect(told.withLock { $0 } == Array(repeating: "token_expired t0k3n", count: 3))
    }

    @Test func subscriptionsAreRememberedAndSaidAgain() async throws {
        let node = try ScriptedEventNode { ScriptedEventNode.granting($0, except: ["secret"]) }
        let sse = try client(node)
        try await sse.subscribe(contextIds: ["a", "secret"])
        #expect(node.requests.isEmpty)
        #expect(sse.status.contexts == ["a": .requested, "secret": .requested])
        sse.connect()
        sse.connect()
        let first = try await node.stream(0)
        try await eventually { sse.status.contexts == ["a": .active, "secret": .refused] }
        #expect(!sse.status.isComplete)
        try await sse.subscribe(contextIds: ["a", "b"], groupIds: ["g"])
        #expect(node.subscriptions[1]["params"] == ["contextIds": ["b"], "groupIds": ["g"]])
        try await sse.unsubscribe(contextIds: ["secret", "unknown"])
        #expect(node.subscriptions[2] == ["id": "s1", "method": "unsubscribe", "params": ["contextIds": ["secret"]]])
        #expect(sse.status.isComplete)
        first.cut()
        let again = try await node.subscriptions(4)[3]
        #expect(again["params"] == ["contextIds": ["a", "b"], "groupIds": ["g"]])
        sse.close()
        #expect(sse.status.connection == .idle && sse.status.contexts.isEmpty)
        try await eventually { node.openStreams == 0 }
        sse.connect()
        _ = try await node.stream(2)
        try await sse.subscribe(contextIds: ["z"])
        let last = try await node.subscriptions(5)
        #expect(last.count == 5 && last[4]["params"] == ["contextIds": ["z"]])
    }

    @Test func aSessionThatIsGoneIsOpenedAnew() async throws {
        let node = try ScriptedEventNode { body in
            body["id"] == "s1"
                ? ScriptedEventNode.json("404 Not Found", #"{"error":"Session not found."}"#)
                : ScriptedEventNode.granting(body)
        }
        let stream = try client(node).events(contextIds: ["c"])
        _ = try await node.stream(1)
        #expect(try await node.subscriptions(2)[1]["id"] == "s2")
        withExtendedLifetime(stream) {}
    }

    @Test(arguments: ["500 Internal Server Error", "429 Too Many Requests"])
    func aSubscriptionThatFailsIsTriedAgain(status: String) async throws {
        let count = Locked(0)
        let node = try ScriptedEventNode { body in
            count.withLock { $0 += 1 }
            return count.withLock { $0 } < 3
                ? ScriptedEventNode.json(status, "{}") : ScriptedEventNode.granting(body)
        }
        let sse = try client(node)
        try await sse.subscribe(contextIds: ["c"])
        let told = Locked<[Int?]>([])
        sse.onStatus { status in told.withLock { $0.append((status.lastError as? MeroError)?.httpStatus) } }
        sse.connect()
        try await eventually { sse.status.isComplete }
        #expect(node.streamCount == 1)
        #expect(sse.status.lastError == nil)
        try await eventually {
            told.withLock { $0.compactMap { $0 } }.map { "\($0)" }.contains(String(status.prefix(3)))
        }
    }

    /// A node refuses a request as a whole for one id that is none.
    @Test func anIdThatIsNoneDoesNotCostTheOthers() async throws {
        let node = try ScriptedEventNode { body in
            let text = (try? JSONWriter.bytes(of: body)).map { String(decoding: $0, as: UTF8.self) } ?? ""
            return text.contains("bogus")
                ? ScriptedEventNode.json("400 Bad Request", #"{"error":{"type":"ParseError","data":"no id"}}"#)
                : ScriptedEventNode.granting(body)
        }
        let sse = try client(node)
        let told = Locked(0)
        sse.onError { _ in told.withLock { $0 += 1 } }
        try await sse.subscribe(contextIds: ["a", "bogus1", "b", "c", "bogus2"], groupIds: ["g", "bogus3"])
        sse.connect()
        try await eventually {
            sse.status.contexts == ["a": .active, "b": .active, "c": .active, "bogus1": .refused, "bogus2": .refused]
                && sse.status.groups == ["g": .active, "bogus3": .refused]
        }
        #expect(node.streamCount == 1)
        try await eventually { told.withLock { $0 } == 3 }
    }
}
