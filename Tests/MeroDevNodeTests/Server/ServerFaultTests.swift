import Foundation
import MeroDevNode
import MeroKit
import Testing

@Suite("DevHttpServer: faults") struct ServerFaultTests {
    @Test("delay: late, then normal") func delay() async throws {
        try await withServer { server async throws in
            let handle = server.inject(.delay(0.2), on: "GET /x")
            let start = Date()
            #expect(try await get(server, "/x").text == "GET /x ")
            #expect(Date().timeIntervalSince(start) >= 0.2)
            #expect(handle.hits == 1)
            #expect(handle.remaining == 0)
            #expect(server.handlerRuns("GET", "/x") == 1)
        }
    }

    @Test("stall: no answer, and the server notices the client leave") func stall() async throws {
        try await withServer { server async throws in
            let handle = server.inject(.stall, on: .any)
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                try client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
                while handle.hits == 0 { usleep(500) }
                client.close()
            }
            #expect(await eventually { server.openConnections == 0 })
            #expect(server.handlerRuns("GET", "/x") == 0)
            #expect(server.requests.map(\.status) == [nil])
            #expect(try await get(server, "/x").status == 200)
        }
    }

    @Test("stall: stopping the server ends it") func stallStop() async throws {
        let server = DevHttpServer(handler: echo)
        try await server.start()
        let handle = server.inject(.stall, on: .any, times: nil)
        let drops = (0..<20).map { _ in Task { try await getUntilDropped(server, "/x") } }
        #expect(await eventually { handle.hits == 20 })
        await server.stop()
        for drop in drops { #expect(try await drop.value.isEmpty) }
        #expect(server.openConnections == 0)
    }

    @Test("cutBeforeHandler: no answer, the handler never runs") func cutBefore() async throws {
        try await withServer { server async throws in
            server.inject(.cutBeforeHandler, on: "POST /jsonrpc")
            await #expect(throws: RawClient.Failure.self) { try await post(server, "/jsonrpc", "{}") }
            #expect(server.handlerRuns("POST", "/jsonrpc") == 0)
            #expect(server.requestCount("POST", "/jsonrpc") == 1)
            #expect(server.requests.first?.status == nil)
            #expect(server.requests.first?.body == Data("{}".utf8))
            #expect(try await post(server, "/jsonrpc", "{}").status == 200)
        }
    }

    @Test("cutAfterHandler: the handler ran, no answer") func cutAfter() async throws {
        let runs = Locked(0)
        try await withServer { request in
            runs.withLock { $0 += 1 }
            return await echo(request)
        } _: { server async throws in
            server.inject(.cutAfterHandler, on: "/x")
            #expect(try await getUntilDropped(server, "/x").isEmpty)
            #expect(runs.withLock { $0 } == 1)
            #expect(server.handlerRuns("GET", "/x") == 1)
            #expect(server.requests.map(\.status) == [nil])
        }
    }

    @Test("cutAfterHandler on a reused connection") func cutReused() async throws {
        try await withServer { server async throws in
            server.inject(.cutAfterHandler, on: "/second")
            let port = server.port
            let rest = try await offPool {
                let client = try RawClient(port)
                #expect(try client.get("/first").status == 200)
                try client.send("GET /second HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.readToEnd()
            }
            #expect(rest.isEmpty)
            #expect(server.handlerRuns(.any) == 2)
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test("cutMidBody: head and so many bytes", arguments: [(0, 0), (5, 5), (99_999, 99_999), (100_000, 99_999)])
    func cutMidBody(_ after: Int, _ expected: Int) async throws {
        let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try await withServer { _ in
            DevHttpResponse(status: 200, body: .bytes(body))
        } _: { server async throws in
            server.inject(.cutMidBody(after: after), on: .any)
            let answer = try await get(server, "/x")
            #expect(answer.status == 200)
            #expect(answer.headers["content-length"] == "100000")
            #expect(answer.body == body.prefix(expected))
            #expect(!answer.isComplete)
            #expect(server.requests.map(\.status) == [nil])
            #expect(server.handlerRuns("GET", "/x") == 1)
            #expect(try await get(server, "/x").isComplete)
        }
    }

    @Test("cutMidBody: files, streams and empty bodies") func cutOtherBodies() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(repeating: 3, count: 50_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stream = DevHttpStream()
        await stream.push(Data("event one, event two".utf8))
        try await withServer { request in
            switch request.path {
            case "/file": return DevHttpResponse(status: 200, body: .file(file, length: 50_000))
            case "/stream": return DevHttpResponse(status: 200, body: .stream(stream))
            default: return DevHttpResponse(status: 204)
            }
        } _: { server async throws in
            server.inject(.cutMidBody(after: 20_000), on: "/file")
            server.inject(.cutMidBody(after: 9), on: "/stream")
            server.inject(.cutMidBody(after: 9), on: "/empty")
            let cutFile = try await get(server, "/file")
            #expect(cutFile.body.count == 20_000 && !cutFile.isComplete)
            let cutStream = try await get(server, "/stream")
            #expect(cutStream.text == "event one" && !cutStream.isComplete)
            #expect(await stream.waitForEnd() == .clientLeft)
            #expect(try await getUntilDropped(server, "/empty").isEmpty)
        }
    }

    @Test("slowBody: trickles and still arrives whole", arguments: ["/bytes", "/file", "/stream"])
    func slowBody(_ path: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let content = Data("0123456789abcdefghij".utf8)
        try content.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withServer { request in
            switch request.path {
            case "/bytes": return DevHttpResponse(status: 200, body: .bytes(content))
            case "/file": return DevHttpResponse(status: 200, body: .file(file, length: 20))
            default:
                let stream = DevHttpStream()
                await stream.push(content)
                stream.finish()
                return DevHttpResponse(status: 200, body: .stream(stream))
            }
        } _: { server async throws in
            server.inject(.slowBody(chunk: 6, interval: 0.05), on: .any)
            let start = Date()
            let answer = try await get(server, path)
            #expect(answer.body == content)
            #expect(answer.isComplete)
            #expect(Date().timeIntervalSince(start) >= 0.15)
            #expect(server.requests.map(\.status) == [200])
        }
    }

    @Test("slowBody: stopping does not wait for it") func slowBodyStop() async throws {
        let server = DevHttpServer { _ in DevHttpResponse(status: 200, body: .bytes(Data(count: 1000))) }
        try await server.start()
        server.inject(.slowBody(chunk: 1, interval: 60), on: .any)
        let answer = Task { try await get(server, "/x") }
        #expect(await eventually { server.requests.first?.status == 200 })
        let start = Date()
        await server.stop()
        #expect(Date().timeIntervalSince(start) < 5)
        #expect((try? await answer.value)?.isComplete != true)
    }

    @Test("status: answer without handler, Retry-After and headers included") func status() async throws {
        try await withServer { server async throws in
            server.inject(
                .status(429, retryAfter: "7", body: Data("slow down".utf8), headers: ["X-Why": "test"]), on: "/x",
                times: 2)
            for _ in 0..<2 {
                let answer = try await get(server, "/x")
                #expect(answer.status == 429)
                #expect(answer.headers["retry-after"] == "7")
                #expect(answer.headers["x-why"] == "test")
                #expect(answer.text == "slow down")
            }
            #expect(server.handlerRuns("GET", "/x") == 0)
            #expect(try await get(server, "/x").status == 200)
            #expect(server.requests.map(\.status) == [429, 429, 200])
        }
    }

    @Test("answer: these bytes, whatever they are") func answer() async throws {
        try await withServer { server async throws in
            let bytes = Data([0xFF, 0, 0x7B, 0x22])
            server.inject(.answer(bytes, contentType: "application/x-odd"), on: .any)
            let answer = try await get(server, "/x")
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/x-odd")
            #expect(answer.body == bytes)
            #expect(server.handlerRuns(.any) == 0)
        }
    }

    @Test("tokenExpired and revokeFamily reach the handler as hints") func hints() async throws {
        let hints = Locked<[DevFaultHint?]>([])
        try await withServer { request in
            hints.withLock { $0.append(request.faultHint) }
            return DevHttpResponse(status: 401, handlerRan: request.faultHint == nil)
        } _: { server async throws in
            server.inject(.tokenExpired, on: .any)
            server.inject(.revokeFamily, on: .any)
            for _ in 0..<3 { _ = try await get(server, "/x") }
            #expect(hints.withLock { $0 } == [.tokenExpired, .revokeFamily, nil])
            #expect(server.handlerRuns("GET", "/x") == 1)
        }
    }

    @Test("Several faults read as a script; delay and slowBody combine with what follows") func script() async throws {
        try await withServer { server async throws in
            server.inject(.status(503), on: "/x")
            server.inject(.delay(0.1), on: "/x")
            server.inject(.slowBody(chunk: 3, interval: 0.05), on: "/x")
            server.inject(.status(500, body: Data("123456".utf8)), on: "/x")
            server.inject(.cutBeforeHandler, on: "/x")
            #expect(try await get(server, "/x").status == 503)
            let start = Date()
            let second = try await get(server, "/x")
            #expect(second.status == 500 && second.text == "123456")
            #expect(Date().timeIntervalSince(start) >= 0.15)
            #expect(try await getUntilDropped(server, "/x").isEmpty)
            #expect(try await get(server, "/x").status == 200)
        }
    }

    @Test("times nil lasts until removed, by handle or all at once") func removal() async throws {
        try await withServer { server async throws in
            let handle = server.inject(.status(503), on: "/x", times: nil)
            for _ in 0..<5 { #expect(try await get(server, "/x").status == 503) }
            #expect(try await get(server, "/y").status == 200)
            #expect(handle.hits == 5)
            #expect(handle.remaining == nil)
            handle.remove()
            #expect(try await get(server, "/x").status == 200)
            server.inject(.status(500), on: "/x", times: nil)
            server.inject(.status(502), on: "/y", times: 3)
            server.removeFaults()
            #expect(try await get(server, "/x").status == 200)
            #expect(try await get(server, "/y").status == 200)
        }
    }

    @Test("A fault for n requests strikes exactly n of many at once") func exactTimes() async throws {
        try await withServer { server async throws in
            server.inject(.status(503), on: "/n/*", times: 30)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in 0..<100 { group.addTask { try await get(server, "/n/\(index)").status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 503 }.count == 30)
            #expect(statuses.filter { $0 == 200 }.count == 70)
            #expect(server.handlerRuns(DevRouteMatch("GET", "/n/*")) == 70)
        }
    }
}
