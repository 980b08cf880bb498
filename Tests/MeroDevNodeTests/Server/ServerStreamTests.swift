import Foundation
import MeroDevNode
import MeroKit
import Testing

@Suite("DevHttpStream") struct ServerStreamTests {
    /// A server whose one answer is this stream.
    private func withStream(
        _ stream: DevHttpStream, _ body: (DevHttpServer) async throws -> Void
    ) async throws {
        let answer = DevHttpResponse(
            status: 200, headers: [("Content-Type", "text/event-stream")], body: .stream(stream))
        try await withServer { _ in
            answer
        } _: {
            try await body($0)
        }
    }

    /// A server that answers each request with a stream of its own.
    private func withStreams(_ body: (DevHttpServer, Locked<[DevHttpStream]>) async throws -> Void) async throws {
        let streams = Locked<[DevHttpStream]>([])
        try await withServer { _ in
            let stream = DevHttpStream()
            streams.withLock { $0.append(stream) }
            return DevHttpResponse(status: 200, headers: [], body: .stream(stream))
        } _: {
            try await body($0, streams)
        }
    }

    @Test("The head goes out at once, pieces as they are pushed, the end properly") func pieces() async throws {
        let stream = DevHttpStream()
        try await withStream(stream) { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                try client.send("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n")
                let head = try client.readHead()
                #expect(head.headers["transfer-encoding"] == "chunked")
                #expect(head.headers["content-type"] == "text/event-stream")
                for index in 0..<3 {
                    #expect(stream.offer(Data("event \(index)\n\n".utf8)) == .accepted)
                    #expect(try client.read(upTo: "\n\n\r\n") == Data("9\r\nevent \(index)\n\n\r\n".utf8))
                }
                stream.finish()
                #expect(try client.read(upTo: "0\r\n\r\n") == Data("0\r\n\r\n".utf8))
            }
            #expect(stream.offer(Data("late".utf8)) == .closed)
            #expect(await stream.waitForEnd() == .finished)
        }
    }

    @Test("A client that leaves is noticed while nothing is pushed") func clientLeaves() async throws {
        let stream = DevHttpStream()
        try await withStream(stream) { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                try client.send("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.readHead()
                client.close()
            }
            #expect(await stream.waitForEnd() == .clientLeft)
            #expect(stream.offer(Data("x".utf8)) == .closed)
            #expect(await stream.push(Data("x".utf8)) == false)
            #expect(await eventually { server.openConnections == 0 })
        }
    }

    @Test("Whenever a client leaves, its stream ends") func leavesAtAnyMoment() async throws {
        try await withStreams { server, streams async throws in
            let port = server.port
            try await offPool {
                for round in 0..<1500 {
                    let before = streams.withLock { $0.count }
                    let client = try RawClient(port)
                    try client.send("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n")
                    let deadline = Date() + 20
                    while streams.withLock({ $0.count }) == before {
                        try #require(Date() < deadline, "the request is not answered")
                        sched_yield()
                    }
                    for _ in 0..<(round % 50) { sched_yield() }
                    client.close()
                }
            }
            #expect(await eventually { streams.withLock { $0.allSatisfy { $0.end != nil } } })
            #expect(await eventually { server.openConnections == 0 })
        }
    }

    @Test("Streams that break off are closed while older connections stay") func manyBreakOff() async throws {
        try await withStreams { server, streams async throws in
            let port = server.port
            let clients = Locked<[RawClient]>([])
            try await offPool {
                for _ in 0..<30 {
                    let client = try RawClient(port)
                    try client.send("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n")
                    _ = try client.readHead()
                    clients.withLock { $0.append(client) }
                }
            }
            let all = streams.withLock { $0 }
            // The oldest ones stay.
            for stream in all.dropFirst(10) { stream.cut() }
            clients.withLock { $0.removeLast(10) }
            #expect(await eventually { server.openConnections == 10 })
            for stream in all { stream.cut() }
            #expect(await eventually { server.openConnections == 0 })
            clients.withLock { $0 = [] }
        }
    }

    @Test("cut: what was pushed arrives, then the connection drops") func cut() async throws {
        let stream = DevHttpStream()
        await stream.push(Data("before the cut".utf8))
        stream.cut()
        try await withStream(stream) { server async throws in
            let answer = try await get(server, "/sse")
            #expect(answer.text == "before the cut")
            #expect(!answer.isComplete)
            #expect(stream.end == .cut)
        }
    }

    @Test("Stop ends streams that wait") func stop() async throws {
        let streams = (0..<30).map { _ in DevHttpStream() }
        let next = Locked(0)
        let server = DevHttpServer { _ in
            let index = next.withLock { next in
                defer { next += 1 }
                return next
            }
            return DevHttpResponse(status: 200, body: .stream(streams[index]))
        }
        try await server.start()
        let answers = streams.map { _ in Task { try await get(server, "/sse") } }
        #expect(await eventually { server.handlerRuns(.any) == 30 })
        for stream in streams { await stream.push(Data("one".utf8)) }
        await server.stop()
        for stream in streams { #expect(await stream.waitForEnd() == .serverStopped) }
        for answer in answers { #expect((try? await answer.value)?.isComplete != true) }
    }

    @Test("The queue is bounded; a pusher waits for the reader") func bounded() async throws {
        let stream = DevHttpStream(capacity: 1000)
        let piece = Data(repeating: 120, count: 400)
        #expect(stream.offer(piece) == .accepted)
        #expect(stream.offer(piece) == .accepted)
        #expect(stream.offer(piece) == .full)
        #expect(stream.queuedBytes == 800)
        let pusher = Task {
            for _ in 0..<50_000 where await stream.push(piece) == false { return false }
            stream.finish()
            return true
        }
        try await withStream(stream) { server async throws in
            let answer = try await get(server, "/sse")
            #expect(answer.isComplete)
            #expect(answer.body.count == 50_002 * 400)
            #expect(await pusher.value)
        }
    }

    @Test("One piece larger than the queue is taken when nothing waits") func largePiece() async throws {
        let stream = DevHttpStream(capacity: 10)
        let large = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(stream.offer(large) == .accepted)
        #expect(stream.offer(Data([1])) == .full)
        stream.finish()
        try await withStream(stream) { server async throws in
            #expect(try await get(server, "/x").body == large)
        }
    }

    @Test("A cancelled pusher and a cancelled watcher come back") func cancelledWaits() async throws {
        let stream = DevHttpStream(capacity: 1)
        stream.offer(Data([1]))
        let pusher = Task { await stream.push(Data([2])) }
        let watcher = Task { await stream.waitForEnd() }
        pusher.cancel()
        watcher.cancel()
        #expect(await pusher.value == false)
        #expect(await watcher.value == nil)
        #expect(stream.end == nil)
    }

    @Test("A stream that is never sent ends", arguments: ["HEAD", "GET"]) func neverSent(method: String) async throws {
        let stream = DevHttpStream()
        try await withStream(stream) { server async throws in
            server.inject(.cutAfterHandler, on: "GET /x")
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                try client.send("\(method) /x HTTP/1.1\r\nHost: x\r\n\r\n")
                if method == "HEAD" { #expect(try client.readResponse(isHead: true).status == 200) }
                if method == "GET" { #expect(try client.readToEnd().isEmpty) }
            }
            #expect(await stream.waitForEnd() == (method == "HEAD" ? .finished : .cut))
        }
    }

    @Test("100,000 events from several producers, in order per producer") func throughput() async throws {
        let stream = DevHttpStream()
        try await withStream(stream) { server async throws in
            let producers = Task {
                await withTaskGroup(of: Void.self) { group in
                    for producer in 0..<4 {
                        group.addTask {
                            for index in 0..<25_000 { await stream.push(Data("\(producer) \(index)\n".utf8)) }
                        }
                    }
                }
                stream.finish()
            }
            let answer = try await get(server, "/sse")
            await producers.value
            #expect(answer.isComplete)
            var expected = [0, 0, 0, 0]
            var disorder = 0
            for line in answer.body.split(separator: UInt8(ascii: "\n")) {
                let words = String(decoding: line, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
                if words.count != 2 || expected[words[0]] != words[1] { disorder += 1 }
                expected[words[0]] += 1
            }
            #expect(disorder == 0)
            #expect(expected == [25_000, 25_000, 25_000, 25_000])
        }
    }

    @Test("A reader that stops reading and leaves lets the producer go") func stuckReader() async throws {
        let stream = DevHttpStream(capacity: 10_000)
        try await withStream(stream) { server async throws in
            let port = server.port
            let pusher = Task {
                let piece = Data(count: 5000)
                while await stream.push(piece) {}
            }
            try await offPool {
                let client = try RawClient(port)
                try client.send("GET /sse HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.readHead()
                client.close()
            }
            await pusher.value
            #expect(stream.end == .clientLeft)
        }
    }
}
