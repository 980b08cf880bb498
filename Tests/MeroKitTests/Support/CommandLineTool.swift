import Foundation

/// A program that tests need beside Swift.
enum CommandLineTool {
    struct Missing: Error, CustomStringConvertible {
        let name: String
        var description: String {
            "\(name) is not installed on this machine, and tests need it: run scripts/setup --for-tests"
        }
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Where the program lies.
    ///
    /// - Throws: `Missing`, which fails the test that asked and says what to install.
    static func find(_ name: String) throws -> URL {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin", "/usr/local/sbin"]
        for folder in folders {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw Missing(name: name)
    }

    /// Runs a program to its end and throws what it wrote if it fails.
    static func run(_ name: String, _ arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = try find(name)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try launch(process)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(description: "\(name) failed: \(text)") }
    }

    /// Starts a program that reacts to signals. One started from a worker thread would have that thread's mask, in which
    /// nearly all of them are blocked.
    static func launch(_ process: Process) throws {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }
}
