import Foundation
import Testing

@testable import MeroKit

/// Everything that reads data from outside is fed spoilt data, in a process of its own: a trap there is an answer like any
/// other. `scripts/fuzz` does the same for as long as one likes.
///
/// `MEROKIT_FUZZ_SEED` repeats a run, whose seed is printed; `MEROKIT_FUZZ_COUNT` asks for more inputs of each parser.
@Suite("Random spoilt inputs", .serialized) struct FuzzTests {
    /// Names of parsers begin with these; together they are all there are.
    static let groups = [
        "json-", "event-,websocket-,header-", "admin-,auth-,relay-answers,cloud-answers,registry-", "borsh-",
        "credential,callback-,recovery-,jwt", "invitation-,invite-,inflate", "url,redirect,retry-,http-error,pem-",
        "hex,base58,base64,form,permission",
        "token-,nonce-,device-,cloud-session,cloud-login,delegated-,pending-,relay-pins,relay-map,app-",
        "noise-,sealed-", "trust-", "node-",
    ]

    @Test(.timeLimit(.minutes(3)), arguments: groups) func noFault(group: String) async throws {
        let variables = ProcessInfo.processInfo.environment
        // A new one each time: what is found is found again by the seed that is printed.
        let seed = variables["MEROKIT_FUZZ_SEED"].flatMap(UInt64.init) ?? .random(in: 0 ... .max / 2)
        let count = variables["MEROKIT_FUZZ_COUNT"].flatMap(Int.init) ?? 1500
        let limit = count > 1500 ? [] : ["--seconds", "1"]
        let (status, text) = try await Self.run(
            ["--only", group, "--seed", "\(seed)", "--count", "\(count)", "--patience", "10"] + limit)
        #expect(status == 0, "\(text)")
        #expect(text.contains("from seed \(seed), no finding"), "\(text)")
        // Each parser has seen some, and nearly all of them took some.
        let lines = text.split(separator: "\n").filter { $0.contains(" accepted, ") }
        #expect(lines.count >= group.split(separator: ",").count, "\(text)")
        print("merokit-fuzz \(group): \(text.split(separator: "\n").last ?? "")")
    }

    @Test func noParserIsLeftOut() async throws {
        let (status, text) = try await Self.run(["--list"])
        #expect(status == 0, "\(text)")
        let names = text.split(separator: "\n").map(String.init)
        let prefixes = Self.groups.flatMap { $0.split(separator: ",").map(String.init) }
        #expect(names.count > 70)
        for name in names { #expect(prefixes.contains { name.hasPrefix($0) }, "\(name)") }
    }

    private static func run(_ arguments: [String]) async throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("merokit-fuzz")
        let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fixtures").standardizedFileURL.path
        process.arguments = [fixtures] + arguments
        // A file: what a pipe holds would have to be read while the process runs.
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-fuzz-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let output = try FileHandle(forWritingTo: file)
        process.standardOutput = output
        process.standardError = output
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        try output.close()
        return (status, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
