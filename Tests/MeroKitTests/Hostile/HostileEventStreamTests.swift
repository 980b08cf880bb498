import Foundation
import Testing

@testable import MeroKit

/// A server that means harm to clients of its event stream. Spec: 40, sections 2.1 to 2.7.
@Suite("Hostile event stream")
struct HostileEventStreamTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    private static let event = #"data: {"result":{"contextId":"c","type":"N","data":1}}"# + "\n\n"

    private static func connect(_ session: String) -> String {
        "data: {\"type\":\"connect\",\"session_id\":\"\(session)\",\"reconnect\":false}\n\n"
    }

    private func client(
        _ server: ScriptedServer, _ engine: EngineUnderTest = .allCases[0], retryDelay: TimeInterval = 0.05
    ) throws -> SseClient {
        SseClient(
            baseURL: try #require(URL(string: server.url)),
            credentials: StreamCredentials(source: .bearer { "t0k3n" }), engine: try engine.make(),
            timing: SseConnection.Timing(retryDelay: retryDelay, inactivity: 60, opening: 30))
    }

    /// Of the sessions that one stream announces only the last can be subscribed to.
    @Test(arguments: EngineUnderTest.allCases)
    func manySessionsInOneStreamAreNoMoreWork(engine: EngineUnderTest) async throws {
        let posts = Locked<[String]>([])
        let isFlooded = Locked(false)
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                guard request.method == "GET" else {
                    let id = (try? JSONValue(jsonBytes: request.body))?["id"]?.stringValue ?? ""
                    posts.withLock { $0.append(id) }
                    while !isFlooded.withLock({ $0 }) { usleep(1000) }
                    try peer.send(ScriptedEventNode.granting((try? JSONValue(jsonBytes: request.body)) ?? .null))
                    continue
                }
                try peer.send(Self.head + Self.connect("first"))
                while posts.withLock({ $0.isEmpty }) { usleep(1000) }
                for number in 0..<2000 { try peer.send(Self.connect("s\(number)")) }
                try peer.send(Self.connect("last") + Self.event)
                isFlooded.withLock { $0 = true }
                peer.waitForEnd()
            }
        }
        let stream = try client(server, engine).events(contextIds: ["c"])
        var iterator = stream.makeAsyncIterator()
        #expect(try await iterator.next()?.kind == "N")
        try await eventually { posts.withLock { $0.contains("last") } }
        #expect(posts.withLock { $0.count } < 100)
    }

    /// A close frame ends the connection even while the node refuses, or does not answer, a subscription.
    @Test(arguments: ["500 Internal Server Error", nil])
    func aCloseFrameIsHeardBesideASubscription(answer: String?) async throws {
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                if request.method != "GET" {
                    guard let answer else { return peer.waitForEnd() }
                    try peer.send("HTTP/1.1 \(answer)\r\nContent-Length: 0\r\n\r\n")
                    continue
                }
                try peer.send(Self.head + Self.connect("s"))
                usleep(50_000)
                try peer.send("data: {\"type\":\"close\",\"reason\":\"x\"}\n\n")
                peer.waitForEnd()
            }
        }
        let stream = try client(server).events(contextIds: ["c"])
        try await eventually(within: 20) { server.requests.filter { $0.method == "GET" }.count >= 2 }
        withExtendedLifetime(stream) {}
    }

    /// What a stream may send before its first event, and the event still comes.
    @Test(
        arguments: [
            "data: {\"type\":\"connect\",\"session_id\":7}\n\n" + connect("s"),
            "data: {\"type\":\"connect\",\"session_id\":null}\n\n", "data: {\"type\":5}\n\n",
            "retry: 0\nretry: 99999999999999999999\nretry: -1\nretry: 1e3\nretry:\n",
            String(repeating: ":\n", count: 100_000), String(repeating: "data\n\n", count: 10_000),
            String(repeating: "\n", count: 100_000), String(repeating: "x", count: 1 << 20) + "\n\n",
            "id: a\u{0}b\ndata: {}\n\n", "data: " + String(repeating: "[", count: 100_000) + "\n\n",
            "data: " + String(repeating: "{\"result\":", count: 100_000) + "\n\n",
            "data: {\"result\":{\"contextId\":5}}\n\ndata: {\"result\":[]}\n\ndata: {\"error\":1}\n\n",
            "data: {\"result\":{\"contextId\":\"c\",\"type\":{},\"data\":1e999999}}\n\n",
            "event: \u{0}\nid: " + String(repeating: "i", count: 100_000) + "\n\n",
            "data: " + String(repeating: "a", count: 17 << 20) + "\n\n",
        ])
    func oddFramesAreSteppedOver(frames: String) async throws {
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                guard request.method == "GET" else {
                    try peer.send(ScriptedEventNode.granting((try? JSONValue(jsonBytes: request.body)) ?? .null))
                    continue
                }
                try peer.send(Self.head + frames)
                try peer.send(Self.connect("s") + Self.event)
                peer.waitForEnd()
            }
        }
        var iterator = try client(server).events(contextIds: ["c"]).makeAsyncIterator()
        while let event = try await iterator.next() {
            if event.kind == "N" { return }
        }
        Issue.record("The event did not come")
    }

    /// Subscription answers of every kind, again and again.
    @Test(
        arguments: [
            "200 OK\r\nContent-Length: 0", "200 OK\r\nContent-Length: 5\r\nX: y", "204 No Content",
            "500 X\r\nContent-Length: 0", "404 X\r\nContent-Length: 0", "401 X\r\nContent-Length: 0",
            "401 X\r\nX-Auth-Error: token_expired\r\nContent-Length: 0", "429 X\r\nContent-Length: 0",
            "302 X\r\nLocation: /sse/subscription\r\nContent-Length: 0",
        ])
    func anyAnswerToASubscription(answer: String) async throws {
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                if request.method != "GET" {
                    try peer.send("HTTP/1.1 \(answer)\r\n\r\n")
                    if answer.contains("X: y") { try peer.send("[[[[[") }
                    continue
                }
                try peer.send(Self.head + Self.connect("s"))
                peer.waitForEnd()
            }
        }
        let client = try client(server)
        let errors = Locked(0)
        client.onError { _ in errors.withLock { $0 += 1 } }
        client.connect()
        let task = Task { try? await client.subscribe(contextIds: ["c"]) }
        try await eventually { server.requests.contains { $0.method == "POST" } }
        let start = Date()
        try await eventually { server.requests.count >= 60 || Date() > start + 0.3 }
        // No busy loop: an attempt takes at least the delay, but for the one after a fresh credential.
        #expect(server.requests.count < 60)
        client.close()
        _ = await task.value
    }

    /// A node may send events of a subscription before it answers it. If the answer never comes, what is missed until the
    /// next connection is marked all the same.
    @Test(arguments: [false, true])
    func eventsBeforeTheAnswerAreFollowedByAMark(isAnswered: Bool) async throws {
        let posts = Locked(0)
        let streams = Locked(0)
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                guard request.method == "GET" else {
                    let number = posts.withLock { count in
                        count += 1
                        return count
                    }
                    if number == 1 { return isAnswered ? try peer.send("HTTP/1.1 500 X\r\n\r\n") : peer.waitForEnd() }
                    try peer.send(ScriptedEventNode.granting((try? JSONValue(jsonBytes: request.body)) ?? .null))
                    continue
                }
                let number = streams.withLock { count in
                    count += 1
                    return count
                }
                try peer.send(Self.head + Self.connect("s\(number)"))
                if number == 1 {
                    while posts.withLock({ $0 }) == 0 { usleep(1000) }
                    try peer.send(Self.event)
                    if isAnswered { usleep(100_000) }
                    return
                }
                while posts.withLock({ $0 }) == 1 { usleep(1000) }
                try peer.send(Self.event)
                peer.waitForEnd()
            }
        }
        var iterator = try client(server, retryDelay: 5).events(contextIds: ["c"]).makeAsyncIterator()
        var kinds: [String] = []
        for _ in 0..<(isAnswered ? 2 : 3) { kinds.append(try await iterator.next()?.kind ?? "") }
        // The mark and the first event of the second connection may come in either order.
        #expect(kinds.first == "N" && kinds.sorted() == (isAnswered ? ["N", "N"] : [ContextEvent.gapKind, "N", "N"]))
    }

    /// Whoever does not read presence does not make the client keep all of it.
    @Test func presenceThatNobodyReadsIsBounded() async throws {
        let isSent = Locked(false)
        let state = String(repeating: "7,", count: 999) + "7"
        let frame =
            "data: {\"result\":{\"contextId\":\"c\",\"type\":\"Ephemeral\",\"data\":{\"author\":\"a\",\"state\":[\(state)],"
            + "\"removed\":false}}}\n\n"
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                guard request.method == "GET" else {
                    try peer.send(ScriptedEventNode.granting((try? JSONValue(jsonBytes: request.body)) ?? .null))
                    continue
                }
                try peer.send(Self.head + Self.connect("s"))
                let many = Data(String(repeating: frame, count: 500).utf8)
                for _ in 0..<100 { try peer.send(many) }
                try peer.send(":\n" + Self.event)
                isSent.withLock { $0 = true }
                peer.waitForEnd()
            }
        }
        let client = try client(server)
        let heard = Locked(0)
        let told = Locked(false)
        client.on { event in
            if event.kind == "N" { told.withLock { $0 = true } } else { heard.withLock { $0 += 1 } }
        }
        let stream = PresenceStream.make("c", codec: .bytes, from: client, limit: 1000)
        try await eventually { told.withLock { $0 } }
        #expect(heard.withLock { $0 } > 10_000)
        // The end of the connection is behind what waits.
        client.close()
        var count = 0
        for try await entry in stream {
            #expect(entry.state?.count == 1000)
            count += 1
        }
        #expect(count == 1000)
    }

    /// Whoever is told of a change may answer by letting go of the stream.
    @Test(
        .timeLimit(.minutes(1)), arguments: [EventStreamStatus.Connection.open, .waiting, .ended])
    func aStreamMayBeDroppedByItsOwnStatus(connection: EventStreamStatus.Connection) async throws {
        let node = try ScriptedEventNode()
        if connection != .open { node.refuse(connection == .ended ? "403 Forbidden" : "503 Service Unavailable") }
        let stream = Locked<AsyncThrowingStream<ContextEvent, any Error>?>(nil)
        let isThere = Locked(false)
        let isDropped = Locked(false)
        let made = try SseClient(
            baseURL: node.baseURL, credentials: StreamCredentials(source: .bearer { "t0k3n" }),
            engine: EngineUnderTest.allCases[0].make(),
            timing: SseConnection.Timing(retryDelay: 0.05, inactivity: 60, opening: 30)
        ).events(contextIds: ["c"]) { status in
            guard status.connection == connection else { return }
            while !isThere.withLock({ $0 }) { usleep(100) }
            let dropped = stream.withLock { stream in
                defer { stream = nil }
                return stream
            }
            if dropped != nil { isDropped.withLock { $0 = true } }
        }
        stream.withLock { $0 = made }
        isThere.withLock { $0 = true }
        try await eventually { isDropped.withLock { $0 } }
        node.stop()
    }

    /// Streams that are let go of at every stage leave nothing behind.
    @Test(arguments: EngineUnderTest.allCases)
    func droppedStreamsLeaveNothing(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                switch (request.method, Int.random(in: 0..<4)) {
                case ("GET", 0): return
                case ("GET", 1): return peer.waitForEnd()
                case ("GET", 2):
                    try peer.send("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n")
                case ("GET", _):
                    try peer.send(Self.head + Self.connect("s") + Self.event)
                    return peer.waitForEnd()
                case (_, 0): return
                case (_, 1): return peer.waitForEnd()
                default: try peer.send(ScriptedEventNode.granting((try? JSONValue(jsonBytes: request.body)) ?? .null))
                }
            }
        }
        try await dropStreams(of: client(server, engine))
        // Those that the engine kept for later calls are gone with it.
        try await eventually { server.openConnections == 0 }
    }

    private func dropStreams(of client: SseClient) async throws {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let stream = client.events(contextIds: ["c"])
                    let task = Task { for try await _ in stream {} }
                    try? await Task.sleep(nanoseconds: UInt64(number % 10) * 5_000_000)
                    task.cancel()
                    _ = try? await task.value
                }
            }
        }
    }
}
