import Testing

@testable import mero

@Suite("Argument parser")
struct ArgumentParserTests {
    private static let flag = OptionSpec(name: "flag", short: "f", help: "A switch.")
    private static let loud = OptionSpec(name: "loud", short: "l", help: "Another switch.")
    private static let name = OptionSpec(name: "name", short: "n", value: .text("NAME"), help: "A text.")
    private static let many = OptionSpec(name: "many", short: "m", value: .text("WORD"), help: "Many.", repeats: true)
    private static let only = OptionSpec(name: "only", help: "Of one command.")

    private static let root = Command(
        name: "tool", summary: "for tests",
        subcommands: [
            Command(
                name: "do", summary: "does",
                operands: [.init(name: "what", help: "What."), .init(name: "how", help: "How.", optional: true)],
                options: [flag, loud, name, many, .node]),
            Command(
                name: "group", summary: "holds others",
                subcommands: [
                    Command(
                        name: "list", summary: "lists",
                        operands: [.init(name: "word", help: "Words.", optional: true, repeats: true)], options: [only])
                ]),
            Command(
                name: "pick", summary: "picks",
                operands: [.init(name: "side", help: "Which.", choices: ["left", "right"])]),
        ])

    private func parse(_ words: [String]) throws -> ArgumentParser.Result {
        try ArgumentParser(root: Self.root).parse(words)
    }

    private func problem(_ words: [String]) -> UsageError? {
        do {
            _ = try parse(words)
            return nil
        } catch {
            return error as? UsageError
        }
    }

    @Test(
        "every spelling of a value means the same",
        arguments: [
            ["do", "x", "--name", "v"], ["do", "x", "--name=v"], ["do", "x", "-n", "v"], ["do", "x", "-nv"],
            ["do", "x", "-n=v"],
            ["do", "--name", "v", "x"], ["do", "-fn", "v", "x", "-l"], ["do", "--name", "first", "x", "--name", "v"],
        ])
    func spellings(words: [String]) throws {
        let parsed = try parse(words)
        #expect(parsed.arguments.text(Self.name) == "v")
        #expect(parsed.arguments.operand("what") == "x")
        #expect(parsed.commandLine == "tool do")
    }

    @Test("joined switches are switches")
    func joined() throws {
        let parsed = try parse(["do", "-fl", "x"])
        #expect(parsed.arguments.has(Self.flag) && parsed.arguments.has(Self.loud))
        #expect(!parsed.arguments.has(Self.name))
    }

    @Test("a value keeps its equals signs, and may be empty only where an empty text is allowed")
    func equalsSigns() throws {
        #expect(try parse(["do", "x", "--name=a=b=c"]).arguments.text(Self.name) == "a=b=c")
        #expect(problem(["do", "x", "--name="])?.message.contains("empty") == true)
    }

    @Test("values of a repeatable option are all kept, in their order")
    func repeats() throws {
        let parsed = try parse(["do", "-m", "a", "x", "--many=b", "-mc"])
        #expect(parsed.arguments.texts(Self.many) == ["a", "b", "c"])
    }

    @Test("- and negative numbers are operands, and so is everything after --")
    func dashes() throws {
        #expect(try parse(["do", "-", "-5"]).arguments.operand("what") == "-")
        #expect(try parse(["do", "-", "-5"]).arguments.operand("how") == "-5")
        let parsed = try parse(["do", "--", "--name", "-f"])
        #expect(parsed.arguments.operand("what") == "--name")
        #expect(parsed.arguments.operand("how") == "-f")
        #expect(!parsed.arguments.has(Self.flag))
    }

    @Test("options of the connection may stand before the command, and must fit it")
    func beforeTheCommand() throws {
        #expect(try parse(["--node", "http://a", "do", "x"]).arguments.text(.node) == "http://a")
        #expect(problem(["--node", "http://a", "group", "list"])?.message.contains("--node") == true)
    }

    @Test("commands in groups")
    func groups() throws {
        let parsed = try parse(["group", "--json", "list", "a", "b", "--only"])
        #expect(parsed.commandLine == "tool group list")
        #expect(parsed.arguments.operandWords("word") == ["a", "b"])
        #expect(parsed.arguments.has(.json) && parsed.arguments.has(Self.only))
    }

    @Test(
        "help stops the judgement of what is missing",
        arguments: [["do", "--help"], ["do", "-h"], ["--help"], ["group", "-h"]])
    func help(words: [String]) throws {
        #expect(try parse(words).wantsHelp)
    }

    @Test(
        "each mistake is named, with a way out",
        arguments: [
            (["du", "x"], "\"du\" is not a command", "\"do\""),
            (["group", "lisst"], "\"lisst\" is not a command of \"tool group\"", "\"list\""),
            (["do"], "needs <what>", "tool do <what> [<how>] [options]"),
            (["do", "a", "b", "c"], "\"c\" is one word too many", "tool do"),
            (["do", "x", "--nmae", "v"], "no option --nmae", "\"--name\""),
            (["do", "x", "-z"], "no option -z", "--help"),
            (["do", "x", "--name"], "--name needs a value", "--name NAME"),
            (["do", "x", "--name", "--flag"], "--name needs a value", "--name=..."),
            (["do", "x", "--flag=yes"], "--flag takes no value", "--flag alone"),
            (["do", "x", "--node", "node.example"], "http://", "--help"),
            (["pick", "up"], "\"up\" cannot be used as <side>", "--help"),
            (["pick", "rigth"], "\"rigth\" cannot be used", "\"right\""),
            (["group"], "needs a command", "list"),
            ([], "needs a command", "do"),
        ])
    func mistakes(words: [String], message: String, hint: String) throws {
        let found = try #require(problem(words))
        #expect(found.message.contains(message))
        #expect(found.hint.contains(hint))
    }

    @Test("the value of an unknown option is never repeated: it may be a password")
    func secretsInUnknownOptions() throws {
        let found = try #require(problem(["do", "x", "--password=hunter2hunter2"]))
        #expect(!(found.message + found.hint).contains("hunter2"))
    }

    @Test("options commute with operands and with each other")
    func orderDoesNotMatter() throws {
        var random = SeededGenerator(7)
        let groups = [["--flag"], ["-n", "v"], ["--many=a"], ["--node", "http://a"], ["-l"]]
        let expected = try parse(["do", "x", "y"] + groups.flatMap { $0 }).arguments
        for _ in 0..<500 {
            var operands = ["do", "x", "y"][...]
            var options = groups.shuffled(using: &random)[...]
            var words: [String] = []
            while !operands.isEmpty || !options.isEmpty {
                // The command comes first: before it, its own options are not known yet.
                if options.isEmpty || words.isEmpty || (!operands.isEmpty && Bool.random(using: &random)) {
                    words.append(operands.removeFirst())
                } else {
                    words += options.removeFirst()
                }
            }
            #expect(try parse(words).arguments == expected, "\(words)")
        }
    }

    @Test("any words at all give a result or a usage error, and what is given is never invented")
    func anyWords() throws {
        var random = SeededGenerator(11)
        let pieces = [
            "do", "group", "list", "pick", "left", "--", "-", "--name", "-n", "-fl", "--flag", "=", "--=", "---", "-1",
            "", " ", "--many=", "-m", "é", "\u{0}", "--node", "http://h", "--help=1", "-fz",
        ]
        for _ in 0..<20_000 {
            let words = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            do {
                let parsed = try parse(words)
                for option in [Self.name, Self.many, .node] {
                    for value in parsed.arguments.texts(option) {
                        #expect(words.contains { $0.hasSuffix(value) }, "\(words)")
                    }
                }
            } catch {
                #expect(error is UsageError, "\(words)")
            }
        }
    }
}

@Suite("Values of options")
struct OptionValueTests {
    private static let port = OptionSpec(name: "port", value: .port, help: "")
    private static let seconds = OptionSpec(name: "seconds", value: .seconds, help: "")

    @Test(
        "seconds",
        arguments: [
            ("1", true), ("0.25", true), ("86400", true), ("0", false), ("-1", false), ("86401", false),
            ("nan", false), ("inf", false), ("1e99", false), ("ten", false), ("", false),
        ])
    func seconds(text: String, isFine: Bool) {
        #expect((Self.seconds.complaint(about: text) == nil) == isFine)
    }

    @Test(
        "ports",
        arguments: [("0", true), ("65535", true), ("65536", false), ("-1", false), ("80.5", false), ("", false)])
    func ports(text: String, isFine: Bool) {
        #expect((Self.port.complaint(about: text) == nil) == isFine)
    }

    @Test(
        "profile names cannot leave their folder",
        arguments: [
            ("default", true), ("a-b_c.d1", true), ("..", false), (".", false),
            (".hidden", false), ("a/b", false), ("a\\b", false), ("-x", false), ("", false), ("é", false),
            ("a b", false), ("a\u{0}", false),
            (String(repeating: "a", count: 64), true), (String(repeating: "a", count: 65), false),
        ])
    func profiles(name: String, isFine: Bool) {
        #expect((ProfileName.complaint(about: name) == nil) == isFine)
    }
}

@Suite("Nearest name")
struct NearestTests {
    @Test(
        "slips",
        arguments: [
            ("call", "call", 0), ("cal", "call", 1), ("clal", "call", 1), ("xall", "call", 1), ("", "abc", 3),
            ("whoami", "doctor", 6),
        ])
    func distance(left: String, right: String, slips: Int) {
        #expect(Nearest.distance(left, right) == slips)
        #expect(Nearest.distance(right, left) == slips)
    }

    @Test("guesses", arguments: [("lgoin", "login"), ("logn", "login"), ("comp", "completion"), ("LOGIN", "login")])
    func guesses(word: String, name: String) {
        #expect(Nearest.name(to: word, among: CommandTable.root.subcommands.map(\.name)) == name)
    }

    @Test("no guess is better than a wrong one", arguments: ["zzzzzz", "x", "", "d"])
    func silence(word: String) {
        #expect(Nearest.name(to: word, among: ["login", "call", "doctor", "demo", "dev"]) == nil)
    }
}
