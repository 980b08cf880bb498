extension Command {
    static let namespace = Command(
        name: "namespace", summary: "namespaces: list, create, join, leave, delete",
        details: [
            "A namespace is where people work together: members, groups and contexts, around one application."
        ],
        examples: [
            .init(says: "found one", line: "mero namespace create --application $APPLICATION --name team"),
            .init(says: "invite somebody", line: "mero invite create $NAMESPACE"),
        ],
        subcommands: [
            namespaceList, namespaceShow, namespaceCreate, namespaceJoin, namespaceLeave, namespaceAdmin,
            namespaceProve, namespaceMigration, namespaceAbort, namespaceUsage, namespaceDelete,
        ])

    private static let namespaceList = admin(
        "list", "list the namespaces that the session may see",
        options: [.applicationId, .relay],
        examples: [
            .init(says: "all of them", line: "mero namespace list"),
            .init(
                says: "those of the profile's account, at a relay",
                line: "mero namespace list --relay https://relay.example"),
            .init(says: "those of an application", line: "mero namespace list --application $APPLICATION"),
        ], act: NamespaceActs.list)

    private static let namespaceShow = admin(
        "show", "show a namespace",
        operands: [.namespaceId],
        examples: [.init(says: "look", line: "mero namespace show $NAMESPACE")], act: NamespaceActs.show)

    private static let namespaceCreate = admin(
        "create", "found a namespace around an application",
        details: ["The application has to be installed. The node's account becomes owner and admin."],
        options: [.applicationId, .givenName, .release],
        examples: [
            .init(says: "found one", line: "mero namespace create --application $APPLICATION --name team")
        ], act: NamespaceActs.create)

    private static let namespaceJoin = admin(
        "join", "join with an invitation, and bring the contexts here",
        details: [
            "The same as \"mero invite accept\". It waits for a member's node, about a minute at most."
        ],
        operands: [InviteActs.operand], options: [.callMe, .noContexts],
        examples: [.init(says: "join", line: "mero namespace join $INVITATION")], act: InviteActs.accept)

    private static let namespaceLeave = admin(
        "leave", "leave a namespace and every group in it",
        details: ["The way back is an invitation, or somebody who adds you. The owner cannot leave."],
        operands: [.namespaceId], options: [.yes],
        examples: [.init(says: "leave", line: "mero namespace leave $NAMESPACE")], act: NamespaceActs.leave)

    private static let namespaceAdmin = admin(
        "admin", "make another member the namespace's admin",
        details: [
            "An act of the owner: a node that holds the owner's account root signs by itself; for any other, --sign asks for "
                + "the recovery phrase and signs here."
        ],
        operands: [.namespaceId, .accountId], options: [.sign, .phraseFromInput, .yes],
        examples: [.init(says: "hand it on", line: "mero namespace admin $NAMESPACE $ACCOUNT")],
        act: NamespaceActs.admin)

    private static let namespaceProve = admin(
        "prove", "sign for somebody that the namespace is the account's",
        details: [
            "For a service that asks whose a namespace is. It checks the signature over the payload's bytes as they are, and "
                + "takes each nonce once. The node has to be an admin."
        ],
        operands: [.namespaceId], options: [.audience, .subject, .nonce, .validSeconds, .provenContext],
        examples: [
            .init(
                says: "for a shop", line: "mero namespace prove $NAMESPACE --audience shop.example --subject order-7"),
            .init(
                says: "for one context, with their nonce",
                line: "mero namespace prove $NAMESPACE --context $CONTEXT --audience shop --subject s --nonce $N"),
        ], act: ProofActs.ownership)

    private static let namespaceMigration = admin(
        "migration", "show how far the members are with a migration",
        operands: [.namespaceId],
        examples: [.init(says: "look", line: "mero namespace migration $NAMESPACE")], act: UpgradeActs.migration)

    private static let namespaceAbort = admin(
        "abort-migration", "stop a migration",
        operands: [.namespaceId], options: [.yes],
        examples: [.init(says: "stop it", line: "mero namespace abort-migration $NAMESPACE")],
        act: UpgradeActs.abort)

    private static let namespaceUsage = admin(
        "usage", "show how much each namespace stores",
        examples: [.init(says: "look", line: "mero namespace usage")], act: NamespaceActs.usage)

    private static let namespaceDelete = admin(
        "delete", "delete a namespace and all in it",
        operands: [.namespaceId], options: [.yes],
        examples: [
            .init(says: "ask first", line: "mero namespace delete $NAMESPACE"),
            .init(says: "in a script", line: "mero namespace delete $NAMESPACE --yes"),
        ], act: NamespaceActs.delete)
}

extension OptionSpec {
    static let release = OptionSpec(
        name: "release", value: .text("BLOB"),
        help: "Run this release, by its bytecode's id (the newest on the node when not given).")
}
