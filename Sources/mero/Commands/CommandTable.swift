/// All commands. Parsing, help and completion read this table; nothing else lists commands.
enum CommandTable {
    static let root = Command(
        name: "mero", summary: "work with Calimero nodes from the command line",
        details: [
            "Sign in to a node once, then call contracts. The session is kept for the next command, in a file that only "
                + "you can read, and renewed when it expires.",
            "No node at hand? \"mero dev\" runs one on this machine, \"mero demo\" shows all there is in a second.",
        ],
        options: [.version],
        examples: [
            .init(says: "see it work, with a node of its own", line: "mero demo"),
            .init(says: "run a node for development (in another terminal)", line: "mero dev"),
            .init(
                says: "sign in; the password is asked for", line: "mero login --node http://localhost:2428 --user dev"),
            .init(
                says: "call a method of the contract in a context",
                line: #"mero call $CONTEXT set '{"key":"greeting","value":"hello"}'"#),
        ],
        subcommands: [
            .demo, .dev, .login, .logout, .whoami, .call, .watch, .presence, .app, .namespace, .group, .member, .invite,
            .context, .blob, .alias, .identity, .tee, .account, .relay, .discover, .doctor, .completion, .help,
        ])
}
