import Foundation
import MeroKit

@testable import mero

/// Keeps what was written.
final class MemorySink: TextSink {
    private let written = Locked("")

    var text: String { written.withLock { $0 } }

    func write(_ text: String) { written.withLock { $0 += text } }
}

/// A reader that has left.
struct ClosedSink: TextSink {
    func write(_ text: String) throws { throw OutputClosed() }
}

/// Hands out prepared bytes.
final class PreparedInput: InputSource {
    let isTerminal: Bool
    private let rest: Locked<ArraySlice<UInt8>>

    init(_ text: String = "", isTerminal: Bool = false) {
        self.isTerminal = isTerminal
        rest = Locked(Array(text.utf8)[...])
    }

    func line(hidden: Bool, limit: Int) async throws -> [UInt8]? {
        try rest.withLock { rest in
            guard !rest.isEmpty else { return nil }
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            if line.count > limit { throw InputTooLong(limit: limit) }
            return Array(line)
        }
    }

    func everything(limit: Int) async throws -> [UInt8] {
        rest.withLock { rest in
            defer { rest = [] }
            return Array(rest)
        }
    }
}

/// The tool inside the test process.
struct InProcess {
    let output = MemorySink()
    let errors = MemorySink()
    var variables: [String: String] = [:]
    var input: any InputSource = PreparedInput()
    var isTerminal = false
    var root = CommandTable.root

    @discardableResult
    func run(_ words: String...) async -> ExitCode {
        await Tool(root: root, surroundings: surroundings).run(words)
    }

    var surroundings: Surroundings {
        Surroundings(
            variables: variables, input: input, output: output, errors: errors, outputIsTerminal: isTerminal,
            errorsIsTerminal: isTerminal)
    }
}

/// A folder of its own, gone with the value.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("mero-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// The same numbers in every run, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
