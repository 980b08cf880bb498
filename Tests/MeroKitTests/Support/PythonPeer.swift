import Foundation
import MeroKit
import Testing

/// The `websockets` package of Python: a WebSocket implementation that nobody here has written.
enum PythonPeer {
    /// Why tests with it are skipped where it is missing.
    static let reason: Comment = "Python's websockets package is not installed (pip install websockets)"

    static let isInstalled: Bool = {
        let process = Process()
        guard let python = try? CommandLineTool.find("python3") else { return false }
        process.executableURL = python
        process.arguments = ["-c", "import websockets.sync.client, websockets.sync.server"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        guard (try? CommandLineTool.launch(process)) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// A script that runs, whose lines can be read. It ends with its input, so it cannot outlive the test.
    final class Script: Sendable {
        private let input = Pipe()
        private let output: FileHandle
        private let buffer = Locked(Data())

        init(_ source: String, _ arguments: [String] = []) throws {
            let process = Process()
            let output = Pipe()
            process.executableURL = try CommandLineTool.find("python3")
            process.arguments = ["-u", "-c", Self.watch + source] + arguments
            process.standardInput = input
            process.standardOutput = output
            try CommandLineTool.launch(process)
            self.output = output.fileHandleForReading
        }

        deinit { try? input.fileHandleForWriting.close() }

        private static let watch = """
            import os, sys, threading
            threading.Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()

            """

        /// Waits until there is one, on a thread of its own; nil at the end.
        func line() async -> String? {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: self.readLine()) }
            }
        }

        private func readLine() -> String? {
            buffer.withLock { buffer in
                while true {
                    if let newline = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                        let line = String(decoding: buffer[..<newline], as: UTF8.self)
                        buffer = Data(buffer[(newline + 1)...])
                        return line
                    }
                    let more = output.availableData
                    if more.isEmpty { return nil }
                    buffer.append(more)
                }
            }
        }
    }
}
