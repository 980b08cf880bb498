extension Command {
    static let tee = Command(
        name: "tee", summary: "attested machines: what the node is, which a namespace lets in",
        details: [
            "A machine that proves what it runs joins a namespace without an invitation, if the namespace's policy says so. "
                + "Policies are acts of the owner: a node that holds the owner's account root signs by itself; for any other, "
                + "--sign asks for the recovery phrase and signs here."
        ],
        examples: [
            .init(says: "which machines come in", line: "mero tee policy $NAMESPACE"),
            .init(
                says: "let hosted nodes in, as relays",
                line: "mero tee admit $NAMESPACE --tee-profile locked-read-only --tcb UpToDate --as relay"),
        ],
        subcommands: [teeInfo, teePolicy, teeAdmit, teeAuthor, teeNoAuthor])

    private static let teeInfo = admin(
        "info", "show what the node claims to run in",
        details: ["Nothing proves it; that is what attestation is for. A node outside of a TEE answers with an error."],
        examples: [.init(says: "look", line: "mero tee info")], act: TeeActs.info)

    private static let teePolicy = admin(
        "policy", "show which attested machines a namespace lets in",
        operands: [.namespaceId],
        examples: [.init(says: "look", line: "mero tee policy $NAMESPACE")], act: TeeActs.show)

    private static let teeAdmit = admin(
        "admit", "let attested machines in, by measurements or releases",
        details: [
            "Replaces the policy before. By measurements: --mrtd, --rtmr1, --rtmr2 and --rtmr3 at least. By signed releases: "
                + "--tee-profile, and --min-release for the oldest. Another --as changes those that are in already, too."
        ],
        operands: [.namespaceId],
        options: OptionSpec.measurements + [
            .teeProfile, .minRelease, .tcbStatus, .acceptMock, .teeMode, .sign, .phraseFromInput, .yes,
        ],
        examples: [
            .init(
                says: "images of signed releases",
                line: "mero tee admit $NAMESPACE --tee-profile locked-read-only --min-release 2.3.72 --tcb UpToDate"),
            .init(
                says: "images by what they measure",
                line: "mero tee admit $NAMESPACE --mrtd $MRTD --rtmr1 $R1 --rtmr2 $R2 --rtmr3 $R3 --tcb UpToDate"),
        ], act: TeeActs.admit)

    private static let teeAuthor = admin(
        "author", "let attested machines write as the namespace's authority",
        details: ["Those of these measurements. Replaces the list before, which no node tells."],
        operands: [.namespaceId, .init(name: "mrtd", help: "Measurements, hex.", repeats: true)],
        options: [.sign, .phraseFromInput, .yes],
        examples: [.init(says: "one image", line: "mero tee author $NAMESPACE $MRTD")], act: TeeActs.author)

    private static let teeNoAuthor = admin(
        "no-author", "let no machine write as the namespace's authority",
        operands: [.namespaceId], options: [.sign, .phraseFromInput, .yes],
        examples: [.init(says: "turn it off", line: "mero tee no-author $NAMESPACE")], act: TeeActs.noAuthor)
}
