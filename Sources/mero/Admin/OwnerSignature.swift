import MeroKit

/// Acts that only the root of an owner's account can allow.
enum OwnerSignature {
    /// Asks whether it shall be done, and for the recovery phrase where `--sign` says so.
    static func prepare(_ question: String, _ run: AdminRun) async throws -> (admin: AdminApi, root: AccountRoot?) {
        if run.arguments.has(.phraseFromInput), !run.arguments.has(.sign) {
            throw Failure(code: .usage, message: "--phrase-stdin goes with --sign", hint: "Nothing was sent")
        }
        try await run.confirm(question)
        // Before anything secret is typed.
        let admin = try await run.admin
        let root = run.arguments.has(.sign) ? try await RootInput(invocation: run.invocation).ask() : nil
        return (admin, root)
    }
}
