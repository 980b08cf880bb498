import Foundation
import MeroDevNode
import MeroKit
import Testing

@Suite("DevHttpServer: large bodies") struct ServerUploadTests {
    private static func unlimited(spool: URL? = nil) -> DevServerOptions {
        var options = DevServerOptions()
        options.bodyLimit = { _ in nil }
        options.spoolDirectory = spool
        return options
    }

    private func folder() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }

    private static func piece(_ index: Int) -> Data {
        // A length prime to every buffer size, so that a lost or doubled buffer cannot go unseen.
        let pattern = Data((0..<251).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) })
        var piece = Data(capacity: 1 << 20)
        while piece.count + pattern.count <= 1 << 20 { piece.append(pattern) }
        piece.append(pattern.prefix((1 << 20) - piece.count))
        return piece
    }

    @Test("64 MiB are spooled to a private file, byte for byte, and removed") func spooled() async throws {
        let spool = try folder()
        defer { try? FileManager.default.removeItem(at: spool) }
        let seen = Locked<(path: String, mode: Int, intact: Bool)?>(nil)
        try await withServer(options: Self.unlimited(spool: spool)) { request in
            guard let file = request.bodyFile, let handle = try? FileHandle(forReadingFrom: file) else {
                return DevHttpResponse(status: 500)
            }
            let mode = try? FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            var intact = request.bodyLength == 64 << 20 && request.body.isEmpty
            for index in 0..<64 where (try? handle.read(upToCount: 1 << 20)) != Self.piece(index) { intact = false }
            seen.withLock { [intact] in $0 = (file.path, mode ?? 0, intact) }
            return DevHttpResponse(status: 200, body: .file(file, length: request.bodyLength))
        } _: { server async throws in
            let port = server.port
            let isSame = try await offPool {
                let client = try RawClient(port)
                try client.send("PUT /blob HTTP/1.1\r\nHost: x\r\nContent-Length: \(64 << 20)\r\n\r\n")
                for index in 0..<64 { try client.send(Self.piece(index)) }
                let answer = try client.readHead()
                guard answer.status == 200, answer.headers["content-length"] == "\(64 << 20)" else { return false }
                for index in 0..<64 where try client.read(count: 1 << 20) != Self.piece(index) { return false }
                return true
            }
            #expect(isSame)
            let found = try #require(seen.withLock { $0 })
            #expect(found.path.hasPrefix(spool.path))
            #expect(found.mode == 0o600)
            #expect(found.intact)
            #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path).isEmpty)
            let record = try #require(server.requests.first)
            #expect(record.bodyLength == 64 << 20)
            #expect(record.body == Self.piece(0).prefix(64 << 10))
        }
    }

    @Test("A chunked upload is the same; a handler may keep the file by renaming it") func chunkedAndKept() async throws
    {
        let spool = try folder()
        defer { try? FileManager.default.removeItem(at: spool) }
        let kept = spool.appendingPathComponent("kept")
        try await withServer(options: Self.unlimited(spool: spool)) { request in
            if let file = request.bodyFile { try? FileManager.default.moveItem(at: file, to: kept) }
            return DevHttpResponse(status: 204)
        } _: { server async throws in
            let port = server.port
            let status = try await offPool {
                let client = try RawClient(port)
                try client.send("PUT /blob HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
                for index in 0..<5 {
                    try client.send("100000\r\n")
                    try client.send(Self.piece(index))
                    try client.send("\r\n")
                }
                try client.send("0\r\n\r\n")
                return try client.readResponse().status
            }
            #expect(status == 204)
        }
        #expect(try Data(contentsOf: kept) == (0..<5).map(Self.piece).reduce(Data(), +))
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path) == ["kept"])
    }

    @Test("The threshold: at it the body is in memory, above it in a file") func threshold() async throws {
        var options = Self.unlimited()
        options.bodySpoolThreshold = 10_000
        try await withServer(options: options) { request in
            let file = request.bodyFile.flatMap { try? Data(contentsOf: $0) }
            let text = "\(request.body.count) \(file?.count ?? -1) \(request.bodyLength)"
            return DevHttpResponse(status: 200, body: .bytes(Data(text.utf8)))
        } _: { server async throws in
            let exact = String(repeating: "a", count: 10_000)
            #expect(try await post(server, "/x", exact).text == "10000 -1 10000")
            #expect(try await post(server, "/x", exact + "b").text == "0 10001 10001")
        }
    }

    @Test("Above the limit: drained, 413, the connection stays usable", arguments: [false, true])
    func tooLarge(chunked: Bool) async throws {
        let spool = try folder()
        defer { try? FileManager.default.removeItem(at: spool) }
        var options = DevServerOptions()
        options.spoolDirectory = spool
        options.bodyLimit = { $0.path == "/small" ? 1000 : nil }
        options.bodyTooLarge = { request in
            DevHttpResponse(status: 413, body: .bytes(Data("\(request.path) got \(request.bodyLength)".utf8)))
        }
        try await withServer(options: options) { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                #expect(try client.post("/small", String(repeating: "a", count: 1000)).status == 200)
                let framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(8 << 20)"
                try client.send("POST /small HTTP/1.1\r\nHost: x\r\n\(framing)\r\n\r\n")
                for index in 0..<8 {
                    if chunked { try client.send("100000\r\n") }
                    try client.send(Self.piece(index))
                    if chunked { try client.send("\r\n") }
                }
                if chunked { try client.send("0\r\n\r\n") }
                let answer = try client.readResponse()
                #expect(answer.status == 413)
                #expect(answer.text == "/small got \(8 << 20)")
                #expect(try client.get("/next").status == 200)
            }
            #expect(server.handlerRuns("POST", "/small") == 1)
            #expect(server.requests.map(\.status) == [200, 413, 200])
            #expect(server.acceptedConnections == 1)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path).isEmpty)
    }

    @Test("The default limit is 2 MiB") func defaultLimit() async throws {
        try await withServer { server async throws in
            #expect(try await post(server, "/x", String(repeating: "a", count: 2 << 20)).status == 200)
            let answer = try await post(server, "/x", String(repeating: "a", count: (2 << 20) + 1))
            #expect(answer.status == 413)
            #expect(answer.text == "Failed to buffer the request body: length limit exceeded")
        }
    }

    @Test("A client that leaves mid-upload is recorded as incomplete and leaves no file") func abandoned() async throws
    {
        let spool = try folder()
        defer { try? FileManager.default.removeItem(at: spool) }
        try await withServer(options: Self.unlimited(spool: spool)) { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                try client.send("PUT /blob HTTP/1.1\r\nHost: x\r\nContent-Length: 90000000\r\n\r\n")
                for index in 0..<5 { try client.send(Self.piece(index)) }
                client.close()
            }
            #expect(await eventually { server.requests.count == 1 })
            let record = try #require(server.requests.first)
            #expect(!record.isComplete)
            #expect(record.status == nil)
            #expect(record.bodyLength == 5 << 20)
            #expect(server.handlerRuns(.any) == 0)
            let path = spool.path
            #expect(await eventually { (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) == true })
        }
    }

    @Test(
        "A client that leaves is noticed wherever it stopped",
        arguments: [
            "", "PUT /bl", "PUT /blob HTTP/1.1\r\nHo", "PUT /blob HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n",
            "PUT /blob HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n123",
            "PUT /blob HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
            "PUT /blob HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n",
        ]) func abandonedAnywhere(_ start: String) async throws
    {
        try await withServer { server async throws in
            let port = server.port
            try await offPool {
                // Many, because whether a close comes together with the last bytes is a matter of luck.
                for _ in 0..<50 {
                    let client = try RawClient(port)
                    if !start.isEmpty { try client.send(start) }
                    client.close()
                }
            }
            #expect(await eventually { server.acceptedConnections == 50 && server.openConnections == 0 })
            #expect(server.handlerRuns(.any) == 0)
            #expect(server.requests.allSatisfy { !$0.isComplete })
            #expect(server.requests.count == (start.contains("\r\n\r\n") ? 50 : 0))
        }
    }

    @Test("Stop in the middle of an upload") func stopMidUpload() async throws {
        let spool = try folder()
        defer { try? FileManager.default.removeItem(at: spool) }
        let server = DevHttpServer(options: Self.unlimited(spool: spool), handler: echo)
        try await server.start()
        let port = server.port
        let path = spool.path
        let upload = Task {
            try await offPool {
                let client = try RawClient(port)
                try client.send("PUT /blob HTTP/1.1\r\nHost: x\r\nContent-Length: 9000000000\r\n\r\n")
                let piece = Self.piece(1)
                while true { try client.send(piece) }
            }
        }
        #expect(await eventually { (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) == false })
        await server.stop()
        await #expect(throws: RawClient.Failure.self) { try await upload.value }
        #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path).isEmpty)
    }

    @Test("A spool folder that cannot be written gives 500, drained") func spoolFails() async throws {
        let nowhere = URL(fileURLWithPath: "/nonexistent/folder")
        try await withServer(options: Self.unlimited(spool: nowhere)) { server async throws in
            let answer = try await post(server, "/x", String(repeating: "a", count: 5 << 20))
            #expect(answer.status == 500)
            #expect(server.handlerRuns(.any) == 0)
        }
    }

    @Test("Expect: 100-continue is answered") func expectContinue() async throws {
        try await withServer { server async throws in
            let port = server.port
            try await offPool {
                let client = try RawClient(port)
                try client.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
                #expect(try client.readHead().status == 100)
                try client.send("ok")
                #expect(try client.readResponse().text == "POST /e ok")
            }
        }
    }
}
