import Foundation
import Testing

@testable import MeroKit

/// Spoilt inputs by the hundred thousand, in a process of their own: a trap there is an answer like any other.
@Suite("Random spoilt inputs") struct TrustFuzzTests {
    @Test(.timeLimit(.minutes(3)), arguments: 0..<2)
    func noFault(run: Int) async throws {
        let probe = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("merokit-fuzz")
        // A new one each time: what is found is found again by the seed that is printed.
        let seed = UInt64.random(in: 0 ... .max / 2)
        print("merokit-fuzz seed \(seed)")
        let output = Pipe()
        let process = Process()
        process.executableURL = probe
        process.arguments = [TrustFixture.folder.path, "50000", String(seed), "4"]
        process.standardOutput = output
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(status == 0, "\(text)")
        #expect(text.contains("50000 inputs from seed \(seed)") && text.contains("no fault"), "\(text)")
        // Both ends are reached: some input is still sound, and most are not.
        for kind in ["certificate", "quote", "whole attestation", "whole release"] {
            #expect(text.contains("\(kind): "), "\(text)")
        }
    }
}
