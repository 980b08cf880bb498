extension Command {
    static let cloud = Command(
        name: "cloud", summary: "Calimero Cloud: sign in, find relays, have namespaces hosted",
        details: [
            "There are two ways to be signed in, and neither stands in for the other. This device is signed in as an account's: "
                + "that is all it takes to write and read through a relay. The cloud's user is signed in to own namespaces and "
                + "have them hosted (--owner, --google-stdin).",
            "\"mero dev --with-cloud\" runs a cloud on this machine to try it with.",
        ],
        examples: [
            .init(says: "sign this device in, by the wallet in the browser", line: "mero cloud login"),
            .init(says: "see the relay, and what works", line: "mero cloud connect"),
            .init(says: "have a namespace hosted", line: "mero cloud ha enable $NAMESPACE"),
        ],
        subcommands: [
            cloudLogin, cloudLogout, cloudNamespaces, cloudRelays, cloudClaim, cloudHa, cloudConnect,
        ])

    private static let cloudLogin = Command(
        name: "login", summary: "sign this device in, or the cloud's user",
        details: [
            "Without an option this device is signed in: the wallet opens in the browser, asks the person, and certifies the "
                + "profile's device. Its answer comes back to this machine, to a page that mero serves until then. The hosted "
                + "wallet returns to https pages only, for the time being; a wallet of your own (--wallet) may return here. A device that "
                + "was certified without the wallet is signed in with --certified, which takes no browser.",
            "With --owner or --google-stdin the user of the cloud is signed in. The recovery phrase is asked for on the terminal, "
                + "or read from standard input with --phrase-stdin. Neither is ever an argument, and neither is kept.",
            "What is kept is in the profile, in files that only you can read.",
        ],
        options: [
            .noBrowser, .callbackPort, .wait, .replaceCertificate, .certified, .owner, .phraseFromInput,
            .googleFromInput, .wallet,
        ] + OptionSpec.cloudConnection,
        examples: [
            .init(says: "this device", line: "mero cloud login"),
            .init(
                says: "a browser elsewhere: paste its address, or ssh -L 8123:127.0.0.1:8123",
                line: "mero cloud login --no-browser --port 8123"),
            .init(says: "this device, once \"mero account import\" certified it", line: "mero cloud login --certified"),
            .init(says: "the owner, by an account that is linked", line: "mero cloud login --owner"),
            .init(says: "the owner, by Google", line: "mero cloud login --google-stdin < token.txt"),
            .init(
                says: "at a cloud for development", line: "mero cloud login --cloud http://127.0.0.1:4001"),
        ],
        body: CloudLoginActs.login)

    private static let cloudLogout = Command(
        name: "logout", summary: "end both sessions, at the cloud and here",
        details: ["The device's keys and certificate stay: \"mero relay\" still works, and so does the next login."],
        options: [.profile, .cacert, .timeout],
        examples: [.init(says: "sign out", line: "mero cloud logout")],
        body: CloudLoginActs.logout)

    private static let cloudNamespaces = Command(
        name: "namespaces", summary: "list the namespaces that the cloud's user owns",
        options: OptionSpec.cloudConnection,
        examples: [
            .init(says: "list them", line: "mero cloud namespaces"),
            .init(says: "for a script", line: "mero cloud namespaces --json"),
        ],
        body: AdminRun.body(CloudActs.namespaces))

    private static let cloudRelays = Command(
        name: "relays", summary: "list the relays of the account, or of a namespace",
        details: [
            "Without a namespace: those of the account that is signed in, and which one it goes by from now on.",
            "With one: what its owner is told when the cloud's user is signed in, else what everybody is.",
        ],
        operands: [.init(name: "namespace", help: "A namespace's id.", optional: true)],
        options: OptionSpec.cloudConnection,
        examples: [
            .init(says: "the account's", line: "mero cloud relays"),
            .init(says: "a namespace's", line: "mero cloud relays $NAMESPACE"),
        ],
        body: AdminRun.body(CloudActs.relays))

    private static let cloudClaim = Command(
        name: "claim", summary: "make a namespace of your node the cloud user's",
        details: [
            "The profile's node (\"mero login\") proves that it is an admin of the namespace; the cloud's user has to be signed in "
                + "as well. Claiming it again changes nothing."
        ],
        operands: [.namespaceId],
        options: [.cloud] + OptionSpec.connection,
        examples: [.init(says: "claim it", line: "mero cloud claim $NAMESPACE")],
        body: AdminRun.body(CloudActs.claim))

    private static let cloudHa = Command(
        name: "ha", summary: "have a namespace hosted by the cloud's nodes, or no longer",
        examples: [
            .init(says: "a namespace that was claimed", line: "mero cloud ha enable $NAMESPACE"),
            .init(says: "no longer", line: "mero cloud ha disable $NAMESPACE"),
        ],
        subcommands: [haEnable, haDisable])

    private static let haEnable = Command(
        name: "enable", summary: "have a namespace hosted",
        details: [
            "As the cloud's user, for a namespace that was claimed. With --salt as the account that founded it, which has to be "
                + "linked to one cloud user; nobody needs to be signed in as that.",
            "The cloud assigns a relay, which takes it a moment.",
        ],
        operands: [.namespaceId],
        options: [.announceNode, .foundingSalt, .foundingRelay, .cloud] + OptionSpec.connection,
        examples: [
            .init(says: "after \"mero cloud claim\"", line: "mero cloud ha enable $NAMESPACE"),
            .init(says: "and say where the node is", line: "mero cloud ha enable $NAMESPACE --announce-node"),
            .init(says: "as its founder", line: "mero cloud ha enable $NAMESPACE --salt $SALT"),
        ],
        body: AdminRun.body(CloudActs.enable))

    private static let haDisable = Command(
        name: "disable", summary: "end the hosting; the cloud's nodes delete the namespace",
        details: ["The nodes leave it and delete its data and keys. Asks first, unless --yes is given."],
        operands: [.namespaceId], options: [.yes] + OptionSpec.cloudConnection,
        examples: [
            .init(says: "end it", line: "mero cloud ha disable $NAMESPACE"),
            .init(says: "from a script", line: "mero cloud ha disable $NAMESPACE --yes"),
        ],
        body: AdminRun.body(CloudActs.disable))

    private static let cloudConnect = Command(
        name: "connect", summary: "connect to the relay, and say what works",
        details: [
            "Without a namespace: the device goes to its relay, checks who that is and opens a session for reads and events, which "
                + "is kept. With one: finds the relay that writes there, as the cloud's user."
        ],
        operands: [.init(name: "namespace", help: "A namespace that the cloud's user owns.", optional: true)],
        options: OptionSpec.cloudConnection,
        examples: [
            .init(says: "as the account", line: "mero cloud connect"),
            .init(says: "to a namespace of your own", line: "mero cloud connect $NAMESPACE"),
        ],
        body: AdminRun.body(CloudActs.connect))
}
