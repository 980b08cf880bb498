#if os(Linux)
    import Foundation
    import MeroKit
    import Testing

    @testable import mero

    /// Blobs larger than what may be held of them: client and node are processes of their own, and the system tells how much
    /// memory each of them ever had.
    @Suite("Large blobs", .serialized)
    struct LargeBlobTests {
        private static let size = 320 << 20
        private static let most = 128 << 20

        /// The most that was ever resident, in bytes; 0 for a process that is gone.
        private static func peak(of process: Int32) -> Int {
            let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            return (Int(line.filter(\.isNumber)) ?? 0) << 10
        }

        private static func watched(_ program: RunningProgram) async -> (outcome: Program.Outcome, peak: Int) {
            let highest = Locked(0)
            let watch = Task {
                while !program.hasEnded {
                    let now = peak(of: program.id)
                    highest.withLock { $0 = max($0, now) }
                    try await Task.sleep(nanoseconds: 5_000_000)
                }
            }
            let outcome = await program.outcome()
            watch.cancel()
            return (outcome, highest.withLock { $0 })
        }

        private static let isSanitized = ProcessInfo.processInfo.environment["MEROKIT_SANITIZED"] != nil

        @Test("neither the client nor the node ever holds a blob")
        func memory() async throws {
            let folder = try TemporaryFolder()
            let environment = ["XDG_CONFIG_HOME": folder.file("config").path]
            let words = ["dev", "--port", "0", "--json", "--data", folder.file("node").path, "--blob-limit", "320"]
            let dev = try Program(Program.mero, words).start(in: folder)
            #expect(try await eventually { dev.outputSoFar.contains("\n") })
            let ready = try JSONValue(jsonBytes: Array(dev.outputSoFar.utf8))
            let url = try #require(ready["url"]?.stringValue)
            let login = try await Program(Program.mero, ["login", "--node", url, "--user", "dev", "--password-stdin"])
                .run(input: "dev-password", environment: environment, in: folder)
            #expect(login.status == 0, "\(login.errors)")
            // Its end differs from its beginning, so that a piece in the wrong place is seen.
            let source = folder.file("source")
            _ = FileManager.default.createFile(atPath: source.path, contents: nil)
            let handle = try FileHandle(forWritingTo: source)
            try handle.truncate(atOffset: UInt64(Self.size) - 5)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("ended".utf8))
            try handle.close()
            func mero(_ words: String...) async throws -> (outcome: Program.Outcome, peak: Int) {
                await Self.watched(try Program(Program.mero, words).start(environment: environment, in: folder))
            }
            let put = try await mero("blob", "put", source.path, "--limit", "320")
            #expect(put.outcome.status == 0, "\(put.outcome.errors)")
            let digest = try await BlobDigest(ofFile: source)
            #expect(put.outcome.output == digest.blobId + "\n")
            let copy = folder.file("copy")
            let get = try await mero("blob", "get", digest.blobId, copy.path)
            #expect(get.outcome.status == 0, "\(get.outcome.errors)")
            #expect(try await BlobDigest(ofFile: copy) == digest)
            let node = Self.peak(of: dev.id)
            for (name, peak) in [("put", put.peak), ("get", get.peak), ("node", node)] {
                // Memory that was freed is kept for a while by the runtime of the address sanitizer.
                #expect(
                    peak > 0 && (peak < Self.most || Self.isSanitized),
                    "\(name): \(peak >> 20) MiB of \(Self.size >> 20)")
            }
            let peaks = [put.peak, get.peak, node].map { $0 >> 20 }
            print("\(Self.size >> 20) MiB: put \(peaks[0]), get \(peaks[1]), node \(peaks[2]) MiB resident")
            // One byte more than the node takes, which only it can know.
            let larger = try FileHandle(forWritingTo: source)
            try larger.truncate(atOffset: UInt64(Self.size) + 1)
            try larger.close()
            let refused = try await mero("blob", "put", source.path, "--limit", "321", "--retry", "never", "--json")
            #expect(refused.outcome.error?["status"]?.intValue == 500, "\(refused.outcome.errors)")
            dev.send(SIGINT)
            #expect(await dev.outcome().status == 0)
        }
    }
#endif
