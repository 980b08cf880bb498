extension Command {
    static let help = Command(
        name: "help", summary: "explain a command",
        details: ["With --json: the whole table of commands and options, for tools."],
        operands: [
            .init(name: "command", help: "The command, or its words for one in a group.", optional: true, repeats: true)
        ],
        examples: [
            .init(says: "all commands, exit codes and variables", line: "mero help"),
            .init(says: "one command", line: "mero help call"),
        ],
        body: HelpCommand.run)
}

enum HelpCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        var path = [CommandTable.root]
        for word in invocation.arguments.operandWords("command") {
            let group = path[path.count - 1]
            guard let found = group.subcommand(named: word) else {
                throw UsageError.unknownCommand(word, of: ArgumentParser.Result(path: path))
            }
            path.append(found)
        }
        try HelpPage(path: path, style: invocation.console.style).print(on: invocation.console)
        return .done
    }
}
