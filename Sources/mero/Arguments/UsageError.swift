/// A command line that says nothing `mero` can do.
///
/// One sentence on what is wrong, and one on what to write instead.
struct UsageError: Error, Sendable, Equatable {
    let message: String
    let hint: String
}

extension UsageError {
    typealias Parsed = ArgumentParser.Result

    static func unknownCommand(_ word: String, of parsed: Parsed) -> UsageError {
        let names = parsed.command.subcommands.map(\.name)
        return UsageError(
            message: "\(quoted(word)) is not a command of \(quoted(parsed.commandLine))",
            hint: suggestion(for: word, among: names, page: parsed))
    }

    static func noCommand(of parsed: Parsed) -> UsageError {
        UsageError(
            message: "\(quoted(parsed.commandLine)) needs a command",
            hint: "One of: \(parsed.command.subcommands.map(\.name).joined(separator: ", "))")
    }

    static func unknownOption(_ flag: String, of parsed: Parsed, known: [OptionSpec]) -> UsageError {
        UsageError(
            message: "\(quoted(parsed.commandLine)) has no option \(flag)",
            hint: suggestion(for: flag, among: known.map(\.flag), page: parsed))
    }

    static func doesNotApply(_ option: OptionSpec, of parsed: Parsed) -> UsageError {
        UsageError(
            message: "The option \(option.flag) does not apply to \(quoted(parsed.commandLine))",
            hint: seeHelp(parsed))
    }

    static func takesNoValue(_ flag: String, of parsed: Parsed) -> UsageError {
        UsageError(message: "The option \(flag) takes no value", hint: "Write \(flag) alone")
    }

    static func needsValue(_ flag: String, _ option: OptionSpec, of parsed: Parsed) -> UsageError {
        UsageError(
            message: "The option \(flag) needs a value",
            hint:
                "Write \(flag) \(option.placeholder ?? "VALUE") (or \(option.flag)=... for a value that starts with a dash)"
        )
    }

    static func badValue(_ value: String, flag: String, complaint: String, of parsed: Parsed) -> UsageError {
        UsageError(message: "The value \(quoted(value)) of \(flag) cannot be used: \(complaint)", hint: seeHelp(parsed))
    }

    static func missingOperand(_ operand: Command.Operand, of parsed: Parsed) -> UsageError {
        UsageError(
            message: "\(quoted(parsed.commandLine)) needs <\(operand.name)>",
            hint: "Write: \(HelpPage.usage(of: parsed.path))")
    }

    static func extraOperand(_ word: String, of parsed: Parsed) -> UsageError {
        UsageError(
            message: "\(quoted(word)) is one word too many for \(quoted(parsed.commandLine))",
            hint: "Write: \(HelpPage.usage(of: parsed.path)) (quote a value that contains spaces)")
    }

    static func badOperand(_ word: String, for operand: Command.Operand, of parsed: Parsed) -> UsageError {
        UsageError(
            message: "\(quoted(word)) cannot be used as <\(operand.name)>",
            hint: "It is one of \(operand.choices.joined(separator: ", ")). Write: \(HelpPage.usage(of: parsed.path)). "
                + suggestion(for: word, among: operand.choices, page: parsed))
    }

    private static func suggestion(for word: String, among names: [String], page parsed: Parsed) -> String {
        guard let nearest = Nearest.name(to: word, among: names) else { return seeHelp(parsed) }
        return "Did you mean \(quoted(nearest))? \(seeHelp(parsed))"
    }

    private static func seeHelp(_ parsed: Parsed) -> String { "See \(quoted(parsed.commandLine + " --help"))" }

    private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}
