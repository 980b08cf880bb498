import Foundation
import MeroDevNode
import MeroKit
import Testing

@testable import mero

/// What holds for all administration commands, by the table of commands itself.
@Suite("Refusals of the administration commands")
struct RefusalTests {
    static let groups: [Command] = [
        .app, .namespace, .group, .member, .invite, .context, .blob, .alias, .identity, .tee,
    ]
    static let leaves = CommandTree.paths(from: CommandTable.root).filter { path in
        path.count == 3 && groups.contains { $0.name == path[1].name }
    }
    private static let ids: Set<String> = [
        "context", "application", "group", "namespace", "account", "parent", "blob", "device", "id",
        "root-key", "account-namespace",
    ]
    private static let good = String(repeating: "ab", count: 32)

    /// The command with operands that could be meant.
    private static func words(_ path: [Command], id: String = good) -> [String] {
        path.dropFirst().map(\.name)
            + path[2].operands.map { operand in
                operand.choices.first ?? (ids.contains(operand.name) ? id : "word")
            }
    }

    @Test("what cannot be undone is not done without a word from anybody", arguments: leaves.indices)
    func unconfirmed(index: Int) async throws {
        let path = Self.leaves[index]
        // `blob get` asks only when it would replace a file, `tee admit` once it knows what about.
        guard path[2].options.contains(.yes), !["get", "admit"].contains(path[2].name) else { return }
        for json in [false, true] {
            var tool = InProcess()
            // A program that reads along is not asked either, even on a terminal.
            tool.input = PreparedInput("y\n", isTerminal: json)
            let words = Self.words(path) + (json ? ["--json"] : [])
            let code = await Tool(root: CommandTable.root, surroundings: tool.surroundings).run(words)
            #expect(code == .usage, "\(words) \(tool.errors.text)")
            #expect(tool.errors.text.contains("--yes"), "\(words) \(tool.errors.text)")
            #expect(tool.output.text.isEmpty)
        }
    }

    @Test("a no on the terminal is a no, and so is the end of the input", arguments: ["n\n", "\n", "", "yesss\n"])
    func declined(answer: String) async throws {
        var tool = InProcess()
        tool.input = PreparedInput(answer, isTerminal: true)
        #expect(await tool.run("context", "delete", Self.good) == .usage)
        #expect(tool.errors.text.contains("[y/N]") && tool.errors.text.contains("Nothing was done"))
    }

    @Test("a yes leads on", arguments: ["y\n", "YES\n", " yes \n"])
    func agreed(answer: String) async throws {
        let folder = try TemporaryFolder()
        var tool = InProcess()
        tool.variables["XDG_CONFIG_HOME"] = folder.url.path
        tool.input = PreparedInput(answer, isTerminal: true)
        // On to the session, which there is none of.
        #expect(await tool.run("context", "delete", Self.good) == .notSignedIn)
    }

    @Test("what is no id is refused, and nothing is sent")
    func badIds() async throws {
        try await Workbench.with { bench in
            try await bench.login()
            bench.node.clearRequests()
            for path in Self.leaves where path[2].operands.contains(where: { Self.ids.contains($0.name) }) {
                for bad in ["", "../x", "ab cd", "é", String(repeating: "a", count: 65), "abc"] {
                    var tool = InProcess()
                    tool.variables["XDG_CONFIG_HOME"] = bench.folder.file("config").path
                    let yes = path[2].options.contains(.yes) ? ["--yes"] : []
                    let words = Self.words(path, id: bad) + yes
                    let code = await Tool(root: CommandTable.root, surroundings: tool.surroundings).run(words)
                    #expect(code == .usage, "\(words): \(code) \(tool.errors.text)")
                }
            }
            // What could be a name is looked up, and nothing else is sent.
            let others = bench.node.requests.filter { !$0.path.hasPrefix("/admin-api/alias/lookup/") }
            #expect(others.isEmpty, "\(others.map(\.path))")
        }
    }

    @Test("without a session nothing is tried")
    func noSession() async throws {
        let folder = try TemporaryFolder()
        for path in Self.leaves where path[2].options.contains(.node) {
            // These need more words before they get to the session.
            let isIncomplete = [
                "install", "available", "put", "accept", "join", "follow", "create", "admit", "prove", "complete",
            ]
            guard !isIncomplete.contains(path[2].name) else { continue }
            var tool = InProcess()
            tool.variables["XDG_CONFIG_HOME"] = folder.url.path
            let yes = path[2].options.contains(.yes) ? ["--yes"] : []
            let words = Self.words(path) + yes
            let code = await Tool(root: CommandTable.root, surroundings: tool.surroundings).run(words)
            #expect(code == .notSignedIn, "\(words): \(code) \(tool.errors.text)")
        }
    }
}
