import Foundation
import MeroDevNode
import MeroKit
import Testing

@Suite("DevHttpServer: requests and answers") struct DevHttpServerTests {
    @Test("A request arrives as sent, the answer goes back as given") func exactRequest() async throws {
        let seen = Locked<DevHttpRequest?>(nil)
        try await withServer { request in
            seen.withLock { $0 = request }
            return DevHttpResponse(
                status: 418, headers: [("X-One", "1"), ("X-Two", "a b"), ("Content-Length", "999")],
                body: .bytes(Data("tea".utf8)))
        } _: { server async throws in
            let port = server.port
            let answer = try await offPool {
                let client = try RawClient(port)
                try client.send(
                    "PUT /a%2Fb/%e2%82%AC/../c?x=1%20+2&flag&y=%zz&x=%C3%A9 HTTP/1.1\r\nHost: h\r\nX-Multi: one\r\n"
                        + "x-multi: two\r\nCookie: a=1\r\nCookie: b=2\r\nContent-Length: 4\r\n\r\nbody")
                return try client.readResponse()
            }
            #expect(answer.status == 418)
            #expect(answer.headers["x-one"] == "1")
            #expect(answer.headers["x-two"] == "a b")
            #expect(answer.headers["content-length"] == "3")
            #expect(answer.text == "tea")
            let request = try #require(seen.withLock { $0 })
            #expect(request.method == "PUT")
            #expect(request.path == "/a%2Fb/%e2%82%AC/../c")
            #expect(request.rawTarget == "/a%2Fb/%e2%82%AC/../c?x=1%20+2&flag&y=%zz&x=%C3%A9")
            #expect(request.query.map(\.0) == ["x", "flag", "y", "x"])
            #expect(request.query.map(\.1) == ["1  2", nil, "%zz", "é"])
            #expect(request.headers["x-multi"] == "one, two")
            #expect(request.headers["cookie"] == "a=1; b=2")
            #expect(request.body == Data("body".utf8))
            #expect(request.bodyLength == 4)
            #expect(request.bodyFile == nil)
            #expect(request.peer.hasPrefix("127.0.0.1:"))
        }
    }

    @Test("HEAD: the headers of GET, no body, the connection stays usable") func head() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data(repeating: 7, count: 5000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await withServer { request in
            switch request.path {
            case "/file": return DevHttpResponse(status: 200, body: .file(file, length: 5000))
            case "/declared": return DevHttpResponse(status: 200, headers: [("Content-Length", "3000000000")])
            default: return await echo(request)
            }
        } _: { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                for (target, length) in [("/file", "5000"), ("/declared", "3000000000"), ("/x", "8")] {
                    try client.send("HEAD \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                    let answer = try client.readResponse(isHead: true)
                    #expect(answer.status == 200)
                    #expect(answer.headers["content-length"] == length)
                }
                #expect(try client.get("/after").text == "GET /after ")
            }
            #expect(server.acceptedConnections == 1)
        }
    }

    @Test("Keep-alive and pipelining: answers in order on one connection") func pipelining() async throws {
        try await withServer { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                for index in 0..<20 { #expect(try client.get("/\(index)").text == "GET /\(index) ") }
                var batch = ""
                for index in 0..<50 {
                    batch += "POST /p\(index) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n\(10 + index)"
                }
                try client.send(batch)
                for index in 0..<50 { #expect(try client.readResponse().text == "POST /p\(index) \(10 + index)") }
            }
            #expect(server.acceptedConnections == 1)
            #expect(server.requests.count == 70)
            #expect(Set(server.requests.map(\.peer)).count == 1)
            #expect(server.requests.map(\.number) == Array(0..<70))
        }
    }

    @Test("A client that closes its sending side still gets its answer, late as it may be") func halfClosed()
        async throws
    {
        try await withServer { server async throws in
            server.inject(.delay(0.05), on: "/late")
            let port = server.port
            for target in ["/now", "/late"] {
                let answer = try await offPool {
                    let client = try RawClient(port)
                    try client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                    client.closeSending()
                    return try client.readResponse()
                }
                #expect(answer.text == "GET \(target) ")
            }
        }
    }

    @Test("HTTP/1.0 and Connection: close end the connection after the answer") func oneShot() async throws {
        try await withServer { server async throws in
            let port = server.port
            for head in ["GET /x HTTP/1.0\r\n\r\n", "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"] {
                try await offPool {
                    let client = try RawClient(port)
                    try client.send(head)
                    #expect(try client.readResponse().text == "GET /x ")
                    #expect(try client.readToEnd().isEmpty)
                }
            }
        }
    }

    @Test("200 concurrent requests, each waiting for all the others") func concurrency() async throws {
        let arrived = Locked(0)
        try await withServer { request in
            arrived.withLock { $0 += 1 }
            while arrived.withLock({ $0 }) < 200, !Task.isCancelled { try? await Task.sleep(nanoseconds: 1_000_000) }
            return await echo(request)
        } _: { server async throws in
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<200 { group.addTask { try await post(server, "/c/\(index)", "b\(index)").text } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(texts == Set((0..<200).map { "POST /c/\($0) b\($0)" }))
            #expect(server.requestCount(DevRouteMatch("POST", "/c/*")) == 200)
            #expect(server.handlerRuns("POST", "/c/7") == 1)
            #expect(server.acceptedConnections == 200)
        }
    }

    @Test("1,500 connections at once are served") func manyConnections() async throws {
        try await withServer { server async throws in
            let port = server.port
            try await offPool {
                let clients = try (0..<1500).map { _ in try RawClient(port) }
                for (index, client) in clients.enumerated() {
                    try client.send("GET /\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                }
                for (index, client) in clients.enumerated() {
                    #expect(try client.readResponse().text == "GET /\(index) ")
                }
            }
            #expect(server.acceptedConnections == 1500)
            #expect(await eventually { server.openConnections == 0 })
        }
    }

    @Test(
        "Whatever comes over the wire, the next request is served",
        arguments: [
            "\r\n\r\n\r\n\r\n", "GARBAGE\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n",
            "GET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nno chunk\r\n0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n: no name\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 100_000) + "\r\n\r\n",
            "GET /" + String(repeating: "a", count: 100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "X: y\r\n", count: 20_000) + "\r\n",
        ]) func garbage(_ bytes: String) async throws
    {
        try await withServer { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                // The server may have hung up before it has all of it.
                try? client.send(bytes)
                client.close()
            }
            #expect(try await get(server, "/next").text == "GET /next ")
        }
    }

    @Test("Headers of 20 KiB fit") func largeHeaders() async throws {
        let seen = Locked("")
        try await withServer { request in
            seen.withLock { $0 = request.headers["x-large"] ?? "" }
            return DevHttpResponse(status: 204)
        } _: { server async throws in
            let port = server.port
            let value = String(repeating: "v", count: 20 << 10)
            let status = try await offPool {
                let client = try RawClient(port)
                try client.send("GET / HTTP/1.1\r\nHost: x\r\nX-Large: \(value)\r\n\r\n")
                return try client.readResponse().status
            }
            #expect(status == 204)
            #expect(seen.withLock { $0 } == value)
        }
    }

    @Test("What a handler cannot mean becomes a 500") func impossibleAnswers() async throws {
        try await withServer { request in
            switch request.path {
            case "/status": return DevHttpResponse(status: 7)
            case "/header": return DevHttpResponse(status: 200, headers: [("X", "a\r\nb")])
            default: return DevHttpResponse(status: 200, body: .file(URL(fileURLWithPath: "/nonexistent/x"), length: 5))
            }
        } _: { server async throws in
            for path in ["/status", "/header", "/file"] { #expect(try await get(server, path).status == 500) }
            #expect(server.requests.map(\.status) == [500, 500, 500])
        }
    }

    @Test("Files: whole, from an offset, and unlinked once the handler is done") func files() async throws {
        let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try await withServer { request in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try? content.write(to: file)
            if request.path == "/all" { return DevHttpResponse(status: 200, body: .file(file, length: 300_000)) }
            return DevHttpResponse(status: 206, body: .file(file, offset: 1000, length: 200_000))
        } _: { server async throws in
            #expect(try await get(server, "/all").body == content)
            #expect(try await get(server, "/part").body == content[1000..<201_000])
        }
    }
}
