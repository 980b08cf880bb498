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
            identityShow, identityDevices, identityApplications, identityPair, identityComplete, identityScope,
            identityRelink, identityLabel, identityRevoke, identityLink, identitySign, identityNew,
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

    private static let identityPair = admin(
        "pair", "make this node a device of another node's account",
        details: [
            "Run it on the new node; it gives up the account it has. Prints a request and a code: take both to the node that "
                + "holds the account's root and run \"mero identity complete\" there within five minutes.",
            "Both words are what \"mero identity show\" prints there.",
        ],
        operands: [
            .init(name: "root-key", help: "The public key of the account's root (\"account root\")."),
            .init(name: "account-namespace", help: "The account's own namespace (\"account namespace\")."),
        ],
        options: [.pairNamespace, .yes],
        examples: [
            .init(says: "on the new node", line: "mero identity pair $ROOT_KEY $ACCOUNT_NAMESPACE"),
            .init(says: "on the node with the root", line: "mero identity complete $REQUEST 3F1A-09BC-77D2-E04B"),
        ], act: PairingActs.pair)

    private static let identityComplete = admin(
        "complete", "take a new node in as a device of this node's account",
        details: [
            "Type the code from the new node's own screen, not from where the request came: whoever could change the one "
                + "could change the other."
        ],
        operands: [
            .init(name: "request", help: "What \"mero identity pair\" printed on the new node."),
            .init(name: "code", help: "The code that it printed."),
        ],
        options: [.scopeApplication],
        examples: [
            .init(says: "take it in", line: "mero identity complete $REQUEST 3F1A-09BC-77D2-E04B"),
            .init(
                says: "for one application only",
                line: "mero identity complete $REQUEST 3F1A-09BC-77D2-E04B --application $APPLICATION"),
        ], act: PairingActs.complete)

    private static let identityScope = admin(
        "scope", "say which applications a device of the account is for",
        details: [
            "In place of what was said before. It leaves the namespaces of others, and comes into those of these."
        ],
        operands: [
            deviceOperand,
            .init(name: "application", help: "The applications' ids, or \"all\".", repeats: true),
        ],
        examples: [
            .init(says: "one application", line: "mero identity scope $DEVICE $APPLICATION"),
            .init(says: "every one", line: "mero identity scope $DEVICE all"),
        ], act: PairingActs.scope)

    private static let identityRelink = admin(
        "relink", "bring a device into namespaces where it is missing",
        details: ["With applications its scope grows by them; it never shrinks (\"mero identity scope\")."],
        operands: [
            deviceOperand,
            .init(name: "application", help: "Applications to add to its scope.", optional: true, repeats: true),
        ],
        examples: [
            .init(says: "repair", line: "mero identity relink $DEVICE"),
            .init(says: "for one more application", line: "mero identity relink $DEVICE $APPLICATION"),
        ], act: PairingActs.relink)

    private static let identityLink = admin(
        "link", "let another account's device speak for it in a namespace",
        details: ["For a node that serves an account which has none. The account has to be a member."],
        operands: [
            .namespaceId,
            .init(name: "credential", help: "The device's certificate, hex (\"mero account show --json\")."),
            .init(name: "scope", help: "What the device is for, signed by the account's root, hex."),
        ],
        examples: [.init(says: "link it", line: "mero identity link $NAMESPACE $CREDENTIAL $SCOPE")],
        act: PairingActs.link)

    private static let identitySign = admin(
        "sign", "sign a text with the account's root, for a service outside",
        details: [
            "Only on the node that holds the root. The purpose is signed along, so that one cannot pass as another."
        ],
        operands: [
            .init(name: "purpose", help: "link, login or recovery.", choices: ["link", "login", "recovery"]),
            .init(name: "text", help: "What is signed: what the service gave."),
        ],
        options: [.hexText],
        examples: [.init(says: "answer a challenge", line: "mero identity sign login $CHALLENGE")],
        act: ProofActs.sign)

    private static let identityNew = admin(
        "new", "make a key pair of which the node keeps the private half",
        examples: [.init(says: "make one", line: "mero identity new")], act: IdentityActs.new)
}
