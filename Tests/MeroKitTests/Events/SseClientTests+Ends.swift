import Foundation
import Testing

@testable import MeroKit

/// How subscriptions and clients end.
extension SseClientTests {
    @Test func aSubscriptionRefusedForGoodEndsTheStream() async throws {
        let node = try ScriptedEventNode { _ in
            ScriptedEventNode.json("403 Forbidden", #"{"error":"Forbidden: not the session owner"}"#)
        }
        let error = await #expect(throws: MeroError.self) {
            for try await _ in try client(node).events(contextIds: ["c"]) {}
        }
        #expect(error?.httpStatus == 403)
    }

    @Test(arguments: ["{}", "[]", "", #"{"result":{"contexts":"c"}}"#])
    func anAnswerThatSaysNothingCountsAsSubscribed(body: String) async throws {
        let node = try ScriptedEventNode { _ in ScriptedEventNode.json("200 OK", body) }
        let sse = try client(node)
        try await sse.subscribe(contextIds: ["c"])
        sse.connect()
        try await eventually { sse.status.contexts == ["c": .active] }
    }

    @Test func lostEventsLeaveAMark() async throws {
        let node = try ScriptedEventNode()
        let stream = try client(node).events(contextIds: ["c"])
        var iterator = stream.makeAsyncIterator()
        let opened = try await node.stream(0)
        _ = try await node.subscriptions(1)
        try opened.send(event: #"{"error":{"type":"InternalError","data":{}}}"#)
        #expect(try await iterator.next()?.isGap == true)
    }

    @Test func aNodeThatDoesNotOpenTheStreamIsLeft() async throws {
        let node = try ScriptedEventNode()
        node.stayMute()
        let sse = try client(node, timing: SseConnection.Timing(retryDelay: 0.05, inactivity: 60, opening: 0.2))
        sse.connect()
        _ = try await node.stream(1)
        let silent = try client(node, timing: SseConnection.Timing(retryDelay: 0.05, inactivity: 0.2, opening: 30))
        let before = node.streamCount
        silent.connect()
        _ = try await node.stream(before + 1)
    }

    @Test func handlersAreCalledUntilTheyAreDetached() async throws {
        let node = try ScriptedEventNode()
        let sse = try client(node)
        let seen = Locked<[String]>([])
        let first = sse.on { event in seen.withLock { $0.append("1 \(event.kind)") } }
        sse.on { event in seen.withLock { $0.append("2 \(event.kind)") } }
        sse.connect()
        let opened = try await node.stream(0)
        try opened.send(event: Self.event("c", "A"))
        try await eventually { seen.withLock { $0 } == ["1 A", "2 A"] }
        first.cancel()
        first.cancel()
        try opened.send(event: Self.event("c", "B"))
        try await eventually { seen.withLock { $0 } == ["1 A", "2 A", "2 B"] }
    }

    @Test func nothingIsLeftOfAClientThatIsLetGo() async throws {
        let node = try ScriptedEventNode()
        do {
            let sse = try client(node)
            sse.connect()
            _ = try await node.stream(0)
        }
        try await eventually { node.openStreams == 0 }
    }

    /// Requests carry what the authorizer gives, asked for each with the path and the very bytes that are sent.
    @Test func anAuthorizerSignsEachRequest() async throws {
        let node = try ScriptedEventNode()
        let asked = Locked<[String]>([])
        let base = try #require(URL(string: node.url + "/node1"))
        let sse = SseClient(baseURL: base) { method, path, body in
            let count = asked.withLock { asked in
                asked.append("\(method) \(path) \(body.map { String(decoding: $0, as: UTF8.self) } ?? "-")")
                return asked.count
            }
            return ["X-Calimero-Proof": "p\(count)"]
        }
        try await sse.subscribe(contextIds: ["c"])
        sse.connect()
        let opened = try await node.stream(0)
        #expect(opened.request.target == "/node1/sse")
        #expect(opened.request.values("X-Calimero-Proof") == ["p1"])
        #expect(opened.request.values("Authorization") == [])
        _ = try await node.subscriptions(1)
        let post = try #require(node.requests.last)
        #expect(post.values("X-Calimero-Proof") == ["p2"])
        let body = String(decoding: post.body, as: UTF8.self)
        #expect(asked.withLock { $0 } == ["GET /node1/sse -", "POST /node1/sse/subscription \(body)"])
    }

    @Test func anAuthorizerThatFailsForGoodEndsTheStream() async throws {
        struct Odd: Error {}
        let node = try ScriptedEventNode()
        let refusal = MeroError.http(HTTPError(status: 404, statusText: "", url: "", headers: [:]))
        let count = Locked(0)
        let credentials = StreamCredentials(
            source: .authorizer { _, _, _ in
                throw count.withLock { count -> any Error in
                    count += 1
                    return count < 3 ? Odd() : refusal
                }
            })
        let sse = SseClient(
            baseURL: node.baseURL, credentials: credentials, engine: try EngineUnderTest.allCases[0].make(),
            timing: Self.quick)
        let error = await #expect(throws: MeroError.self) {
            for try await _ in sse.events(contextIds: ["c"]) {}
        }
        #expect(error?.httpStatus == 404)
        #expect(count.withLock { $0 } == 3)
        #expect(node.requests.isEmpty)
    }

    /// However many consumers come and go while their streams are cut again and again: nobody gets what he did not ask for,
    /// and everything is closed at the end.
    @Test func manyStreamsAreNotMixedUp() async throws {
        let node = try ScriptedEventNode()
        let sse = try client(node)
        let consumers = Task {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        var seen = 0
                        for try await event in sse.events(contextIds: ["c\(number)"]) {
                            guard event.contextId == "c\(number)" else { return false }
                            seen += 1
                            if seen == 20 { break }
                        }
                        return seen == 20
                    }
                }
                return try await group.reduce(true) { $0 && $1 }
            }
        }
        let sender = Task {
            var served = 0
            while !Task.isCancelled {
                let subscriptions = node.subscriptions
                for body in subscriptions[served...] {
                    guard let session = body["id"]?.stringValue, let number = Int(session.dropFirst()),
                        case .array(let ids)? = body["params"]?["contextIds"], let id = ids.first?.stringValue
                    else { continue }
                    let stream = try await node.stream(number - 1)
                    for event in 0..<7 { try? stream.send(event: Self.event(id, "X", event)) }
                    stream.cut()
                }
                served = subscriptions.count
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }
        #expect(try await consumers.value)
        sender.cancel()
        try await eventually { node.openStreams == 0 }
        #expect(node.streamCount >= 80)
    }
}
