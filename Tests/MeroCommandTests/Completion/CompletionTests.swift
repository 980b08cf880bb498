import Foundation
import Testing

@testable import mero

@Suite("Completion scripts", .serialized)
struct CompletionTests {
    private static let bash = BashCompletion(root: CommandTable.root).script
    private static let zsh = ZshCompletion(root: CommandTable.root).script

    @Test("bash accepts its script")
    func bashSyntax() async throws {
        let folder = try TemporaryFolder()
        let outcome = try await Program("/bin/bash", ["-n", "/dev/stdin"]).run(input: Self.bash, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("zsh accepts its script", .enabled(if: Program.find("zsh") != nil))
    func zshSyntax() async throws {
        let folder = try TemporaryFolder()
        try Self.zsh.write(to: folder.file("_mero"), atomically: true, encoding: .utf8)
        let zsh = try #require(Program.find("zsh"))
        let outcome = try await Program(zsh, ["-n", folder.file("_mero").path]).run(in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("zsh defines a function for every command", .enabled(if: Program.find("zsh") != nil))
    func zshFunctions() async throws {
        let folder = try TemporaryFolder()
        let zsh = try #require(Program.find("zsh"))
        let names = CommandTree.paths(from: CommandTable.root).map { "_" + $0.map(\.name).joined(separator: "_") }
        let script = Self.zsh + "\nfor name in \(names.joined(separator: " ")); do whence -w $name; done\n"
        let outcome = try await Program(zsh, ["-f", "/dev/stdin"]).run(input: script, in: folder)
        for name in names { #expect(outcome.output.contains("\(name): function"), "\(name) \(outcome.errors)") }
    }

    @Test(
        "bash completes",
        arguments: [
            (["mero", ""], ["demo", "dev", "login", "call", "--node"]),
            (["mero", "lo"], ["login", "logout"]),
            (["mero", "call", "--re"], ["--retry"]),
            (["mero", "--node", "http", ":", "//x", "call", "--ra"], ["--raw"]),
            (["mero", "call", "--retry", ""], ["documented", "unsent", "never"]),
            (["mero", "call", "--retry", "=", "un"], ["unsent"]),
            (["mero", "completion", ""], ["bash", "zsh"]),
            (["mero", "whoami", "--profile", "s"], ["staging"]),
            (["mero", "help", "wh"], ["whoami"]),
            (["mero", "dev", "-"], ["--port", "--data", "--quiet", "--json", "--help"]),
        ])
    func bashCompletes(words: [String], expected: [String]) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.file("mero/profiles/staging"), withIntermediateDirectories: true)
        let array = words.map { "'\($0)'" }.joined(separator: " ")
        let script = """
            \(Self.bash)
            COMP_WORDS=(\(array)); COMP_CWORD=\(words.count - 1); _mero; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let outcome = try await Program("/bin/bash", ["/dev/stdin"])
            .run(input: script, environment: ["XDG_CONFIG_HOME": folder.url.path], in: folder)
        let found = outcome.output.split(separator: "\n").map(String.init)
        for word in expected { #expect(found.contains(word), "\(found) \(outcome.errors)") }
        let last = words[words.count - 1]
        if last != "=" { #expect(found.allSatisfy { $0.hasPrefix(last) }, "\(found)") }
    }

    @Test("both scripts know every command and option", arguments: HelpPageTests.paths.indices)
    func complete(index: Int) {
        let path = HelpPageTests.paths[index]
        for option in path[path.count - 1].allOptions {
            #expect(Self.bash.contains(option.flag) && Self.zsh.contains(option.flag))
        }
        #expect(Self.bash.contains("\"\(HelpPage.line(of: path))\")"))
    }
}
