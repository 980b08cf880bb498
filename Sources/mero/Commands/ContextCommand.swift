extension Command {
    static let context = Command(
        name: "context", summary: "contexts of a node: list, create, join, leave, delete",
        details: [
            "A context is one running copy of an application, with its own state. It belongs to a group or a namespace, "
                + "whose members may take part."
        ],
        examples: [
            .init(says: "what there is", line: "mero context list"),
            .init(says: "one more, in a namespace", line: "mero context create $NAMESPACE --name notes"),
        ],
        subcommands: [
            contextList, contextShow, contextCreate, contextJoin, contextLeave, contextSync, contextResync,
            contextIdentities, contextRename, contextUpdate, contextDelete,
        ])

    private static let contextList = admin(
        "list", "list the contexts that the session may see",
        options: [.applicationId, .relay],
        examples: [
            .init(says: "all of them", line: "mero context list"),
            .init(
                says: "those of the profile's account, at a relay",
                line: "mero context list --relay https://relay.example"),
            .init(says: "those of an application", line: "mero context list --application $APPLICATION"),
            .init(says: "ids for a script", line: "mero context list --json | jq -r .contexts[].contextId"),
        ], act: ContextActs.list)

    private static let contextShow = admin(
        "show", "show a context: application, group, size",
        operands: [.contextId],
        examples: [.init(says: "look", line: "mero context show $CONTEXT")], act: ContextActs.show)

    private static let contextCreate = admin(
        "create", "create a context in a group or namespace",
        details: [
            "Runs the application's \"init\" with the arguments of --init. Without --application the context gets the group's "
                + "own."
        ],
        operands: [.groupId],
        options: [.applicationId, .initArguments, .givenName, .service, .contextSeed],
        examples: [
            .init(says: "with the group's application", line: "mero context create $GROUP --name notes"),
            .init(
                says: "with arguments for \"init\"",
                line: #"mero context create $GROUP --init '{"title":"notes"}'"#),
        ], act: ContextActs.create)

    private static let contextJoin = admin(
        "join", "join a context of a group one is in",
        details: ["Joining again does no harm. The state comes from peers, which takes a moment."],
        operands: [.contextId],
        examples: [.init(says: "join", line: "mero context join $CONTEXT")], act: ContextActs.join)

    private static let contextLeave = admin(
        "leave", "leave a context on this node",
        details: ["Nobody else is told, and the context can be joined again."],
        operands: [.contextId],
        examples: [.init(says: "leave", line: "mero context leave $CONTEXT")], act: ContextActs.leave)

    private static let contextSync = admin(
        "sync", "ask peers for what is missing",
        operands: [.init(name: "context", help: "The context's id; all contexts without it.", optional: true)],
        examples: [
            .init(says: "one context", line: "mero context sync $CONTEXT"),
            .init(says: "all of them", line: "mero context sync"),
        ], act: ContextActs.sync)

    private static let contextResync = admin(
        "resync", "throw the state away and fetch it from peers",
        details: [
            "For a context that cannot go on by itself. What only this node has of it is lost. The node refuses where it is "
                + "not needed, unless --force is given."
        ],
        operands: [.contextId], options: [.force, .yes],
        examples: [
            .init(says: "ask first", line: "mero context resync $CONTEXT"),
            .init(says: "in a script, needed or not", line: "mero context resync $CONTEXT --force --yes"),
        ], act: ContextActs.resync)

    private static let contextIdentities = admin(
        "identities", "list the keys that may write in a context",
        operands: [.contextId], options: [.own],
        examples: [
            .init(says: "of all members", line: "mero context identities $CONTEXT"),
            .init(says: "of this node", line: "mero context identities $CONTEXT --own"),
        ], act: ContextActs.identities)

    private static let contextRename = admin(
        "rename", "give a context a name, for all its members",
        operands: [.contextId, .init(name: "name", help: "1 to 64 bytes.")],
        examples: [.init(says: "rename", line: "mero context rename $CONTEXT notes")], act: ContextActs.rename)

    private static let contextUpdate = admin(
        "update", "switch a context to other code, its state as it is",
        details: [
            "No migration runs: to carry state over to a new version, upgrade the group (\"mero group upgrade\")."
        ],
        operands: [.contextId, .applicationId], options: [.executorKey, .yes],
        examples: [.init(says: "switch", line: "mero context update $CONTEXT $APPLICATION")], act: ContextActs.update)

    private static let contextDelete = admin(
        "delete", "delete a context from this node",
        operands: [.contextId], options: [.yes],
        examples: [
            .init(says: "ask first", line: "mero context delete $CONTEXT"),
            .init(says: "in a script", line: "mero context delete $CONTEXT --yes"),
        ], act: ContextActs.delete)
}

extension OptionSpec {
    static let initArguments = OptionSpec(
        name: "init", value: .text("JSON"), help: "Arguments for the application's \"init\"; - reads standard input.")
    static let service = OptionSpec(
        name: "service", value: .text("NAME"), help: "One service, of an application that has several.")
    static let contextSeed = OptionSpec(
        name: "seed", value: .text("HEX"), help: "64 hex digits that make the context's id foreseeable.")
    static let force = OptionSpec(name: "force", help: "Even where the node sees no need.")
    static let own = OptionSpec(name: "own", help: "Only those of the session: the node's, or the account's devices.")
    static let executorKey = OptionSpec(
        name: "key", value: .text("KEY"), help: "Act with this key in the context (the node's own when not given).")
}
