import Testing

@testable import mero

@Suite("Help pages")
struct HelpPageTests {
    static let paths = CommandTree.paths(from: CommandTable.root)

    @Test("a page mentions everything that the parser accepts, and shows examples", arguments: paths.indices)
    func complete(index: Int) {
        let path = Self.paths[index]
        let command = path[path.count - 1]
        let text = HelpPage(path: path).text()
        for option in command.allOptions { #expect(text.contains(option.flag), "\(option.flag)") }
        for operand in command.operands { #expect(text.contains("<\(operand.name)>")) }
        for other in command.subcommands { #expect(text.contains("  \(other.name)")) }
        #expect(!command.examples.isEmpty)
        for example in command.examples { #expect(text.contains(example.line)) }
        // A group refers to its commands, whose pages list them.
        let refers = !command.subcommands.isEmpty && text.contains("COMMAND --help")
        #expect(refers || text.contains("xit codes") || text.contains("EXIT CODES"))
    }

    @Test("every example is a command line that the parser accepts", arguments: paths.indices)
    func examples(index: Int) throws {
        for example in Self.paths[index][Self.paths[index].count - 1].examples {
            let words = Self.words(of: example.line)
            guard words.first == "mero" else { continue }
            let parsed = try ArgumentParser(root: CommandTable.root).parse(Array(words.dropFirst()))
            #expect(parsed.command.body != nil, "\(example.line)")
        }
    }

    @Test("text is wrapped", arguments: paths.indices)
    func width(index: Int) {
        let page = HelpPage(path: Self.paths[index])
        let examples = Self.paths[index].last?.examples.map(\.line) ?? []
        for line in page.text().split(separator: "\n") where !examples.contains(where: line.contains) {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test("names of options mean one thing: with or without a value, never both")
    func consistentOptions() {
        var seen: [String: Bool] = [:]
        for path in Self.paths {
            let options = path[path.count - 1].allOptions
            #expect(Set(options.map(\.name)).count == options.count)
            let letters = options.compactMap(\.short)
            #expect(Set(letters).count == letters.count, "\(HelpPage.line(of: path))")
            for option in options {
                let takesValue = option.value != .none
                #expect(seen[option.name, default: takesValue] == takesValue, "\(option.flag)")
                seen[option.name] = takesValue
            }
        }
    }

    @Test("the root page lists every exit code")
    func exitCodes() {
        let text = HelpPage(path: [CommandTable.root]).text()
        for code in ExitCode.allCases { #expect(text.contains("\(code.rawValue)"), "\(code)") }
    }

    @Test("--help, help and no words at all")
    func ways() async {
        for words in [["call", "--help"], ["help", "call"]] {
            let tool = InProcess()
            #expect(await Tool(root: CommandTable.root, surroundings: tool.surroundings).run(words) == .done)
            #expect(tool.output.text == HelpPage(path: [CommandTable.root, .call]).text())
        }
        let bare = InProcess()
        #expect(await bare.run() == .done)
        #expect(bare.output.text.hasPrefix("mero - "))
    }

    @Test("help for programs is JSON and names the same options")
    func json() async throws {
        let tool = InProcess()
        #expect(await tool.run("help", "call", "--json") == .done)
        #expect(tool.output.text.contains(#""name":"retry""#))
        let other = InProcess()
        #expect(await other.run("call", "--json", "--help") == .done)
        #expect(other.output.text == tool.output.text)
    }

    @Test(
        "colours only on a terminal, and not when NO_COLOR is set",
        arguments: [
            (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
            (true, ["TERM": "dumb"], false),
        ] as [(Bool, [String: String], Bool)])
    func colours(isTerminal: Bool, variables: [String: String], expected: Bool) async {
        let tool = InProcess(variables: variables, isTerminal: isTerminal)
        #expect(await tool.run("help") == .done)
        #expect(tool.output.text.contains("\u{1B}[") == expected)
    }

    /// Cuts a line like a shell, as far as the examples need it.
    static func words(of line: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        for letter in line {
            if let open = quote {
                if letter == open { quote = nil } else { word.append(letter) }
            } else if letter == "'" || letter == "\"" {
                quote = letter
            } else if letter == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(letter)
            }
        }
        if !word.isEmpty { words.append(word) }
        // A variable for a context or node, then what the shell itself would take away.
        let end = words.firstIndex { ["<", ">", "|"].contains($0) } ?? words.count
        return words[..<end].map { $0.hasPrefix("$(") ? "http://localhost:1" : $0 }
    }
}
