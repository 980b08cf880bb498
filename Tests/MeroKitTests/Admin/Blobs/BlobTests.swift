import Foundation
import Testing

@testable import MeroKit

/// Blobs as streams: hashes, files, progress, and transfers that end too early. Spec: 20, section 5.6.
@Suite struct BlobTests {
    private static let samples: [(Data, content: String, id: String)] = [
        (
            Data(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ),
        (
            Data("hello blob\n".utf8), "a0639d03e7e77d7630dffce7bfe26d51813d4c799f13821e5b6786e2736baaed",
            "d3bcc1fc5433b745df9d3fa4d599dad03f2509c90b08c29cfcf522c074cd84fd"
        ),
        (
            Data(repeating: 0xab, count: 1 << 20), "074c29674e21baa420ee0eca0d85b9283b0cfb3ac912da2098f6b3a7f8d6678f",
            "6e04aa1256e33a0e1f86e5728e4a5165dd9415591391ab761f1aeb6dd66c57e6"
        ),
        (
            Data(repeating: 0xab, count: (1 << 20) + 1),
            "5d1fd9a77ed0116b282c81f83ba4838c6b527c180691113daf9ce3756bd046c2",
            "0848bf843b5cad8d8ffc3dc70b1ae8fe330f414c931859c2c11963a31cdcf5a0"
        ),
    ]

    @Test func digests() async throws {
        let folder = try TemporaryFolder()
        for (content, hash, id) in Self.samples {
            let digest = BlobDigest(of: content)
            #expect(digest == BlobDigest(blobId: id, contentHash: hash, size: Int64(content.count)))
            try content.write(to: folder.file("blob"))
            #expect(try await BlobDigest(ofFile: folder.file("blob")) == digest)
        }
        // However the content is cut.
        var random = SeededRandom(7)
        let content = Data((0..<3_000_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        var hasher = BlobHasher()
        var rest = content[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 0...400_000, using: &random))
            piece.withUnsafeBytes { hasher.update($0) }
            rest = rest.dropFirst(piece.count)
        }
        #expect(hasher.finish() == BlobDigest(of: content))
        try content.write(to: folder.file("content"))
        #expect(try await BlobDigest(ofFile: folder.file("content")) == BlobDigest(of: content))
        #expect(try await BlobDigest.contentHash(ofFile: folder.file("content")) == BlobDigest(of: content).contentHash)
        let missing = await meroError { _ = try await BlobDigest(ofFile: folder.file("missing")) }
        guard case .network(let text) = missing else { return #expect(Bool(false), "\(String(describing: missing))") }
        #expect(text == "Cannot read the file missing")
    }

    /// A node that keeps one blob: takes it whole, checks its hash, hands it out.
    private final class BlobNode: Sendable {
        let server: ScriptedServer
        let content: Locked<Data>

        init(_ content: Data = Data(), headers: String = "", sent: Int? = nil) throws {
            let stored = Locked(content)
            self.content = stored
            server = try ScriptedServer { peer in
                while let request = try peer.readRequest() {
                    if request.method == "PUT" {
                        let digest = BlobDigest(of: request.body)
                        let hash = request.target.range(of: "hash=").map { request.target[$0.upperBound...].prefix(64) }
                        guard hash == nil || String(hash ?? "") == digest.contentHash else {
                            let error = #"{"error":"Failed to store blob: hash"}"#
                            try peer.send(
                                "HTTP/1.1 500 Internal Server Error\r\nContent-Length: \(error.utf8.count)\r\n\r\n\(error)"
                            )
                            continue
                        }
                        stored.withLock { $0 = request.body }
                        let answer = #"{"data":{"blob_id":"\#(digest.blobId)","size":\#(digest.size)}}"#
                        try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
                        continue
                    }
                    let body = stored.withLock { $0 }
                    try peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(headers)\r\n")
                    if request.method == "HEAD" { continue }
                    try peer.send(body.prefix(sent ?? body.count))
                    if sent != nil { return }
                }
            }
        }

        func admin(_ engine: EngineUnderTest) throws -> AdminApi {
            let url = URL(string: server.url) ?? URL(fileURLWithPath: "/")
            return AdminApi(
                http: URLSessionHttpClient(baseURL: url, timeout: 30, engine: try engine.make(), retryPolicy: .never))
        }
    }

    private static func noise(_ count: Int) -> Data {
        var random = SeededRandom(UInt64(count))
        return (0..<count / 8).map { _ in random.next() }.withUnsafeBytes { Data($0) }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func filesGoUpAndComeDown(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let content = Self.noise(5 << 20)
        try content.write(to: folder.file("up"))
        let digest = BlobDigest(of: content)
        let node = try BlobNode(headers: "X-Blob-Hash: \(digest.contentHash)\r\nX-Blob-Source: local\r\n")
        let admin = try node.admin(engine)
        let (up, down) = (Locked<[TransferProgress]>([]), Locked<[TransferProgress]>([]))
        let stored = try await admin.uploadBlob(file: folder.file("up"), contextId: "c/0") { step in
            up.withLock { $0.append(step) }
        }
        #expect(stored.blobId == digest.blobId && stored.size == content.count)
        #expect(node.content.withLock { $0 } == content)
        let request = try #require(node.server.requests.first)
        #expect(request.target == "/admin-api/blobs?hash=\(digest.contentHash)&context_id=c%2F0")
        #expect(request.values("Content-Type") == ["application/octet-stream"])

        try Data("old".utf8).write(to: folder.file("down"))
        let info = try await admin.downloadBlob(stored.blobId, to: folder.file("down"), hash: digest.contentHash) {
            step in
            down.withLock { $0.append(step) }
        }
        #expect(info.hash == digest.contentHash && info.size == content.count && info.source == .local)
        #expect(try Data(contentsOf: folder.file("down")) == content)
        #expect(folder.contents.sorted() == ["down", "up"])
        for steps in [up.withLock { $0 }, down.withLock { $0 }] {
            #expect(steps.last == TransferProgress(completed: Int64(content.count), total: Int64(content.count)))
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.completed <= $1.completed })
        }
    }

    @Test(arguments: EngineUnderTest.allCases)
    func anInterruptedDownloadLeavesNothingAndStartsAnew(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let content = Self.noise(2 << 20)
        let cut = try BlobNode(content, sent: content.count / 2)
        let failed = await meroError { _ = try await cut.admin(engine).downloadBlob("b", to: folder.file("blob")) }
        guard case .network = failed else { return #expect(Bool(false), "\(String(describing: failed))") }
        #expect(folder.contents.isEmpty)
        try Data("old".utf8).write(to: folder.file("blob"))
        _ = await meroError { _ = try await cut.admin(engine).downloadBlob("b", to: folder.file("blob")) }
        #expect(try Data(contentsOf: folder.file("blob")) == Data("old".utf8))
        #expect(folder.contents == ["blob"])
        let whole = try BlobNode(content)
        _ = try await whole.admin(engine).downloadBlob("b", to: folder.file("blob"))
        #expect(try Data(contentsOf: folder.file("blob")) == content)
        #expect(folder.contents == ["blob"])
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aCancelledDownloadLeavesNothing(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let started = Locked(false)
        let server = try ScriptedServer { peer in
            guard try peer.readRequest() != nil else { return }
            try peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            try peer.send(Data(count: 100_000))
            started.withLock { $0 = true }
            while try peer.readRequest() != nil {}
        }
        let http = URLSessionHttpClient(
            baseURL: URL(string: server.url) ?? URL(fileURLWithPath: "/"), timeout: 60, engine: try engine.make())
        let task = Task { try await AdminApi(http: http).downloadBlob("b", to: folder.file("blob")) }
        try await eventually { started.withLock { $0 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(folder.contents.isEmpty)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func contentThatIsNotWhatItShouldBeIsAnError(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let wrong = String(repeating: "ab", count: 32)
        let lying = try BlobNode(Data("other".utf8), headers: "X-Blob-Hash: \(wrong)\r\n")
        let right = BlobDigest(of: Data("other".utf8)).contentHash
        let honest = try BlobNode(Data("other".utf8), headers: "X-Blob-Hash: \(right)\r\n")
        let old = try BlobNode(Data("other".utf8), headers: "X-Blob-Hash: 9sdfKQ\r\n")
        for work: () async throws -> Void in [
            { _ = try await lying.admin(engine).downloadBlob("b", to: folder.file("blob")) },
            { _ = try await lying.admin(engine).getBlob("b") },
            { _ = try await honest.admin(engine).downloadBlob("b", to: folder.file("blob"), hash: wrong) },
            { _ = try await old.admin(engine).downloadBlob("b", to: folder.file("blob"), hash: wrong) },
        ] {
            let error = await meroError(work)
            guard case .decoding(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(text.contains(wrong) && text.contains(right))
            #expect(folder.contents.isEmpty)
        }
        _ = try await honest.admin(engine).downloadBlob("b", to: folder.file("blob"), hash: right.uppercased())
        _ = try await old.admin(engine).downloadBlob("b", to: folder.file("blob"))
        #expect(try await honest.admin(engine).getBlob("b") == Data("other".utf8))
        #expect(try Data(contentsOf: folder.file("blob")) == Data("other".utf8))
    }

    @Test(arguments: EngineUnderTest.allCases)
    func whatCannotBeSentOrWrittenIsAnError(engine: EngineUnderTest) async throws {
        let folder = try TemporaryFolder()
        let node = try BlobNode(Data("x".utf8))
        let admin = try node.admin(engine)
        try Data("y".utf8).write(to: folder.file("up"))
        let refused = await meroError {
            _ = try await admin.uploadBlob(file: folder.file("up"), hash: String(repeating: "00", count: 32))
        }
        #expect(refused?.httpStatus == 500 && refused?.refusal?.message == "Failed to store blob: hash")
        let sent = node.server.requests.count
        // A hole of more than a node takes; no bytes of it are on the disk.
        let large = try FileHandle(forWritingTo: folder.file("up"))
        try large.truncate(atOffset: (1 << 30) + 1)
        try large.close()
        for (work, word): (() async throws -> Void, String) in [
            ({ _ = try await admin.uploadBlob(file: folder.file("missing")) }, "missing"),
            ({ _ = try await admin.uploadBlob(file: folder.url) }, folder.url.lastPathComponent),
            ({ _ = try await admin.uploadBlob(file: folder.file("up")) }, "1073741825"),
            ({ _ = try await admin.uploadBlob(file: folder.file("up"), limit: 1 << 20) }, "at most 1048576 bytes"),
        ] {
            let error = await meroError(work)
            guard case .network(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
            #expect(text.contains(word), "\(text)")
        }
        #expect(node.server.requests.count == sent)
        let nowhere = folder.file("no/such/folder/blob")
        let unwritable = await meroError { _ = try await admin.downloadBlob("b", to: nowhere) }
        guard case .network = unwritable else {
            return #expect(Bool(false), "\(String(describing: unwritable))")
        }
        let folderInTheWay = await meroError { _ = try await admin.downloadBlob("b", to: folder.url) }
        guard case .network = folderInTheWay else {
            return #expect(Bool(false), "\(String(describing: folderInTheWay))")
        }
    }

    @Test func headersMakeTheInfo() async throws {
        func info(_ headers: [String: String]) async throws -> GetBlobInfoResponseData {
            let engine = ScriptedEngine { _, _ in .status(200, headers) }
            return try await scriptedAdmin(engine).getBlobInfo("asked")
        }
        let peer = try await info(["x-blob-source": "peer", "x-blob-id": "b"])
        #expect(peer.blobId == "b" && peer.size == nil && peer.hash == nil && peer.source == .peer)
        let old = try await info(["content-length": "0"])
        #expect(old.blobId == "asked" && old.size == 0 && old.source == nil)
        let strange = try await info(["content-length": "many", "x-blob-source": "moon"])
        #expect(strange.size == nil && strange.source == nil)
    }

    @Test func aSmallBlobCanBeDiscoveredThroughAContext() async throws {
        let folder = try TemporaryFolder()
        let engine = ScriptedEngine { request, _ in
            if case .file(let url) = request.sink { try Data("x".utf8).write(to: url) }
            return .status(200, ["x-blob-source": "local"])
        }
        let info = try await scriptedAdmin(engine).downloadBlob("b", to: folder.file("blob"), contextId: "c")
        #expect(engine.requests.map(\.line) == ["GET /admin-api/blobs/b?context_id=c"])
        #expect(engine.requests.first?.inactivityTimeout == 60 && info.source == .local)
        _ = try await scriptedAdmin(engine).downloadBlob("b", to: folder.file("blob"))
        #expect(engine.requests.last?.inactivityTimeout == 10)
    }
}
