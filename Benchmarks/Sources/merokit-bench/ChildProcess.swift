import Foundation

/// Runs the contenders, each in a process of its own so that none of them inherits another's caches or memory.
enum ChildProcess {
    struct Output {
        let status: Int32
        let standardOutput: Data
        let standardError: Data
    }

    /// Without proxies: everything here is on loopback, which proxy settings do not exempt.
    private static let environment = ProcessInfo.processInfo.environment.filter {
        !$0.key.lowercased().hasSuffix("_proxy")
    }

    static func find(_ name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        // Debian keeps nginx where only root's PATH leads.
        return (folders + ["/usr/sbin"])
            .map { URL(fileURLWithPath: $0).appendingPathComponent(name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// Waits for the end. The standard error goes through a file, so that a talkative child cannot block on a full
    /// pipe while the other one is read.
    static func run(_ executable: URL, _ arguments: [String], environment more: [String: String] = [:]) throws -> Output
    {
        let errorFile = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        _ = FileManager.default.createFile(atPath: errorFile.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: errorFile) }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = environment.merging(more) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = try FileHandle(forWritingTo: errorFile)
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Output(status: status, standardOutput: output, standardError: try Data(contentsOf: errorFile))
    }

    static func text(_ executable: URL, _ arguments: [String]) throws -> String {
        let output = try run(executable, arguments)
        guard output.status == 0 else {
            let reason = String(decoding: output.standardError, as: UTF8.self)
            throw BenchError("\(executable.lastPathComponent) ended with \(output.status): \(reason)")
        }
        return String(decoding: output.standardOutput, as: UTF8.self)
    }

    static func result<Value: Decodable>(
        _ type: Value.Type, _ executable: URL, _ arguments: [String]
    ) throws -> Value {
        let text = try text(executable, arguments)
        guard let value = try? JSONDecoder().decode(type, from: Data(text.utf8)) else {
            throw BenchError("\(executable.lastPathComponent) printed no result but: \(text)")
        }
        return value
    }

    /// Runs this same program as one contender.
    static func work<Value: Decodable>(_ job: Job, returning type: Value.Type) throws -> Value {
        try result(type, Layout.executable, try job.arguments())
    }
}
