import Foundation
import Testing

@testable import mero

/// The command lines of README.md, the documentation's pages and the examples: the parser takes them.
@Suite("Shell blocks of the documentation") struct ShellBlockTests {
    struct Line: Sendable, CustomTestStringConvertible {
        var page: String
        var text: String
        var testDescription: String { "\(page): \(text)" }
    }

    private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// What a person has put into the variables that the blocks use.
    private static let variables = [
        "RELAY": "http://localhost:2428", "INVITATION": "token", "CONTEXT": String(repeating: "a", count: 64),
        "NAMESPACE": String(repeating: "b", count: 64), "ACCOUNT": String(repeating: "c", count: 64),
        "APP": String(repeating: "d", count: 64), "URL": "http://localhost:2428",
    ]

    static let lines: [Line] = {
        let catalog = "Sources/MeroKit/MeroKit.docc"
        let pages =
            (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(catalog).path)) ?? []
        let all = ["README.md", "Examples/README.md", "CONTRIBUTING.md"] + pages.map { "\(catalog)/\($0)" }
        return all.filter { $0.hasSuffix(".md") }.sorted().flatMap { page -> [Line] in
            let text = (try? String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)) ?? ""
            let blocks = text.components(separatedBy: "```sh\n").dropFirst()
                .compactMap { $0.components(separatedBy: "\n```").first }
            return blocks.flatMap { $0.replacingOccurrences(of: "\\\n", with: " ").components(separatedBy: "\n") }
                .flatMap(Self.commands).map { Line(page: page, text: $0) }
        }
    }()

    /// The calls of `mero` in a line: comments, redirections and what stands before and after pipes are taken away.
    private static func commands(_ line: String) -> [String] {
        let code = line.components(separatedBy: " # ")[0].replacingOccurrences(
            of: "swift run mero", with: "mero")
        return code.components(separatedBy: " | ").flatMap { $0.components(separatedBy: " && ") }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.hasPrefix("mero ") }
    }

    @Test("there are such lines")
    func some() { #expect(Self.lines.count > 30) }

    @Test("each is a command line that the parser accepts", arguments: lines)
    func parses(line: Line) throws {
        let words = HelpPageTests.words(of: line.text).dropFirst().map { word in
            word.hasPrefix("$") ? Self.variables[String(word.dropFirst())] ?? word : word
        }
        #expect(!words.contains { $0.hasPrefix("$") }, "an unknown variable in: \(line.text)")
        let parsed = try ArgumentParser(root: CommandTable.root).parse(words)
        #expect(parsed.command.body != nil, "\(line.text)")
    }
}
