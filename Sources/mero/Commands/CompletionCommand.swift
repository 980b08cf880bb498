extension Command {
    static let completion = Command(
        name: "completion", summary: "print a completion script for a shell",
        details: ["The script completes commands, options, profiles and the values that are known."],
        operands: [.init(name: "shell", help: "bash or zsh.", choices: ["bash", "zsh"])],
        examples: [
            .init(says: "bash: for this shell", line: "source <(mero completion bash)"),
            .init(
                says: "bash: for every new shell",
                line: "mero completion bash > ~/.local/share/bash-completion/completions/mero"),
            .init(says: "zsh: into a folder of $fpath", line: "mero completion zsh > ~/.zsh/completions/_mero"),
        ],
        body: CompletionCommand.run)
}

enum CompletionCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let isZsh = invocation.arguments.operand("shell") == "zsh"
        let script =
            isZsh ? ZshCompletion(root: CommandTable.root).script : BashCompletion(root: CommandTable.root).script
        try invocation.console.line(script)
        try invocation.console.document(["shell": isZsh ? "zsh" : "bash", "script": .string(script)])
        return .done
    }
}
