extension Command {
    static let member = Command(
        name: "member", summary: "members of a group or namespace, and what they may do",
        details: [
            "Members are accounts. Where one is asked for, the key of a device looks the same and grants nobody anything: "
                + "\"mero identity show\" prints the account of a node, \"mero member devices\" whose a device is."
        ],
        examples: [
            .init(says: "who is in it", line: "mero member list $NAMESPACE"),
            .init(says: "promote somebody", line: "mero member role $NAMESPACE $ACCOUNT admin"),
        ],
        subcommands: [
            memberList, memberShow, memberDevices, memberAdd, memberRemove, memberRole, memberGrant, memberRevoke,
            memberRename, memberFollow, memberSeal,
        ])

    private static let memberList = admin(
        "list", "list the members of a group or namespace",
        operands: [.groupId],
        examples: [
            .init(says: "look", line: "mero member list $GROUP"),
            .init(
                says: "its admins, in a script",
                line: #"mero member list $GROUP --json | jq -r '.members[] | select(.role == "Admin").account'"#),
        ], act: MemberActs.list)

    private static let memberShow = admin(
        "show", "show a member: role, and what it may do",
        operands: [.groupId, .accountId],
        examples: [.init(says: "look", line: "mero member show $GROUP $ACCOUNT")], act: MemberActs.show)

    private static let memberDevices = admin(
        "devices", "list the members' devices",
        details: ["An admin sees all of them, anybody else their own."],
        operands: [.groupId],
        examples: [.init(says: "look", line: "mero member devices $GROUP")], act: MemberActs.devices)

    private static let memberAdd = admin(
        "add", "add accounts to a group",
        details: ["No node checks that an account exists: a slip adds a member that nobody is."],
        operands: [
            .groupId, .init(name: "account", help: "Their accounts (\"mero identity show\" there).", repeats: true),
        ],
        options: [MemberWords.roleOption],
        examples: [
            .init(says: "a member", line: "mero member add $GROUP $ACCOUNT"),
            .init(says: "who may only read", line: "mero member add $GROUP $ACCOUNT --role reader"),
        ], act: MemberActs.add)

    private static let memberRemove = admin(
        "remove", "remove accounts from a group or namespace",
        details: ["The way back is an invitation, or being added. The last admin and the owner stay."],
        operands: [.groupId, .init(name: "account", help: "Their accounts.", repeats: true)], options: [.yes],
        examples: [
            .init(says: "ask first", line: "mero member remove $GROUP $ACCOUNT"),
            .init(says: "in a script", line: "mero member remove $GROUP $ACCOUNT --yes"),
        ], act: MemberActs.remove)

    private static let memberSeal = admin(
        "seal", "seal a secret so that only a member's account can open it",
        details: [
            "Reads the secret from standard input, or asks for it on the terminal: at most 64 KiB. It says nothing about who "
                + "sealed it."
        ],
        operands: [.groupId, .accountId],
        examples: [
            .init(says: "a secret from a file", line: "mero member seal $GROUP $ACCOUNT --json < secret.txt"),
            .init(says: "a secret that is typed", line: "mero member seal $GROUP $ACCOUNT"),
        ], act: ProofActs.seal)

    private static let memberRole = admin(
        "role", "give a member another role",
        operands: [.groupId, .accountId, MemberWords.roleOperand],
        examples: [
            .init(says: "promote", line: "mero member role $GROUP $ACCOUNT admin"),
            .init(says: "let read only", line: "mero member role $GROUP $ACCOUNT reader"),
        ], act: MemberActs.role)

    private static let memberGrant = admin(
        "grant", "let a member do more",
        details: [
            "Admins may do everything without it, but for act-for-others: that lets a relay write for members, and has to be "
                + "granted. Reads and then writes: an admin who changes the same in between is overruled."
        ],
        operands: [.groupId, .accountId, MemberWords.capabilityOperand],
        examples: [
            .init(says: "let invite", line: "mero member grant $GROUP $ACCOUNT invite"),
            .init(says: "let a relay write", line: "mero member grant $GROUP $RELAY act-for-others"),
        ], act: MemberActs.grant)

    private static let memberRevoke = admin(
        "revoke", "let a member do less",
        operands: [.groupId, .accountId, MemberWords.capabilityOperand],
        examples: [.init(says: "no more invitations", line: "mero member revoke $GROUP $ACCOUNT invite")],
        act: MemberActs.revoke)

    private static let memberRename = admin(
        "rename", "give a member a name in a group",
        details: ["Members may name themselves."],
        operands: [.groupId, .accountId, .init(name: "name", help: "1 to 64 bytes.")],
        examples: [.init(says: "name somebody", line: "mero member rename $GROUP $ACCOUNT alice")],
        act: MemberActs.rename)

    private static let memberFollow = admin(
        "follow", "set whether a member joins what is new by itself",
        operands: [.groupId, .accountId], options: [.followContexts, .followGroups],
        examples: [
            .init(
                says: "contexts, but not groups",
                line: "mero member follow $GROUP $ACCOUNT --new-contexts on --new-groups off")
        ], act: MemberActs.follow)
}

extension OptionSpec {
    static let followContexts = OptionSpec(
        name: "new-contexts", value: .choice(["on", "off"]), help: "Join new contexts of the group.")
    static let followGroups = OptionSpec(
        name: "new-groups", value: .choice(["on", "off"]), help: "Join new groups below it.")
}
