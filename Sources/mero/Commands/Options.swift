/// The options that several commands share.
extension OptionSpec {
    static let help = OptionSpec(name: "help", short: "h", help: "Explain the command and stop.")
    static let version = OptionSpec(name: "version", help: "Print the version and stop.")
    static let json = OptionSpec(
        name: "json", short: "j",
        help: "Print JSON on standard output (one document, or one a line) and errors as one JSON object.")

    static let profile = OptionSpec(
        name: "profile", short: "p", value: .profile,
        help: "Use the settings and the session of this profile (\"default\" when not given).",
        environment: "MERO_PROFILE")
    static let node = OptionSpec(
        name: "node", short: "n", value: .node, help: "The node's address, instead of the profile's.",
        environment: "MERO_NODE")
    static let cacert = OptionSpec(
        name: "cacert", value: .file,
        help: "A PEM file with certificate authorities to trust besides the system's.")
    static let timeout = OptionSpec(
        name: "timeout", value: .seconds,
        help: "Give up an attempt when nothing moved for this long (10 when not given).")
    static let retry = OptionSpec(
        name: "retry", value: .choice(["documented", "unsent", "never"]),
        help:
            "When to try again: \"documented\" up to twice more after passing failures, which can run a write twice; "
            + "\"unsent\" only when the node cannot have seen the request; \"never\".")

    static let user = OptionSpec(name: "user", short: "u", value: .text("NAME"), help: "The user to sign in as.")
    static let passwordFromInput = OptionSpec(
        name: "password-stdin",
        help: "Read the password from standard input (its first line) instead of asking on the terminal.")

    /// What every command understands.
    static let everywhere = [json, help]
    /// What every command that talks to a node understands.
    static let connection = [node, profile, cacert, timeout, retry]
    /// What may also stand between `mero` and the command.
    static let beforeCommand = connection
}
