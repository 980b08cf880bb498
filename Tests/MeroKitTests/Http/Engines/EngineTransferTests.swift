import Foundation
import Testing

@testable import MeroKit

/// Bodies that are large or lie in files, the limits on them, and the progress told about them.
@Suite("Engine transfers") struct EngineTransferTests {
    /// 20 MiB of numbered blocks of noise, so that a lost or swapped one shows.
    private static let large: Data = {
        var random = SeededRandom(1)
        let noise = (0..<8192).map { _ in random.next() }.withUnsafeBytes { Data($0) }
        return (0..<UInt64(320)).reduce(into: Data()) { data, number in
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
            data.append(noise.dropFirst(8))
        }
    }()

    /// Answers every request with its own body.
    private func echo() throws -> ScriptedServer {
        try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n")
                try peer.send(request.body)
            }
        }
    }

    /// Answers every request with these bytes.
    private func sending(_ body: Data, status: String = "200 OK") throws -> ScriptedServer {
        try ScriptedServer { peer in
            while try peer.readRequest() != nil {
                try peer.send("HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\n\r\n")
                try peer.send(body)
            }
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func largeBodiesBothWays(engine: EngineUnderTest) async throws {
        let server = try echo()
        let response = try await engine.make().perform(
            EngineRequest(server.url, method: "POST", body: .bytes(Self.large)))
        #expect(response.body == Self.large)
    }

    @Test(arguments: EngineUnderTest.allCases, ["POST", "PUT"])
    func filesBothWays(engine: EngineUnderTest, method: String) async throws {
        let folder = try TemporaryFolder()
        let server = try echo()
        try Self.large.write(to: folder.file("up"))
        let sent = Locked<[TransferProgress]>([])
        let received = Locked<[TransferProgress]>([])
        var request = EngineRequest(
            server.url, method: method, headers: [("Content-Type", "application/octet-stream")],
            body: .file(folder.file("up")), sink: .file(folder.file("down")))
        request.uploadProgress = { progress in sent.withLock { $0.append(progress) } }
        request.downloadProgress = { progress in received.withLock { $0.append(progress) } }
        let response = try await engine.make().perform(request)
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(try Data(contentsOf: folder.file("down")) == Self.large)
        #expect(server.requests.first?.values("Content-Type") == ["application/octet-stream"])
        if engine.announcesFileSizes {
            #expect(server.requests.first?.values("Content-Length") == ["\(Self.large.count)"])
        }
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("down").path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)

        for steps in [sent.withLock({ $0 }), received.withLock({ $0 })] {
            #expect(steps.count > 1)
            #expect(steps.allSatisfy { $0.total == nil || $0.total == Int64(Self.large.count) })
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.completed <= $1.completed })
            let size = Int64(Self.large.count)
            #expect(steps.last == TransferProgress(completed: size, total: size))
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func emptyFilesBothWays(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let server = try echo()
        try Data().write(to: folder.file("up"))
        let response = try await engine.make().perform(
            EngineRequest(
                server.url, method: "POST", headers: [("Content-Type", "text/plain")], body: .file(folder.file("up")),
                sink: .file(folder.file("down"))))
        #expect(response.status == 200)
        #expect(try Data(contentsOf: folder.file("down")) == Data())
        #expect(server.requests.first?.body == Data())
    }

    @Test(arguments: EngineUnderTest.allCases)
    func progressOfBodiesInMemory(engine: EngineUnderTest) async throws {
        let server = try echo()
        let sent = Locked<[TransferProgress]>([])
        let received = Locked<[TransferProgress]>([])
        let body = Self.large.prefix(1 << 20)
        var request = EngineRequest(server.url, method: "POST", body: .bytes(Data(body)))
        request.uploadProgress = { progress in sent.withLock { $0.append(progress) } }
        request.downloadProgress = { progress in received.withLock { $0.append(progress) } }
        _ = try await engine.make().perform(request)
        for steps in [sent.withLock({ $0 }), received.withLock({ $0 })] {
            #expect(steps.last == TransferProgress(completed: Int64(body.count), total: Int64(body.count)))
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func progressWithoutAKnownLength(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        }
        let received = Locked<[TransferProgress]>([])
        var request = EngineRequest(server.url)
        request.downloadProgress = { progress in received.withLock { $0.append(progress) } }
        _ = try await engine.make().perform(request)
        let steps = received.withLock { $0 }
        #expect(steps.last?.completed == 5)
        // At the end the length is known after all, and may be told.
        #expect(steps.allSatisfy { $0.total == nil || $0.total == 5 && $0.completed == 5 })
    }

    @Test(arguments: EngineUnderTest.allCases)
    func limitIsInclusive(engine: EngineUnderTest) async throws {
        let server = try sending(Data(count: 1000))
        let engine = try engine.make()
        let response = try await engine.perform(EngineRequest(server.url, sink: .memory(limit: 1000)))
        #expect(response.body.count == 1000)
        let error = await engineError {
            try await engine.perform(EngineRequest(server.url, sink: .memory(limit: 999)))
        }
        #expect(error?.kind == .tooLarge)
        #expect(error?.mayHaveReachedNode == true)
        #expect(error?.message.contains("999") == true)
    }

    /// A node that never ends its answer: the call ends at the limit, and so does the connection.
    ///
    /// The node sends 64 MiB and then holds the connection: Foundation on Linux goes on reading while its delegate waits
    /// for a turn, so what a node sends without a pause would fill the memory of a busy machine.
    @Test(arguments: EngineUnderTest.allCases)
    func limitStopsAnEndlessAnswer(engine: EngineUnderTest) async throws {
        let ended = Locked(false)
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            try peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Data("10000\r\n".utf8) + Data(count: 0x10000) + Data("\r\n".utf8)
            do {
                for _ in 0..<1024 { try peer.send(chunk) }
                while try peer.readRequest() != nil {}
            } catch {}
            ended.withLock { $0 = true }
        }
        let engine = try engine.make()
        let error = await engineError {
            try await engine.perform(EngineRequest(server.url, sink: .memory(limit: 1 << 20)))
        }
        #expect(error?.kind == .tooLarge)
        try await eventually { ended.withLock { $0 } }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func limitCountsUnpackedBytes(engine: EngineUnderTest) async throws {
        // A mebibyte of zeros, zipped to about a kilobyte.
        let zipped = try #require(Data(base64Encoded: Self.zippedZeros))
        let server = try ScriptedServer { peer in
            while try peer.readRequest() != nil {
                try peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(zipped.count)\r\n\r\n")
                try peer.send(zipped)
            }
        }
        let engine = try engine.make()
        let whole = try await engine.perform(EngineRequest(server.url, sink: .memory(limit: 1 << 20)))
        #expect(whole.body == Data(count: 1 << 20))
        let error = await engineError {
            try await engine.perform(EngineRequest(server.url, sink: .memory(limit: 500_000)))
        }
        #expect(error?.kind == .tooLarge)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func theLengthOfAHeadAnswerIsNoBody(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n" }
        let response = try await engine.make().perform(
            EngineRequest(server.url, method: "HEAD", sink: .memory(limit: 100)))
        #expect(response.headers["content-length"] == "5000000")
        #expect(response.body.isEmpty)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func refusedDownloadLeavesNoFile(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let body = Self.large.prefix(200_000)
        let server = try sending(Data(body), status: "404 Not Found")
        let response = try await engine.make().perform(EngineRequest(server.url, sink: .file(folder.file("down"))))
        #expect(response.status == 404)
        #expect(response.body == Data(body.prefix(65_536)))
        #expect(folder.contents == [])
    }

    @Test(arguments: EngineUnderTest.allCases)
    func cutDownloadLeavesNoFile(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            try peer.send(Data(count: 500_000))
        }
        let engine = try engine.make()
        let error = await engineError {
            try await engine.perform(EngineRequest(server.url, sink: .file(folder.file("down"))))
        }
        #expect(error?.kind == .connectionLost)
        #expect(folder.contents == [])
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aSinkThatCannotBeWrittenIsAFileError(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let server = try sending(Data(count: 100))
        let engine = try engine.make()
        let error = await engineError {
            try await engine.perform(EngineRequest(server.url, sink: .file(folder.file("missing/down"))))
        }
        #expect(error?.kind == .file)
    }

    @Test(arguments: EngineUnderTest.allCases, ["missing", "folder"])
    func aBodyThatCannotBeReadIsAFileError(engine: EngineUnderTest, name: String) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: false)
        let server = try echo()
        let engine = try engine.make()
        let error = await engineError {
            try await engine.perform(EngineRequest(server.url, method: "POST", body: .file(folder.file(name))))
        }
        #expect(error?.kind == .file)
        #expect(error?.mayHaveReachedNode == false)
        #expect(server.connections == 0)
    }

    private static let zippedZeros =
        "H4sIAAAAAAACA+3BMQEAAADCoPVPbQhfo" + String(repeating: "A", count: 1355) + "PgMc6jinAAAQAA=="
}
