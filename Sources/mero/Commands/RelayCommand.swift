import Foundation
import MeroKit

extension Command {
    static let relay = Command(
        name: "relay", summary: "act for an account through somebody else's node",
        details: [
            "A relay writes for an account that has no node. Each write is a warrant: this device signs that the relay may run "
                + "one method with these arguments, once. Reads and events are signed request by request.",
            "The account and its device come from the profile (\"mero account new\" or \"import\"). Where MERO_RELAY is set, "
                + "--relay need not be written.",
        ],
        examples: [
            .init(
                says: "what a relay may do in a context",
                line: "mero relay describe $CONTEXT --relay https://relay.example"),
            .init(
                says: "write through it",
                line:
                    #"mero relay call $CONTEXT set '{"key":"greeting","value":"hello"}' --relay https://relay.example"#),
        ],
        subcommands: [relayDescribe, relayAttest, relayCall, relayQuery, relayFound, relayJoin])

    private static let relayDescribe = Command(
        name: "describe", summary: "what a relay says about itself in a context or group",
        details: [
            "Sends no credential and spends nothing. In a context a relay goes by a key of its own there; its node key, which "
                + "\"mero relay found\" and events by session need, is what it tells about a group. Trust only a key that "
                + "somebody else has confirmed."
        ],
        operands: [.init(name: "context", help: "The context's id; none with --group.", optional: true)],
        options: [.describedGroup] + OptionSpec.sealing + OptionSpec.relayConnection,
        examples: [
            .init(says: "in a context", line: "mero relay describe $CONTEXT --relay https://relay.example"),
            .init(says: "in a group", line: "mero relay describe --group $GROUP --relay https://relay.example"),
        ],
        body: RelayActs.describe)

    private static let relayAttest = Command(
        name: "attest", summary: "have a relay prove which program it runs, and tell its keys",
        details: [
            "Asks the relay for a quote of its enclave over its node key and its transport key, and verifies it: Intel's "
                + "signatures, the platform's state, and an image that Calimero signed. Of a relay on this machine a mock "
                + "quote is taken, which nothing stands behind.",
            "The node key is what \"mero relay found\" and observers are given; the transport key changes with each restart.",
        ],
        options: [.relay, .trustedRelease, .cacert, .timeout],
        examples: [
            .init(says: "attest a relay", line: "mero relay attest --relay https://relay.example"),
            .init(
                says: "an older release", line: "mero relay attest --min-release 2.3.87 --relay https://relay.example"),
        ],
        body: RelayAttestation.run)

    private static let relayCall = Command(
        name: "call", summary: "run a method under a warrant",
        details: [
            "The answer is printed as by \"mero call\"; \"mero call --relay\" is the same command. Every call is a warrant, also of "
                + "a method that only reads: \"mero relay query\" reads without one.",
            "A write is never sent twice. When the answer is lost (exit code 4) it is not known whether it ran: read the state "
                + "before you write again.",
        ],
        operands: callOperands,
        options: [.raw] + OptionSpec.sealing + OptionSpec.relayConnection,
        examples: [
            .init(
                says: "write",
                line:
                    #"mero relay call $CONTEXT set '{"key":"greeting","value":"hello"}' --relay https://relay.example"#)
        ],
        body: RelayActs.call)

    private static let relayQuery = Command(
        name: "query", summary: "run a reading method as the account",
        details: ["No warrant: the relay runs the method only if it writes nothing, and refuses it otherwise."],
        operands: callOperands,
        options: [.raw] + OptionSpec.sealing + OptionSpec.relayConnection,
        examples: [
            .init(
                says: "read", line: #"mero relay query $CONTEXT get '{"key":"greeting"}' --relay https://relay.example"#
            )
        ],
        body: RelayActs.query)

    private static let relayFound = Command(
        name: "found", summary: "found a namespace of the account's own",
        details: [
            "The relay cannot be asked who it is about a namespace that does not exist: its account and its node key have to "
                + "come from somebody you trust, an attestation or the one who runs it.",
            "Keep the salt that is printed: with the account it proves who founded the namespace.",
        ],
        options: [.executor, .nodeKey, .application, .package, .packageVersion, .memberCapabilities]
            + OptionSpec.sealing + OptionSpec.relayConnection,
        examples: [
            .init(
                says: "found one, and let it run an application",
                line: "mero relay found --executor $ACCOUNT --node-key $KEY --application $ID "
                    + "--package com.example.app --package-version 1.0.0 --relay https://relay.example")
        ],
        body: RelayActs.found)

    private static let relayJoin = Command(
        name: "join", summary: "join a namespace with an invitation",
        details: [
            "Takes a link, a token or the invitation as JSON; - reads it from standard input. That the join was published is "
                + "not membership yet: it takes the network a moment. Prints the contexts of the namespace once they can be seen."
        ],
        operands: [.init(name: "invitation", help: "A link, a token, JSON, or - for standard input.")],
        options: OptionSpec.sealing + OptionSpec.relayConnection,
        examples: [.init(says: "join", line: "mero relay join $LINK --relay https://relay.example")],
        body: RelayActs.join)

    private static let callOperands: [Operand] = [
        .init(name: "context", help: "The context's id, 64 hex digits."),
        .init(name: "method", help: "The contract's method."),
        .init(name: "json", help: "Its arguments as a JSON object, or - for standard input.", optional: true),
    ]
}

extension OptionSpec {
    static let describedGroup = OptionSpec(
        name: "group", short: "g", value: .text("ID"), help: "A group or namespace, instead of a context.")
    static let executor = OptionSpec(name: "executor", value: .text("ACCOUNT"), help: "The relay's account, 64 hex.")
    static let nodeKey = OptionSpec(
        name: "node-key", value: .text("KEY"), help: "The relay's node key, 64 hex, from somebody you trust.")
    static let application = OptionSpec(
        name: "application", value: .text("ID"), help: "The application that the namespace runs.")
    static let package = OptionSpec(
        name: "package", value: .text("NAME"), help: "The application's package, with --application.")
    static let packageVersion = OptionSpec(
        name: "package-version", value: .text("VERSION"), help: "The package's version, with --application.")
    static let memberCapabilities = OptionSpec(
        name: "member-capabilities", value: .text("MASK"), help: "What its members may do, as a number (231 is usual).")
}
