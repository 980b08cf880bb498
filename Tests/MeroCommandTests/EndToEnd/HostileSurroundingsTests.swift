import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

/// What a shell, a disk or a person can put in the way of a command.
@Suite("Surroundings that are not as they should be", .serialized)
struct HostileSurroundingsTests {
    @Test("what is no file is not read, and not replaced", arguments: ["fifo", "device", "link", "folder"])
    func noFile(kind: String) async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let path = bench.folder.file("odd").path
            let target = bench.folder.file("target")
            try Data("precious".utf8).write(to: target)
            switch kind {
            case "fifo": #expect(mkfifo(path, 0o600) == 0)
            case "device": #expect(symlink("/dev/zero", path) == 0)
            case "link": #expect(symlink(target.path, path) == 0)
            default: #expect(mkdir(path, 0o700) == 0)
            }
            var before = stat()
            #expect(lstat(path, &before) == 0)
            if kind != "link" {
                for verb in ["put", "id"] {
                    let put = try await bench.mero("blob", verb, path)
                    #expect(put.status == ExitCode.localFile.rawValue && put.isOneErrorLine, "\(put.errors)")
                }
                await #expect(throws: MeroError.self) { try await BlobDigest(ofFile: URL(fileURLWithPath: path)) }
            }
            let blob = try bench.node.blobs.put(Data("hello blob\n".utf8))
            let get = try await bench.mero("blob", "get", blob, path, "--yes")
            #expect(get.status == ExitCode.localFile.rawValue && get.isOneErrorLine, "\(get.errors)")

            let mero = Mero(config: MeroConfig(baseURL: bench.node.url))
            try await mero.authenticate(Credentials(username: Workbench.user, password: Workbench.password))
            let file = URL(fileURLWithPath: path)
            await #expect(throws: MeroError.self) { try await mero.admin.downloadBlob(blob, to: file) }
            await #expect(throws: MeroError.self) {
                _ = try await mero.http.download(HttpRequest(path: "/admin-api/blobs/\(blob)"), to: file)
            }
            var after = stat()
            #expect(lstat(path, &after) == 0 && after.st_ino == before.st_ino)
            #expect(try Data(contentsOf: target) == Data("precious".utf8))
        }
    }

    @Test("a file that is too large is refused before it is read")
    func tooLarge() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let file = bench.folder.file("large")
            try Data().write(to: file)
            // Without a byte on the disk.
            #expect(truncate(file.path, 1 << 40) == 0)
            let put = try await bench.mero("blob", "put", file.path)
            #expect(put.status == ExitCode.usage.rawValue && put.isOneErrorLine, "\(put.errors)")
            #expect(bench.node.requestCount("PUT", "/admin-api/blobs") == 0)
        }
    }

    @Test("closed streams: nothing lands in a file, and an answer that nobody gets is no success")
    func closedStreams() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let tokens = try Data(contentsOf: bench.tokensFile)
            for (closing, status) in [(">&-", ExitCode.brokenPipe.rawValue), ("2>&-", 0), ("<&-", 0)] {
                let script = "\"$0\" \"$@\" \(closing)"
                for words in [["call", bench.store, "entries"], ["whoami"], ["account", "new", "--replace"]] {
                    let outcome = try await Program("/bin/sh", ["-c", script, Program.mero] + words).run(
                        environment: ["XDG_CONFIG_HOME": bench.folder.file("config").path], in: bench.folder)
                    #expect(outcome.status == status, "\(words) \(closing): \(outcome.errors)")
                }
            }
            #expect(try Data(contentsOf: bench.tokensFile) == tokens)
            let config = bench.folder.file("config")
            for name in try FileManager.default.subpathsOfDirectory(atPath: config.path) {
                let content = try? Data(contentsOf: config.appendingPathComponent(name))
                // Every file of the profile is JSON, and nothing was written behind it.
                guard name.hasSuffix(".json"), let content else { continue }
                #expect((try? JSONValue(jsonBytes: Array(content))) != nil, "\(name)")
            }
        }
    }

    @Test(
        "a password in an address is not shown",
        arguments: [
            "http://u:TOPSECRET@h", "http://u:TOP/SECRET@h", "http://TOPSECRET@h", "u:TOPSECRET@h",
            "http://u:TOPSECRET@h?x",
            "http://u:TOPSECRET@h:99999999", "ftp://u:TOPSECRET@h", "http://u:TOPSECRET@@h",
        ])
    func password(address: String) async throws {
        let folder = try TemporaryFolder()
        for words in [
            ["whoami"], ["whoami", "--json"], ["login"], ["demo", "--node", address], ["doctor"],
            ["whoami", "--node", address], ["whoami", "--node=\(address)", "--json"],
            ["relay", "describe", "--relay", address], ["app", "available", "x", "--registry", address],
        ] {
            var tool = InProcess()
            tool.variables = [
                "XDG_CONFIG_HOME": folder.url.path, "MERO_NODE": address, "MERO_RELAY": address,
            ]
            _ = await Tool(root: CommandTable.root, surroundings: tool.surroundings).run(words)
            let told = tool.output.text + tool.errors.text
            #expect(!told.contains("SECRET"), "\(words): \(told)")
        }
    }

    @Test("a logout that is interrupted does not say that it is done")
    func interruptedLogout() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            let stall = bench.node.inject(.stall, on: "POST /auth/logout", times: nil)
            let running = try bench.start(["logout"])
            #expect(try await eventually { stall.hits > 0 })
            running.send(SIGINT)
            let outcome = await running.outcome()
            stall.remove()
            #expect(outcome.status == ExitCode.interrupted.rawValue, "\(outcome.errors)")
            #expect(!outcome.output.contains("Signed out"))
            #expect(outcome.errors.contains("may not have heard"))
        }
    }
}
