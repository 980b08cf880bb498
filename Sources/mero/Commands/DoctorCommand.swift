extension Command {
    static let doctor = Command(
        name: "doctor", summary: "check the installation, the node and the session",
        details: [
            "Looks at the libraries, the profile's files, proxy variables, the node's health and clock, and at what the "
                + "session may do. Every line is ok, warn or FAIL, with what to do about it.",
            "Ends with 0 when nothing failed, else like a command that failed in the same way (4 when the node does not "
                + "answer, 3 when it refuses the session, ...).",
        ],
        options: OptionSpec.connection,
        examples: [
            .init(says: "everything", line: "mero doctor"),
            .init(says: "another node", line: "mero doctor --node https://node.example"),
            .init(says: "only what is wrong", line: "mero doctor --json | jq '.checks[] | select(.verdict != \"ok\")'"),
        ],
        body: DoctorCommand.run)
}

enum DoctorCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let checks = try await Examination(invocation: invocation).checks()
        let console = invocation.console
        for check in checks { try console.line(check.line(style: console.style)) }
        let failed = checks.filter { $0.verdict == .fail }
        let warned = checks.filter { $0.verdict == .warn }.count
        try console.line()
        try console.line("\(checks.count) checks: \(failed.count) failed, \(warned) warned.")
        try console.document([
            "ok": .bool(failed.isEmpty), "checks": .array(checks.map(\.report)),
        ])
        return failed.first?.code ?? .done
    }
}
