extension Command {
    static let alias = Command(
        name: "alias", summary: "names for ids, kept by a node",
        details: [
            "A name stands for the id of a context, an application or a device, on this node only. Every command takes it "
                + "in the place of such an id, but not with --relay: a relay knows no names."
        ],
        examples: [
            .init(says: "give a context a name", line: "mero alias add context notes $CONTEXT"),
            .init(says: "use it", line: #"mero call notes get '{"key":"greeting"}'"#),
        ],
        subcommands: [aliasList, aliasShow, aliasAdd, aliasRemove])

    private static let aliasKind = Operand(
        name: "kind", help: "What the name stands for: context, app or device.",
        choices: AliasActs.Kind.allCases.map(\.rawValue))
    private static let aliasName = Operand(name: "name", help: "The name.")

    private static let aliasList = admin(
        "list", "list the names",
        operands: [
            .init(
                name: "kind", help: "Only names of these: context, app or device.", optional: true,
                choices: AliasActs.Kind.allCases.map(\.rawValue))
        ],
        examples: [
            .init(says: "all of them", line: "mero alias list"),
            .init(says: "those of contexts", line: "mero alias list context"),
        ], act: AliasActs.list)

    private static let aliasShow = admin(
        "show", "print the id that a name stands for",
        operands: [aliasKind, aliasName],
        examples: [.init(says: "look it up", line: "mero alias show context notes")], act: AliasActs.show)

    private static let aliasAdd = admin(
        "add", "give an id a name",
        operands: [aliasKind, aliasName, .init(name: "id", help: "What it stands for.")],
        examples: [.init(says: "name a context", line: "mero alias add context notes $CONTEXT")], act: AliasActs.add)

    private static let aliasRemove = admin(
        "remove", "take a name away",
        details: ["What it stood for stays as it is. A name that is not there is no error."],
        operands: [aliasKind, aliasName],
        examples: [.init(says: "forget it", line: "mero alias remove context notes")], act: AliasActs.remove)
}
