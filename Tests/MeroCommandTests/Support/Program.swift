import Foundation
import MeroKit

/// Another program, run to its end. Its streams are files: no pipe can fill up or be inherited by a neighbour.
struct Program: Sendable {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    let path: String
    let words: [String]

    init(_ path: String, _ words: [String]) {
        self.path = path
        self.words = words
    }

    /// The built `mero`, which lies beside the test bundle.
    static var mero: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("mero").path
    }

    static func find(_ name: String) -> String? {
        ["/bin", "/usr/bin", "/usr/local/bin"].map { "\($0)/\(name)" }.first(
            where: FileManager.default.isExecutableFile)
    }

    func run(
        input: String = "", environment: [String: String] = [:], in folder: TemporaryFolder
    ) async throws -> Outcome {
        let running = try start(input: input, environment: environment, in: folder)
        return await running.outcome()
    }

    func start(
        input: String = "", environment: [String: String] = [:], in folder: TemporaryFolder
    ) throws -> RunningProgram {
        let stem = UUID().uuidString
        let inputFile = folder.file("\(stem).in")
        try Data(input.utf8).write(to: inputFile)
        return try RunningProgram(
            self, input: FileHandle(forReadingFrom: inputFile), output: folder.file("\(stem).out"),
            errors: folder.file("\(stem).err"), environment: environment, home: folder)
    }
}

final class RunningProgram: @unchecked Sendable {
    // `Process` is set up before it starts and only asked for its id and signalled afterwards; the rest is immutable.
    private let process = Process()
    private let output: URL
    private let errors: URL
    private let home: TemporaryFolder
    private let ended = Locked<(status: Int32?, waiters: [CheckedContinuation<Int32, Never>])>((nil, []))

    var id: Int32 { process.processIdentifier }

    init(
        _ program: Program, input: FileHandle, output: URL, errors: URL, environment: [String: String],
        home: TemporaryFolder
    ) throws {
        self.output = output
        self.errors = errors
        self.home = home
        for file in [output, errors] { try Data().write(to: file) }
        process.executableURL = URL(fileURLWithPath: program.path)
        process.arguments = program.words
        process.environment = [
            "PATH": "/usr/bin:/bin", "HOME": home.url.path, "LANG": "C.UTF-8", "TERM": "xterm",
        ].merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        process.terminationHandler = { [ended] process in
            // A signal that was not handled counts like in a shell.
            let status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
            let waiters = ended.withLock { state in
                state.status = status
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume(returning: status) }
        }
        try process.run()
    }

    var outputSoFar: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
    var errorsSoFar: String { (try? String(contentsOf: errors, encoding: .utf8)) ?? "" }
    var hasEnded: Bool { ended.withLock { $0.status != nil } }

    func send(_ signal: Int32) { kill(id, signal) }

    /// Waits for the end; a program that does not end within a minute is killed, which the status then shows.
    func outcome() async -> Program.Outcome {
        let watchdog = Task {
            try await Task.sleep(nanoseconds: 60_000_000_000)
            send(SIGKILL)
        }
        let status = await withCheckedContinuation { continuation in
            let known = ended.withLock { state -> Int32? in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status
            }
            if let known { continuation.resume(returning: known) }
        }
        watchdog.cancel()
        return Program.Outcome(status: status, output: outputSoFar, errors: errorsSoFar)
    }
}

/// Waits until something holds, up to half a minute.
func eventually(_ condition: @Sendable () async throws -> Bool) async throws -> Bool {
    for _ in 0..<3000 {
        if try await condition() { return true }
        try await Task.sleep(nanoseconds: 10_000_000)
    }
    return false
}
