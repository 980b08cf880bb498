import Foundation

/// The program that plays the node of the event benchmarks, in a process of its own.
final class EventSource {
    private let process = Process()
    private let input = Pipe()
    private let port: Int

    init() throws {
        let output = Pipe()
        process.executableURL = Layout.executable.deletingLastPathComponent().appendingPathComponent("event-source")
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchError("event-source named no port")
        }
        self.port = port
    }

    /// The base URL of a scenario; see the program.
    func base(_ mode: String, bytes: Int, count: Int) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(mode)/\(bytes)/\(count)") else {
            throw BenchError("no URL for \(mode)")
        }
        return url
    }

    /// Closing its input ends it.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
