/// The text behind `--help` and `mero help`.
struct HelpPage: Sendable {
    /// From the root to the command.
    let path: [Command]
    var width = 80
    var style = Style(colours: false)

    private var command: Command { path[path.count - 1] }
    private var isRoot: Bool { path.count == 1 }

    func text() -> String {
        var parts = ["\(style.bold(Self.line(of: path))) - \(command.summary)"]
        parts.append(section("Usage", [indented(Self.usage(of: path), by: 2)]))
        parts += command.details.map { TextLayout.wrapped($0, width: width) }
        parts += listSections
        if isRoot {
            parts.append(
                section("Environment", TextLayout.definitions(Self.environment, width: width)))
            parts.append(section("Exit codes", TextLayout.definitions(ExitCode.table, width: width)))
        }
        if !command.examples.isEmpty { parts.append(section("Examples", exampleLines)) }
        parts.append(TextLayout.wrapped(closing, width: width))
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var listSections: [String] {
        var sections: [String] = []
        if !command.operands.isEmpty {
            let rows = command.operands.map { ("<\($0.name)>", $0.help) }
            sections.append(section("Arguments", TextLayout.definitions(rows, width: width)))
        }
        if !command.subcommands.isEmpty {
            let rows = command.subcommands.map { ($0.name, $0.summary) }
            sections.append(section("Commands", TextLayout.definitions(rows, width: width)))
        }
        let rows = command.allOptions.map { (Self.label(of: $0), Self.explanation(of: $0)) }
        sections.append(section("Options", TextLayout.definitions(rows, width: width)))
        return sections
    }

    private var exampleLines: [String] {
        command.examples.enumerated().flatMap { index, example in
            (index == 0 ? [] : [""])
                + [style.dim(indented("# \(example.says)", by: 2)), indented(example.line, by: 2)]
        }
    }

    private var closing: String {
        if !command.subcommands.isEmpty {
            return "\"\(Self.line(of: path)) COMMAND --help\" says more about a command, with examples."
        }
        let codes = ExitCode.table.map { "\($0.0) \($0.1.prefix { $0 != ":" })" }.joined(separator: ", ")
        return "Exit codes: \(codes). \"mero help\" explains them."
    }

    private func section(_ title: String, _ lines: [String]) -> String {
        ([style.bold(title.uppercased())] + lines).joined(separator: "\n")
    }

    private func indented(_ text: String, by count: Int) -> String { String(repeating: " ", count: count) + text }
}

extension HelpPage {
    /// The page for people, the command's part of the table for programs.
    func print(on console: Console) throws {
        if console.json {
            try console.document(Self.description(of: command))
        } else {
            try console.output.write(text())
        }
    }

    private static func description(of command: Command) -> Report {
        [
            "name": .string(command.name), "summary": .string(command.summary),
            "operands": .array(
                command.operands.map {
                    ["name": .string($0.name), "help": .string($0.help), "optional": .bool($0.optional)]
                }),
            "options": .array(
                command.allOptions.map {
                    [
                        "name": .string($0.name), "short": .optional($0.short.map { String($0) }),
                        "value": .optional($0.placeholder), "help": .string($0.help), "repeats": .bool($0.repeats),
                    ]
                }),
            "commands": .array(command.subcommands.map(description)),
        ]
    }

    static func line(of path: [Command]) -> String { path.map(\.name).joined(separator: " ") }

    /// `mero call <context> <method> [<json>] [options]`
    static func usage(of path: [Command]) -> String {
        guard let command = path.last else { return "" }
        var words = [line(of: path)]
        if !command.subcommands.isEmpty { words.append("<command>") }
        for operand in command.operands {
            let name = "<\(operand.name)>" + (operand.repeats ? "..." : "")
            words.append(operand.optional ? "[\(name)]" : name)
        }
        words.append("[options]")
        return words.joined(separator: " ")
    }

    /// `-p, --profile NAME`
    static func label(of option: OptionSpec) -> String {
        let short = option.short.map { "-\($0), " } ?? "    "
        return short + option.flag + (option.placeholder.map { " \($0)" } ?? "")
    }

    private static func explanation(of option: OptionSpec) -> String {
        var text = option.help
        if option.repeats { text += " May be given several times." }
        if let variable = option.environment { text += " Environment: \(variable)." }
        return text
    }

    static let environment = [
        ("MERO_NODE", "The node to talk to, like --node."),
        ("MERO_PROFILE", "The profile to use, like --profile."),
        (
            "MERO_RELAY",
            "The relay to go through, like --relay, in every command that has this option; --node on the line outranks it."
        ),
        ("XDG_CONFIG_HOME", "Where profiles are kept (in mero/profiles); ~/.config when unset."),
        ("NO_COLOR", "When set, no colours. There are none either when the output is no terminal."),
        ("SSL_CERT_FILE", "On Linux: the certificate authorities to trust, instead of the system's."),
    ]
}
