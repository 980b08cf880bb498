/// Walks over the table of commands for the completion scripts.
enum CommandTree {
    /// Every command, as the path that leads to it, the root first.
    static func paths(from root: Command) -> [[Command]] { below([root]) }

    private static func below(_ path: [Command]) -> [[Command]] {
        [path] + path[path.count - 1].subcommands.flatMap { below(path + [$0]) }
    }

    /// Options of all commands, each name once.
    static func distinctOptions(of root: Command) -> [OptionSpec] {
        var seen = Set<String>()
        return paths(from: root).flatMap { $0[$0.count - 1].allOptions }.filter { seen.insert($0.name).inserted }
    }

    static func flags(of option: OptionSpec) -> [String] {
        [option.flag] + (option.short.map { ["-\($0)"] } ?? [])
    }

    /// What can stand next on the line: commands of a group, known words of operands, and options.
    static func words(after path: [Command]) -> [String] {
        let command = path[path.count - 1]
        return command.subcommands.map(\.name) + operandWords(after: path) + options(of: path).map(\.flag)
    }

    /// Options that make sense there. Between `mero` and the command, those of the connection too.
    static func options(of path: [Command]) -> [OptionSpec] {
        let command = path[path.count - 1]
        return command.allOptions + (command.subcommands.isEmpty ? [] : OptionSpec.beforeCommand)
    }

    static func operandWords(after path: [Command]) -> [String] {
        let command = path[path.count - 1]
        // `help` takes the name of any command.
        if path.count == 2, command.name == "help" { return path[0].subcommands.map(\.name) }
        return command.operands.flatMap(\.choices)
    }
}
