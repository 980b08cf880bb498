#if canImport(CCurl)
    import Foundation
    import Testing

    @testable import MeroKit

    /// Files that an answer goes to or a body comes from, where the engine over libcurl does more than the common suite
    /// asks of all engines.
    @Suite struct CurlEngineFileTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

        @Test func anOlderFileStaysUntilThereIsAnAnswer() async throws {
            let folder = try TemporaryFolder()
            let file = folder.file("down")
            let old = Data("old".utf8)
            try old.write(to: file)
            let server = try ScriptedServer.answering { request in
                request.target == "/refused" ? "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno" : Self.ok
            }
            let engine = CurlEngine()
            let refused = try await engine.perform(EngineRequest(server.url + "/refused", sink: .file(file)))
            #expect(refused.status == 404)
            #expect(refused.body == Data("no".utf8))
            #expect(try Data(contentsOf: file) == old)
            let nowhere = await engineError {
                try await engine.perform(EngineRequest("http://127.0.0.1:1/", sink: .file(file)))
            }
            #expect(nowhere?.kind == .unreachable)
            #expect(try Data(contentsOf: file) == old)
            _ = try await engine.perform(EngineRequest(server.url, sink: .file(file)))
            #expect(try Data(contentsOf: file) == Data("ok".utf8))
        }

        /// Whoever can write to the folder cannot make the engine write somewhere else.
        @Test func aLinkIsReplacedAndNotFollowed() async throws {
            let folder = try TemporaryFolder()
            let target = folder.file("precious")
            try Data("precious".utf8).write(to: target)
            try FileManager.default.createSymbolicLink(at: folder.file("down"), withDestinationURL: target)
            let server = try ScriptedServer.answering { _ in Self.ok }
            _ = try await CurlEngine().perform(EngineRequest(server.url, sink: .file(folder.file("down"))))
            #expect(try Data(contentsOf: target) == Data("precious".utf8))
            #expect(try Data(contentsOf: folder.file("down")) == Data("ok".utf8))
        }

        @Test(arguments: [65_535, 65_536, 65_537, 5_000_000])
        func ofALongRefusalTheBeginningIsKept(count: Int) async throws {
            let folder = try TemporaryFolder()
            let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })
            let server = try ScriptedServer { peer in
                while try peer.readRequest() != nil {
                    try peer.send("HTTP/1.1 500 Internal Server Error\r\nContent-Length: \(count)\r\n\r\n")
                    try peer.send(body)
                }
            }
            let response = try await CurlEngine().perform(EngineRequest(server.url, sink: .file(folder.file("down"))))
            #expect(response.status == 500)
            #expect(response.body == body.prefix(65_536))
            #expect(folder.contents.isEmpty)
        }

        enum Change: String, CaseIterable, CustomTestStringConvertible {
            case shorter, longer, same
            var testDescription: String { rawValue }
        }

        @Test(arguments: Change.allCases)
        func aFileThatChangesItsSizeIsNotSent(change: Change) async throws {
            let folder = try TemporaryFolder()
            let file = folder.file("up")
            let size = 64 << 20
            try Data().write(to: file)
            #expect(truncate(file.path, size) == 0)
            let server = try ScriptedServer { peer in
                guard try peer.readHead() != nil else { return }
                // Nothing but the head is read yet, and the rest does not fit into the sockets between.
                let newSize = change == .shorter ? size / 2 : change == .longer ? size * 2 : size
                #expect(truncate(file.path, newSize) == 0)
                var left = size
                while left > 0, let bytes = peer.readSome() { left -= bytes.count }
                if left == 0 { try peer.send(Self.ok) }
            }
            let call = EngineRequest(server.url, method: "PUT", body: .file(file))
            if change == .same {
                #expect(try await CurlEngine().perform(call).status == 200)
            } else {
                let error = await engineError { try await CurlEngine().perform(call) }
                #expect(error?.kind == .file)
                #expect(error?.mayHaveReachedNode == true)
            }
        }

        @Test func aPipeIsNoFile() async throws {
            let folder = try TemporaryFolder()
            #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
            let server = try ScriptedServer.answering { _ in Self.ok }
            let error = await engineError {
                try await CurlEngine().perform(
                    EngineRequest(server.url, method: "POST", body: .file(folder.file("pipe"))))
            }
            #expect(error?.kind == .file)
            #expect(error?.mayHaveReachedNode == false)
            #expect(server.connections == 0)
        }

        /// libcurl's own repetition on a dead connection begins the file anew.
        @Test func aRepeatedUploadIsWhole() async throws {
            let folder = try TemporaryFolder()
            let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
            try bytes.write(to: folder.file("up"))
            let server = try ScriptedServer { peer in
                guard try peer.readRequest() != nil else { return }
                try peer.send(Self.ok)
                if peer.index == 0, try peer.readRequest() != nil { return }
                peer.waitForEnd()
            }
            let engine = CurlEngine()
            _ = try await engine.perform(EngineRequest(server.url + "/warm"))
            let response = try await engine.perform(
                EngineRequest(server.url + "/up", method: "PUT", body: .file(folder.file("up"))))
            #expect(response.status == 200)
            #expect(server.requests.map(\.target) == ["/warm", "/up", "/up"])
            #expect(server.requests.last?.body == bytes)
        }

        /// All reports come before the answer does, in order.
        @Test func reportsComeBeforeTheAnswer() async throws {
            let folder = try TemporaryFolder()
            let server = try ScriptedServer { peer in
                while try peer.readRequest() != nil {
                    try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                    try peer.send(Data(count: 1_000_000))
                }
            }
            let engine = CurlEngine()
            for _ in 0..<20 {
                let reports = Locked<[Int64]>([])
                var request = EngineRequest(server.url, sink: .file(folder.file("down")))
                request.downloadProgress = { progress in
                    usleep(500)
                    reports.withLock { $0.append(progress.completed) }
                }
                _ = try await engine.perform(request)
                let seen = reports.withLock { $0 }
                #expect(seen.last == 1_000_000)
                #expect(seen == seen.sorted())
            }
        }
    }
#endif
