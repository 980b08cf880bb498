extension Command {
    static let group = Command(
        name: "group", summary: "groups below a namespace: list, create, upgrade, delete",
        details: [
            "Groups make a tree with a namespace at its root. Every command here takes a namespace in place of a group, but "
                + "for what ends it (\"mero namespace\"). Members have commands of their own (\"mero member\")."
        ],
        examples: [
            .init(says: "what is below a namespace", line: "mero group list $NAMESPACE"),
            .init(says: "one more", line: "mero group create $NAMESPACE --name editors"),
        ],
        subcommands: [
            groupList, groupShow, groupCreate, groupContexts, groupJoin, groupLeave, groupSync, groupRename,
            groupMove, groupVisibility, groupGrant, groupRevoke, groupUpgrade, groupUpgradeStatus, groupUpgradeRetry,
            groupDetach, groupTransfer, groupDelete,
        ])

    private static let groupList = admin(
        "list", "list the groups below a namespace or group",
        details: ["Of a namespace all groups below it; of a group those right below it."],
        operands: [.groupId],
        examples: [.init(says: "look", line: "mero group list $NAMESPACE")], act: GroupActs.list)

    private static let groupShow = admin(
        "show", "show a group: members, application, what newcomers may do",
        operands: [.groupId],
        examples: [.init(says: "look", line: "mero group show $GROUP")], act: GroupActs.show)

    private static let groupCreate = admin(
        "create", "create a group below a namespace or group",
        details: [
            "Its members are added or invited, unless --open lets in everybody who is in the group above and may join open "
                + "groups."
        ],
        operands: [.init(name: "parent", help: "The id of the namespace or group above.")],
        options: [.givenName, .open],
        examples: [
            .init(says: "for those who are added", line: "mero group create $NAMESPACE --name editors"),
            .init(says: "for everybody of the namespace", line: "mero group create $NAMESPACE --name lobby --open"),
        ], act: GroupActs.create)

    private static let groupContexts = admin(
        "contexts", "list the contexts of a group",
        operands: [.groupId],
        examples: [.init(says: "look", line: "mero group contexts $GROUP")], act: GroupActs.contexts)

    private static let groupJoin = admin(
        "join", "join an open group",
        details: [
            "For members of the group above. With an invitation, use \"mero invite accept\"."
        ],
        operands: [.groupId],
        examples: [.init(says: "join", line: "mero group join $GROUP")], act: GroupActs.join)

    private static let groupLeave = admin(
        "leave", "leave a group",
        details: ["The way back is an invitation, or somebody who adds you."],
        operands: [.groupId], options: [.yes],
        examples: [.init(says: "leave", line: "mero group leave $GROUP")], act: GroupActs.leave)

    private static let groupSync = admin(
        "sync", "ask peers for what is missing, and join the contexts",
        operands: [.groupId],
        examples: [.init(says: "after joining", line: "mero group sync $GROUP")], act: GroupActs.sync)

    private static let groupRename = admin(
        "rename", "give a group or namespace a name, for all its members",
        operands: [.groupId, .init(name: "name", help: "1 to 64 bytes.")],
        examples: [.init(says: "rename", line: "mero group rename $GROUP editors")], act: GroupActs.rename)

    private static let groupMove = admin(
        "move", "move a group below another one of its namespace",
        operands: [.groupId, .init(name: "parent", help: "The id of the namespace or group above.")],
        examples: [.init(says: "move", line: "mero group move $GROUP $PARENT")], act: GroupActs.move)

    private static let groupVisibility = admin(
        "visibility", "open a group to those above, or close it",
        operands: [.groupId, .init(name: "visibility", help: "open or restricted.", choices: ["open", "restricted"])],
        examples: [.init(says: "open it", line: "mero group visibility $GROUP open")], act: GroupActs.visibility)

    private static let groupGrant = admin(
        "grant", "let those who join later do more",
        details: [
            "Members of now keep what they may do (\"mero member grant\"). Reads and then writes: an admin who changes the "
                + "same in between is overruled."
        ],
        operands: [.groupId, MemberWords.capabilityOperand],
        examples: [.init(says: "let newcomers invite", line: "mero group grant $GROUP invite create-contexts")],
        act: GroupActs.grant)

    private static let groupRevoke = admin(
        "revoke", "let those who join later do less",
        details: ["Members of now keep what they may do (\"mero member revoke\")."],
        operands: [.groupId, MemberWords.capabilityOperand],
        examples: [.init(says: "no invitations by newcomers", line: "mero group revoke $GROUP invite")],
        act: GroupActs.revoke)

    private static let groupUpgrade = admin(
        "upgrade", "move a group's contexts to a new version of the application",
        details: [
            "To what is installed of the application; without --application the group's own. The application's migration "
                + "runs over the state, for which there is no way back.",
            "With --cascade all groups below that run the same come along.",
        ],
        operands: [.groupId], options: [.applicationId, .cascade, .codeOnly, .yes],
        examples: [
            .init(says: "to the newest version installed", line: "mero group upgrade $NAMESPACE --cascade"),
            .init(says: "how far it is", line: "mero group upgrade-status $NAMESPACE"),
        ], act: UpgradeActs.upgrade)

    private static let groupUpgradeStatus = admin(
        "upgrade-status", "show how far a group's upgrade is on this node",
        operands: [.groupId],
        examples: [.init(says: "look", line: "mero group upgrade-status $GROUP")], act: UpgradeActs.status)

    private static let groupUpgradeRetry = admin(
        "upgrade-retry", "start a failed upgrade again",
        operands: [.groupId],
        examples: [.init(says: "try again", line: "mero group upgrade-retry $GROUP")], act: UpgradeActs.retry)

    private static let groupDetach = admin(
        "detach", "take a context out of its group",
        operands: [.groupId, .contextId], options: [.yes],
        examples: [.init(says: "take it out", line: "mero group detach $GROUP $CONTEXT")], act: GroupActs.detach)

    private static let groupTransfer = admin(
        "transfer", "give a group or namespace to another owner",
        details: [
            "The new owner has to be an admin. A node that holds the owner's account root signs by itself; for any other, "
                + "--sign asks for the owner's recovery phrase and signs here."
        ],
        operands: [.groupId, .accountId], options: [.sign, .phraseFromInput, .yes],
        examples: [
            .init(says: "through the owner's own node", line: "mero group transfer $GROUP $ACCOUNT"),
            .init(says: "with the recovery phrase", line: "mero group transfer $GROUP $ACCOUNT --sign"),
        ], act: GroupActs.transfer)

    private static let groupDelete = admin(
        "delete", "delete a group, all below it and their contexts",
        details: [
            "For its admins. With --as-owner for its owner, be they an admin or not, once no context is left in it: a node that "
                + "holds the owner's account root signs by itself; for any other, --sign asks for the recovery phrase."
        ],
        operands: [.groupId], options: [.asOwner, .sign, .phraseFromInput, .yes],
        examples: [
            .init(says: "ask first", line: "mero group delete $GROUP"),
            .init(says: "in a script", line: "mero group delete $GROUP --yes"),
            .init(says: "one's own, with the recovery phrase", line: "mero group delete $GROUP --as-owner --sign"),
        ], act: GroupActs.delete)
}

extension OptionSpec {
    static let open = OptionSpec(name: "open", help: "Let in the members of the group above.")
    static let cascade = OptionSpec(name: "cascade", help: "The groups below as well.")
    static let codeOnly = OptionSpec(
        name: "code-only", help: "Switch the code and run no migration, where the node would want one.")
    static let asOwner = OptionSpec(name: "as-owner", help: "Delete it as its owner; it must hold no contexts.")
    static let sign = OptionSpec(
        name: "sign", help: "Sign here, with the recovery phrase of the owner's account, which is asked for.")
}
