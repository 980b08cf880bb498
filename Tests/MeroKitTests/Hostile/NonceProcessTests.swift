#if os(Linux)
    import Foundation
    import Testing

    @testable import MeroKit

    /// Processes that draw from one nonce store, some of them killed. Spec: 60, section 4.2.
    @Suite("Nonces across processes") struct NonceProcessTests {
        private struct Probes {
            let folder: TemporaryFolder
            let executable = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appendingPathComponent("merokit-nonce-probe")

            var nonces: URL { folder.file("nonces") }

            func start(_ name: String, count: Int) throws -> Process {
                let process = Process()
                process.executableURL = executable
                process.arguments = [nonces.path, "https://relay.example", output(name).path, String(count)]
                process.standardInput = FileHandle.nullDevice
                try process.run()
                return process
            }

            func output(_ name: String) -> URL { folder.file("\(name).txt") }

            func numbers(_ name: String) -> [UInt64] {
                let text = (try? String(contentsOf: output(name), encoding: .utf8)) ?? ""
                return text.split(separator: "\n").compactMap { UInt64($0) }
            }
        }

        @Test func eightProcessesShareTenThousandNumbers() async throws {
            let probes = Probes(folder: try TemporaryFolder())
            let running = try (0..<8).map { try probes.start("p\($0)", count: 1250) }
            defer { for process in running where process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            try await eventually(within: 300) { !running.contains(where: \.isRunning) }
            #expect(running.allSatisfy { $0.terminationStatus == 0 })
            let numbers = (0..<8).map { probes.numbers("p\($0)") }
            for sequence in numbers { #expect(sequence == sequence.sorted() && sequence.count == 1250) }
            #expect(numbers.flatMap { $0 }.sorted() == Array(1...10_000))
        }

        /// Whatever moment a process is killed in, no number comes twice, and a gap costs nothing.
        @Test func killsCostNumbersAndRepeatNone() async throws {
            let probes = Probes(folder: try TemporaryFolder())
            let seed = UInt64.random(in: .min ... .max)
            print("nonces across processes: seed \(seed)")
            var random = SeededGenerator(seed: seed)
            var started = 4
            var running = try (0..<started).map { try probes.start("k\($0)", count: 0) }
            defer { for process in running where process.isRunning { kill(process.processIdentifier, SIGKILL) } }
            for _ in 0..<60 {
                let victim = Int.random(in: 0..<running.count, using: &random)
                let name = "k\(started)"
                usleep(UInt32.random(in: 0...15_000, using: &random))
                kill(running[victim].processIdentifier, SIGKILL)
                running[victim].waitUntilExit()
                running[victim] = try probes.start(name, count: 0)
                started += 1
            }
            // The last ones get to draw, too: nothing was left locked or broken.
            let last = "k\(started - 1)"
            try await eventually(within: 120) { probes.numbers(last).count > 3 }
            for process in running { kill(process.processIdentifier, SIGKILL) }
            for process in running { process.waitUntilExit() }
            let all = (0..<started).flatMap { probes.numbers("k\($0)") }
            #expect(all.count > 100)
            #expect(Set(all).count == all.count)
            let next = FileWarrantNonceStore(directory: probes.nonces).next(relay: "https://relay.example")
            #expect(next > (all.max() ?? 0))
        }
    }
#endif
