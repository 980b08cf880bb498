import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

@Suite("mero blob", .serialized)
struct BlobCommandTests {
    /// 5 MiB and a bit that look the same in every run.
    private static let content: Data = {
        var generator = SeededGenerator(5)
        return Data((0..<(5 << 20) / 8 + 3).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } })
    }()

    private static func with(_ body: (Workbench, _ file: URL, BlobDigest) async throws -> Void) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let file = bench.folder.file("photo.jpg")
            try content.write(to: file)
            try await body(bench, file, BlobDigest(of: content))
        }
    }

    @Test("some MiB up and down")
    func transfer() async throws {
        try await Self.with { bench, file, digest in
            let local = try await bench.mero("blob", "id", file.path, "--json")
            #expect(local.document?["blobId"] == .string(digest.blobId))
            #expect(bench.node.requestCount("PUT", "/admin-api/blobs") == 0)

            let put = try await bench.mero("blob", "put", file.path)
            #expect(put.output == digest.blobId + "\n", "\(put.errors)")
            // Nobody looks on: no bar.
            #expect(put.errors.isEmpty)
            #expect(bench.node.blobs.data(digest.blobId) == Self.content)
            let again = try await bench.mero("blob", "put", file.path, "--hash", digest.contentHash, "--json")
            #expect(again.document?["hash"] == .string(digest.contentHash), "\(again.errors)")

            let listed = try await bench.mero("blob", "list", "--json").document?["blobs"]?.arrayValue
            #expect(listed?.contains { $0["blobId"] == .string(digest.blobId) } == true)
            #expect(try await bench.mero("blob", "list").output.contains("5.0 MiB"))
            let shown = try await bench.mero("blob", "show", digest.blobId)
            #expect(shown.output.contains(digest.contentHash) && shown.output.contains("this node"))

            let copy = bench.folder.file("copy.jpg")
            let got = try await bench.mero("blob", "get", digest.blobId, copy.path, "--json")
            #expect(got.document?["size"]?.intValue == Self.content.count, "\(got.errors)")
            #expect(try Data(contentsOf: copy) == Self.content)

            let refused = try await bench.mero("blob", "delete", digest.blobId)
            #expect(refused.status == ExitCode.usage.rawValue)
            // It was put twice, and each of them counts.
            for _ in 0..<2 {
                let deleted = try await bench.mero("blob", "delete", digest.blobId, "--yes", "--json")
                #expect(deleted.document?["deleted"] == true, "\(deleted.errors)")
            }
            let gone = try await bench.mero("blob", "show", digest.blobId, "--json")
            #expect(gone.status == ExitCode.refused.rawValue && gone.error?["status"]?.intValue == 404)
        }
    }

    @Test("another hash than asked for: nothing is sent, nothing is replaced")
    func mismatch() async throws {
        try await Self.with { bench, file, digest in
            let other = String(repeating: "0", count: 64)
            let put = try await bench.mero("blob", "put", file.path, "--hash", other)
            #expect(put.status == ExitCode.usage.rawValue && put.errors.contains(digest.contentHash))
            #expect(bench.node.requestCount("PUT", "/admin-api/blobs") == 0)

            let blob = try bench.node.blobs.put(Self.content)
            let copy = bench.folder.file("copy.jpg")
            try Data("precious".utf8).write(to: copy)
            let got = try await bench.mero("blob", "get", blob, copy.path, "--hash", other, "--yes", "--json")
            #expect(got.status == ExitCode.unexpectedAnswer.rawValue, "\(got.errors)")
            #expect(got.error?["message"]?.stringValue?.contains(digest.contentHash) == true)
            #expect(try Data(contentsOf: copy) == Data("precious".utf8))
            let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.url.path)
            #expect(!names.contains { $0.hasPrefix(".blob-") })

            let form = try await bench.mero("blob", "get", blob, copy.path, "--hash", "abc")
            #expect(form.status == ExitCode.usage.rawValue && form.errors.contains("--hash"))
        }
    }

    @Test("files that cannot be read, written or replaced")
    func files() async throws {
        try await Self.with { bench, file, _ in
            for path in [bench.folder.file("missing").path, bench.folder.url.path] {
                let put = try await bench.mero("blob", "put", path)
                #expect(put.status == ExitCode.localFile.rawValue && put.isOneErrorLine, "\(put.errors)")
            }
            let blob = try bench.node.blobs.put(Data("hello blob\n".utf8))
            let nowhere = try await bench.mero("blob", "get", blob, bench.folder.file("no/such/folder").path)
            #expect(nowhere.status == ExitCode.localFile.rawValue && nowhere.isOneErrorLine)
            let unasked = try await bench.mero("blob", "get", blob, file.path)
            #expect(unasked.status == ExitCode.usage.rawValue && unasked.errors.contains("--yes"))
            #expect(try Data(contentsOf: file) == Self.content)
            let replaced = try await bench.mero("blob", "get", blob, file.path, "--yes")
            #expect(replaced.status == 0, "\(replaced.errors)")
            #expect(try Data(contentsOf: file) == Data("hello blob\n".utf8))
        }
    }

    @Test("a blob that a member of the context has")
    func peers() async throws {
        try await Self.with { bench, _, _ in
            let content = Data("hello blob\n".utf8)
            let blob = try bench.node.blobs.offerFromPeer(content, context: bench.store)
            let file = bench.folder.file("hello")
            let missing = try await bench.mero("blob", "get", blob, file.path, "--json")
            #expect(missing.error?["status"]?.intValue == 404)
            let there = try await bench.mero("blob", "show", blob, "--context", bench.store, "--json")
            #expect(there.document?["source"] == "peer", "\(there.errors)")
            let got = try await bench.mero("blob", "get", blob, file.path, "--context", bench.store)
            #expect(got.status == 0, "\(got.errors)")
            #expect(try Data(contentsOf: file) == content)
        }
    }

    #if os(Linux)

        @Test("a bar on the terminal, gone afterwards; a question, answered")
        func terminal() async throws {
            try await Self.with { bench, file, digest in
                let terminal = try PseudoTerminal()
                let keep = try terminal.open()
                let script = "exec \(Program.mero) blob put '\(file.path)' 2> \(terminal.name)"
                let put = try await Program("/bin/sh", ["-c", script]).run(
                    environment: ["XDG_CONFIG_HOME": bench.folder.file("config").path], in: bench.folder)
                #expect(put.output == digest.blobId + "\n", "\(put.errors)")
                let shown = terminal.shown()
                #expect(shown.contains("\r\u{1B}[Kphoto.jpg  ["), "\(shown)")
                #expect(shown.contains(" of 5.0 MiB") && shown.hasSuffix("\r\u{1B}[K"), "\(shown)")

                for (answer, isDeleted) in [("n", false), ("y", true)] {
                    let stem = UUID().uuidString
                    let running = try RunningProgram(
                        Program(Program.mero, ["blob", "delete", digest.blobId]), input: terminal.open(),
                        output: bench.folder.file("\(stem).out"), errors: bench.folder.file("\(stem).err"),
                        environment: ["XDG_CONFIG_HOME": bench.folder.file("config").path], home: bench.folder)
                    #expect(try await eventually { running.errorsSoFar.contains("[y/N]") })
                    #expect(bench.node.blobs.ids.contains(digest.blobId))
                    terminal.type(answer + "\n")
                    let outcome = await running.outcome()
                    #expect(outcome.status == (isDeleted ? 0 : ExitCode.usage.rawValue), "\(outcome.errors)")
                    #expect(bench.node.blobs.ids.contains(digest.blobId) != isDeleted)
                }
                try keep.close()
            }
        }

    #endif
}
