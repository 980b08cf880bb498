extension Command {
    static let identity = Command(
        name: "identity", summary: "who the node is: its account, its devices, its keys",
        details: [
            "A node acts for an account, as one of the account's devices. The account of this machine, for relays, is "
                + "another matter (\"mero account\")."
        ],
        examples: [
            .init(says: "the account, for whoever adds you to a group", line: "mero identity show"),
            .init(says: "the account's devices", line: "mero identity devices"),
        ],
        subcommands: [
            identityShow, identityDevices, identityApplications, identityLabel, identityRevoke, identityNew,
        ])

    private static let deviceOperand = Operand(name: "device", help: "The device's id (\"mero identity devices\").")

    private static let identityShow = admin(
        "show", "show the node's account, device and keys",
        examples: [
            .init(says: "look", line: "mero identity show"),
            .init(says: "the account, in a script", line: "mero identity show --json | jq -r .accountId"),
        ], act: IdentityActs.show)

    private static let identityDevices = admin(
        "devices", "list the devices of the node's account",
        examples: [.init(says: "look", line: "mero identity devices")], act: IdentityActs.devices)

    private static let identityApplications = admin(
        "applications", "list what the node's account uses",
        examples: [.init(says: "look", line: "mero identity applications")], act: IdentityActs.applications)

    private static let identityLabel = admin(
        "label", "give a device of the account a label",
        operands: [deviceOperand, .init(name: "label", help: "The label.")],
        examples: [.init(says: "label it", line: "mero identity label $DEVICE laptop")], act: IdentityActs.label)

    private static let identityRevoke = admin(
        "revoke", "withdraw a device of the account, everywhere and for good",
        details: ["For a device that is lost. Its keys never count again, in any namespace."],
        operands: [.namespaceId, deviceOperand], options: [.yes],
        examples: [.init(says: "withdraw it", line: "mero identity revoke $NAMESPACE $DEVICE")],
        act: IdentityActs.revoke)

    private static let identityNew = admin(
        "new", "make a key pair of which the node keeps the private half",
        examples: [.init(says: "make one", line: "mero identity new")], act: IdentityActs.new)
}
