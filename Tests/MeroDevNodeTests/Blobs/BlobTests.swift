import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct BlobTests {
    private func put(
        _ fixture: NodeFixture, _ data: Data, query: String = "", token: String? = nil
    ) async throws -> Answer {
        let bearer = token ?? fixture.token("blob:add:stream")
        return try await fixture.send(
            "PUT", "/admin-api/blobs" + query,
            headers: [("Authorization", "Bearer \(bearer)"), ("Content-Type", "application/octet-stream")], body: data)
    }

    /// Content, its hash and its id.
    private static func known(_ index: Int) -> (content: [UInt8], hash: String, id: String) {
        let repeated = [UInt8](repeating: 0xab, count: (1 << 20) + 1)
        switch index {
        case 0:
            let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            return ([], empty, empty)
        case 1:
            return (
                Array("hello blob\n".utf8), "a0639d03e7e77d7630dffce7bfe26d51813d4c799f13821e5b6786e2736baaed",
                "d3bcc1fc5433b745df9d3fa4d599dad03f2509c90b08c29cfcf522c074cd84fd"
            )
        case 2:
            return (
                repeated.dropLast(), "074c29674e21baa420ee0eca0d85b9283b0cfb3ac912da2098f6b3a7f8d6678f",
                "6e04aa1256e33a0e1f86e5728e4a5165dd9415591391ab761f1aeb6dd66c57e6"
            )
        default:
            return (
                repeated, "5d1fd9a77ed0116b282c81f83ba4838c6b527c180691113daf9ce3756bd046c2",
                "0848bf843b5cad8d8ffc3dc70b1ae8fe330f414c931859c2c11963a31cdcf5a0"
            )
        }
    }

    @Test(arguments: [0, 1, 2, 3])
    func theRoundOfABlob(index: Int) async throws {
        let (bytes, hash, id) = Self.known(index)
        let content = Data(bytes)
        #expect(try DevBlobs.id(of: content) == id)
        try await withNode { fixture async throws in
            let up = try await put(fixture, content, query: "?hash=\(hash)&context_id=\(SomeId.first)")
            #expect(up.status == 200)
            #expect(up.json == ["data": ["blob_id": .string(id), "size": JsonTree(bytes.count)]])
            #expect(
                try await fixture.admin("GET", "/blobs").json == [
                    "data": ["blobs": [["blob_id": .string(id), "size": JsonTree(bytes.count)]]]
                ])
            let head = try await fixture.admin("HEAD", "/blobs/\(id)")
            let down = try await fixture.admin("GET", "/blobs/\(id)")
            #expect(head.body.isEmpty)
            #expect(down.body == content)
            for answer in [head, down] {
                #expect(answer.status == 200)
                #expect(answer.headers["content-length"] == String(bytes.count))
                #expect(answer.headers["content-type"] == "application/octet-stream")
                #expect(answer.headers["etag"] == "\"\(hash)\"")
                #expect(answer.headers["cache-control"] == "private, no-cache")
                #expect(answer.headers["x-blob-id"] == id)
                #expect(answer.headers["x-blob-hash"] == hash)
                #expect(answer.headers["x-blob-mime-type"] == "application/octet-stream")
                #expect(answer.headers["x-blob-source"] == "local")
            }
            let target = "/blobs/\(id.uppercased())?context_id=\(SomeId.first)"
            #expect(try await fixture.admin("GET", target).body == content)
            let gone = try await fixture.admin("DELETE", "/blobs/\(id)")
            #expect(gone.json == ["blob_id": .string(id), "deleted": true])
            try await fixture.admin("DELETE", "/blobs/\(id)").expectError(404, "Blob not found")
            try await fixture.admin("GET", "/blobs/\(id)").expectError(404, "Blob not found locally or in network")
            let nothing = try await fixture.admin("HEAD", "/blobs/\(id)")
            #expect(nothing.status == 404)
            #expect(nothing.body.isEmpty)
        }
    }

    @Test func anUploadAgainIsHarmless() async throws {
        try await withNode { fixture async throws in
            let content = Data("again".utf8)
            let first = try await put(fixture, content)
            #expect(try await put(fixture, content).json == first.json)
            #expect(fixture.node.blobs.ids.count == 1)
            let id = try #require(first.data?["blob_id"]?.stringValue)
            // Each upload holds on to it.
            #expect(try await fixture.admin("DELETE", "/blobs/\(id)").status == 200)
            #expect(fixture.node.blobs.data(id) == content)
            #expect(try await fixture.admin("DELETE", "/blobs/\(id)").status == 200)
            #expect(fixture.node.blobs.ids.isEmpty)
        }
    }

    @Test func anotherHashThanExpected() async throws {
        try await withNode { fixture async throws in
            for content in [Data("x".utf8), Data(count: 3 << 20)] {
                let answer = try await put(fixture, content, query: "?hash=\(SomeId.first)")
                answer.expectError(500)
                #expect(answer.error?.hasPrefix("Failed to store blob: ") == true)
            }
            #expect(fixture.node.blobs.ids.isEmpty)
            for query in ["?hash=", "?hash=zz", "?hash=11111111111111111111111111111111", "?context_id=x", "?hash"] {
                try await put(fixture, Data("x".utf8), query: query).expectError(400)
            }
            for query in ["?context_id=x", "?context_id="] {
                try await fixture.admin("GET", "/blobs/\(SomeId.first)\(query)").expectError(400)
            }
        }
    }

    @Test func theLimitIsCountedWhileItStreams() async throws {
        try await withNode(.with { $0.blobLimit = 5000 }) { fixture async throws in
            #expect(try await put(fixture, Data(count: 5000)).status == 200)
            let answer = try await put(fixture, Data(count: 5001))
            answer.expectError(500)
            #expect(answer.error?.hasPrefix("Failed to store blob: ") == true)
            #expect(fixture.node.blobs.ids.count == 1)
            let port = fixture.node.port
            let token = fixture.token("blob:add:stream")
            let chunked = try await offPool {
                let client = try RawClient(port)
                try client.send(
                    "PUT /admin-api/blobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                        + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
                for _ in 0..<6 { try client.send("3e8\r\n" + String(repeating: "x", count: 1000) + "\r\n") }
                try client.send("0\r\n\r\n")
                return try client.readResponse().status
            }
            #expect(chunked == 500)
            // Nobody's upload is refused as nobody's.
            let stranger = try await fixture.send("PUT", "/admin-api/blobs", body: Data(count: 6000))
            #expect(stranger.status == 401)
            #expect(try await put(fixture, Data(count: 10), token: fixture.token("blob:get")).status == 403)
        }
    }

    /// What is larger than any buffer goes to a file and comes from one.
    @Test func aLargeBlobIsStreamedThrough() async throws {
        try await withFolder { folder in
            try await withNode(.with { $0.dataDirectory = folder }) { fixture async throws in
                let size = 48 << 20
                var content = Data(count: size)
                for index in stride(from: 0, to: size, by: 4096) {
                    content[index] = UInt8(truncatingIfNeeded: index >> 12)
                }
                let up = try await put(fixture, content)
                #expect(up.data?["size"] == JsonTree(size))
                let id = try #require(up.data?["blob_id"]?.stringValue)
                #expect(id == (try DevBlobs.id(of: content)))
                #expect(try await fixture.admin("GET", "/blobs/\(id)").body == content)
                let folderContent = try FileManager.default.contentsOfDirectory(
                    atPath: folder.appendingPathComponent("blobs").path)
                #expect(folderContent == [id])
                let mode =
                    try FileManager.default.attributesOfItem(
                        atPath: folder.appendingPathComponent("blobs/\(id)").path)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }
    }

    @Test(arguments: [
        ("\u{0}asm\u{1}\u{0}\u{0}\u{0}", "application/wasm"), ("%PDF-1.7", "application/pdf"),
        ("PK\u{3}\u{4}", "application/zip"), ("GIF89a", "image/gif"), ("<html>", "text/html"),
        ("plain words", "application/octet-stream"),
    ])
    func contentIsSniffed(content: String, type: String) async throws {
        try await withNode { fixture async throws in
            let id = try fixture.node.blobs.put(Data(content.utf8))
            let head = try await fixture.admin("HEAD", "/blobs/\(id)")
            #expect(head.headers["content-type"] == type)
            #expect(head.headers["x-blob-mime-type"] == type)
        }
    }

    // MARK: - Peers

    @Test(arguments: [true, false])
    func aPeersBlobIsFoundInItsContextOnly(tellsSize: Bool) async throws {
        try await withNode { fixture async throws in
            let content = Data("from afar".utf8)
            let id = try fixture.node.blobs.offerFromPeer(content, context: SomeId.first, tellsSize: tellsSize)
            for query in ["", "?context_id=\(SomeId.second)"] {
                #expect(try await fixture.admin("HEAD", "/blobs/\(id)\(query)").status == 404)
                try await fixture.admin("GET", "/blobs/\(id)\(query)").expectError(
                    404, "Blob not found locally or in network")
            }
            let head = try await fixture.admin("HEAD", "/blobs/\(id)?context_id=\(SomeId.first)")
            #expect(head.status == 200)
            #expect(head.headers["x-blob-source"] == "peer")
            #expect(head.headers["x-blob-id"] == id)
            #expect(head.headers["content-length"] == (tellsSize ? String(content.count) : nil))
            for name in ["etag", "content-type", "x-blob-hash", "x-blob-mime-type"] {
                #expect(head.headers[name] == nil, "\(name)")
            }
            #expect(fixture.node.blobs.ids.isEmpty)
            let down = try await fixture.admin("GET", "/blobs/\(id)?context_id=\(SomeId.first)")
            #expect(down.body == content)
            #expect(down.headers["x-blob-source"] == "local")
            #expect(fixture.node.blobs.ids == [id])
            #expect(try await fixture.admin("GET", "/blobs/\(id)").body == content)
        }
    }

    @Test func aPeerThatLiesIsNotBelieved() async throws {
        try await withNode { fixture async throws in
            let store = fixture.node.core.blobs
            store.offer(
                BlobStore.PeerBlob(size: 3) { try Data("lie".utf8).write(to: $0) }, id: SomeId.first,
                context: SomeId.second)
            try await fixture.admin("GET", "/blobs/\(SomeId.first)?context_id=\(SomeId.second)").expectError(404)
            #expect(fixture.node.blobs.ids.isEmpty)
        }
    }

    @Test func anAccountSeesWhatItsGroupsReach() async throws {
        try await withNode(.with { $0.delegatedAccess = true }) { fixture async throws in
            let node = fixture.node
            let ada = try DevAccount()
            let hers = try node.createNamespace(members: [ada.accountId: .member])
            let other = try node.createNamespace()
            let context = try node.createContext(KeyValueContract(), inGroup: hers)
            let hidden = try node.createContext(KeyValueContract(), inGroup: other)
            let visible = try node.blobs.put(Data("a".utf8), context: context)
            try node.blobs.put(Data("b".utf8), context: hidden)
            try node.blobs.put(Data("c".utf8))
            let token = try await fixture.accountToken(ada)
            let seen = try await fixture.admin("GET", "/blobs", token: token)
            #expect(seen.status == 200)
            #expect(
                (seen.data?["blobs"]?.arrayValue ?? []).compactMap { $0["blob_id"]?.stringValue } == [visible])
            #expect(try await fixture.admin("GET", "/blobs").data?["blobs"]?.arrayValue?.count == 3)
        }
    }

    // MARK: - Faults

    @Test func aDownloadMayBeCutAndSlowed() async throws {
        try await withNode { fixture async throws in
            let id = try fixture.node.blobs.put(Data(count: 100_000))
            fixture.node.inject(.cutMidBody(after: 1000), on: "GET /admin-api/blobs/*")
            let cut = try await fixture.admin("GET", "/blobs/\(id)")
            #expect(cut.body.count == 1000)
            fixture.node.inject(.slowBody(chunk: 50_000, interval: 0.01), on: "GET /admin-api/blobs/*")
            #expect(try await fixture.admin("GET", "/blobs/\(id)").body.count == 100_000)
        }
    }

    @Test func anUploadThatWasCutAfterTheHandlerIsThere() async throws {
        try await withNode { fixture async throws in
            fixture.node.inject(.cutAfterHandler, on: "PUT /admin-api/blobs")
            await #expect(throws: (any Error).self) { try await put(fixture, Data("kept".utf8)) }
            let node = fixture.node
            #expect(await eventually { node.blobs.ids.count == 1 })
            fixture.node.inject(.cutBeforeHandler, on: "PUT /admin-api/blobs")
            await #expect(throws: (any Error).self) { try await put(fixture, Data("lost".utf8)) }
            #expect(node.handlerRuns("PUT", "/admin-api/blobs") == 1)
            #expect(node.blobs.ids.count == 1)
        }
    }
}
