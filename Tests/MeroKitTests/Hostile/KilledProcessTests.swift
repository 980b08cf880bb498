#if os(Linux)
    import Foundation
    import MeroDevNode
    import Testing

    @testable import MeroKit

    /// Processes over one store that are killed, or stopped, at any moment.
    @Suite("Killed processes") struct KilledProcessTests {
        /// Starts the store probe over and over.
        private struct Probes {
            let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("merokit-store-probe")
            let arguments: [String]

            func start() throws -> Process {
                let process = Process()
                process.executableURL = executable
                process.arguments = arguments
                process.standardInput = FileHandle.nullDevice
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                return process
            }
        }

        /// Whatever moment a process is killed in, the store holds a whole session and the others go on.
        @Test func theStoreOutlivesWhoeverIsKilled() async throws {
            let node = try await DevNode.start()
            let context = try node.createContext(ProbeContract())
            let folder = try TemporaryFolder()
            let store = FileTokenStore(url: folder.file("tokens.json"))
            func signIn() throws {
                let tokens = node.mintTokens()
                try store.store(
                    TokenData(
                        accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                        expiresAt: Date(timeIntervalSinceNow: 1)))
            }
            try signIn()
            let probes = Probes(arguments: [
                node.url.absoluteString, folder.file("tokens.json").path, context, folder.file("stop").path,
            ])
            var running = try (0..<3).map { _ in try probes.start() }
            defer { for probe in running where probe.isRunning { kill(probe.processIdentifier, SIGKILL) } }
            let seed = UInt64.random(in: .min ... .max)
            print("killed processes: seed \(seed)")
            var random = SeededGenerator(seed: seed)
            for round in 0..<60 {
                let before = node.requestCount("POST", "/auth/refresh")
                try await eventually {
                    // Again and again: a refresh that was counted before may bring a token that is made only now.
                    node.expireAccessTokens()
                    return node.requestCount("POST", "/auth/refresh") > before
                        || !running.contains(where: \.isRunning)
                }
                usleep(UInt32.random(in: 0...2000, using: &random))
                let victim = Int.random(in: 0..<running.count, using: &random)
                kill(running[victim].processIdentifier, SIGKILL)
                running[victim].waitUntilExit()
                // Never half a session: either none, after a rotation that nobody got to write, or a whole one.
                if FileManager.default.fileExists(atPath: folder.file("tokens.json").path) {
                    #expect(store.getTokens() != nil, "round \(round)")
                }
                // Only the kill between the node's answer and the write costs the session.
                try await eventually {
                    let calls = node.requestCount("POST", "/jsonrpc")
                    usleep(2000)
                    return node.requestCount("POST", "/jsonrpc") > calls || !running.contains(where: \.isRunning)
                }
                if !running.contains(where: \.isRunning) || store.getTokens() == nil { try signIn() }
                for index in running.indices where !running[index].isRunning { running[index] = try probes.start() }
            }
            try Data().write(to: folder.file("stop"))
            try await eventually { !running.contains(where: \.isRunning) }
            // Temporary files of the killed are few, and only their owner's.
            for name in folder.contents where name.hasSuffix(".tmp") {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder.file(name).path)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            }
            await node.stop()
        }

        /// A process that holds the store's lock and never goes on, such as one in a debugger, does not hold up the others
        /// for ever.
        @Test func whoNeverGivesTheLockBackIsNotWaitedForForEver() async throws {
            let folder = try TemporaryFolder()
            let path = folder.file("tokens.json.lock").path
            let holder = Task {
                try await FileLock(path: path).withLock { try await Task.sleep(nanoseconds: 600_000_000_000) }
            }
            try await eventually {
                let descriptor = open(path, O_RDWR)
                defer { if descriptor >= 0 { close(descriptor) } }
                return descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) != 0
            }
            do {
                try await FileLock(path: path, patience: 0.1).withLock {}
                Issue.record("Two hold the lock")
            } catch let error as POSIXError {
                #expect(error.code == .ETIMEDOUT)
            }
            holder.cancel()
            _ = try? await holder.value
            try await FileLock(path: path, patience: 60).withLock {}
        }
    }
#endif
