extension Command {
    static let invite = Command(
        name: "invite", summary: "invitations: make, look into, link, accept",
        details: [
            "An invitation is a token, or a link around it. Whoever has it can join until it expires, after a day at the "
                + "latest: send it to nobody else."
        ],
        examples: [
            .init(says: "invite somebody", line: "mero invite create $NAMESPACE"),
            .init(says: "accept on the other side", line: "mero invite accept $INVITATION"),
        ],
        subcommands: [inviteCreate, inviteShow, inviteLink, inviteAccept])

    private static let inviteCreate = admin(
        "create", "make an invitation to a namespace or group",
        details: [
            "Prints the token, or with --slug a link that the app of that name opens. With --recursive there is one for every "
                + "group below as well, a line each.",
            "With --as-account the device that is signed in to the cloud signs it, without a node: for namespaces that the "
                + "cloud hosts, and in which the account may invite: as an admin, or after an admin's \"mero member grant "
                + "NAMESPACE ACCOUNT invite\". What others sign is refused when somebody accepts it.",
        ],
        operands: [.groupId], options: [.lifetime, .recursive, .admitter, .slug, .asAccount, .cloud],
        examples: [
            .init(says: "for a day", line: "mero invite create $NAMESPACE"),
            .init(says: "for an hour, as a link", line: "mero invite create $NAMESPACE --expires 3600 --slug notes"),
            .init(says: "as an account without a node", line: "mero invite create $NAMESPACE --as-account"),
            .init(
                says: "from one node to another, in a script",
                line: #"mero invite accept "$(mero invite create $NAMESPACE)" --profile other"#),
        ], act: InviteActs.create)

    private static let inviteShow = Command(
        name: "show", summary: "show what an invitation is for, and until when",
        details: ["Looks into it here; no node is asked, and the signature is not checked."],
        operands: [InviteActs.operand],
        examples: [
            .init(says: "look", line: "mero invite show $INVITATION"),
            .init(says: "from a file", line: "mero invite show - < invitation.txt"),
        ], body: AdminRun.body(InviteActs.show))

    private static let inviteLink = Command(
        name: "link", summary: "make a link of an invitation, for the app that it is to",
        details: [
            "The link leads to the app of that package id, on a phone too. Only what stands before the invitation is made: it is "
                + "the same invitation, and holds as long."
        ],
        operands: [InviteActs.operand], options: [.slugOfLink],
        examples: [
            .init(says: "a link", line: "mero invite link $INVITATION --slug com.example.notes"),
            .init(
                says: "of a new invitation",
                line: "mero invite create $NAMESPACE | mero invite link - --slug com.example.notes"),
        ], body: AdminRun.body(InviteActs.link))

    private static let inviteAccept = admin(
        "accept", "join with an invitation, and bring the contexts here",
        details: [
            "Waits for a member's node, about a minute at most. Invitations to a group below a namespace need --subgroup.",
            "With --as-account the account joins that is signed in to the cloud, without a node: the cloud says who can let it "
                + "in, or --relay does. An account without a relay goes by that one from then on.",
        ],
        operands: [InviteActs.operand],
        options: [.callMe, .noContexts, .subgroup, .asAccount, .admittingRelay, .cloud],
        examples: [
            .init(says: "accept", line: "mero invite accept $INVITATION"),
            .init(says: "from a file", line: "mero invite accept - < invitation.txt"),
            .init(says: "as an account without a node", line: "mero invite accept $INVITATION --as-account"),
        ], act: InviteActs.accept)
}

extension OptionSpec {
    static let lifetime = OptionSpec(
        name: "expires", value: .seconds, help: "How long it holds (a day when not given, which is also the most).")
    static let recursive = OptionSpec(name: "recursive", help: "To every group below as well.")
    static let admitter = OptionSpec(
        name: "admitter", value: .text("ACCOUNT"),
        help: "Only this account's nodes may let the bearer in (all admins' when not given).", repeats: true)
    static let slug = OptionSpec(name: "slug", value: .text("APP"), help: "Print a link for the app of this name.")
    static let slugOfLink = OptionSpec(
        name: "slug", value: .text("APP"), help: "The app's package id, such as com.example.notes.")
    static let asAccount = OptionSpec(
        name: "as-account",
        help: "As the account that is signed in to the cloud (\"mero cloud login\"), without a node.")
    static let admittingRelay = OptionSpec(
        name: "relay", short: "r", value: .node,
        help: "With --as-account: the relay that is to let the account in, instead of one that the cloud knows.")
    static let callMe = OptionSpec(
        name: "group-name", value: .text("NAME"), help: "What this node calls the namespace or group.")
    static let noContexts = OptionSpec(name: "no-contexts", help: "Join no contexts yet (\"mero group sync\" does).")
    static let subgroup = OptionSpec(name: "subgroup", help: "It is for a group below a namespace.")
}
