import MeroKit

extension Command {
    static let demo = Command(
        name: "demo", summary: "see it all work, step by step, in a second",
        details: [
            "Starts a node, signs in, writes, reads, meets a contract's error, watches events, loses some of them and is told so, "
                + "lets the session expire under 50 calls at once (they share one refresh) and revokes the session. Then it runs the same code through a relay, for an account "
                + "without a node: events there, a warrant that is refused, a lost count of warrants that heals. Every step is "
                + "checked: the command fails when anything is not as it should be. Nothing is left behind.",
            "With --node it runs against that node instead, which leaves out what only a node of its own allows. Writing and "
                + "reading need --context, a context with the key-value contract. The profile's session is not touched.",
        ],
        options: [.demoNode, .demoContext, .user, .passwordFromInput, .profile, .cacert, .timeout, .retry],
        examples: [
            .init(says: "with a node of its own", line: "mero demo"),
            .init(
                says: "with a node that runs already",
                line: "mero demo --node http://localhost:2428 --context $CONTEXT --user dev"),
        ],
        body: DemoCommand.run)
}

extension OptionSpec {
    /// Without a variable: only a node that is named on this very line is written to.
    static let demoNode = OptionSpec(
        name: "node", short: "n", value: .node, help: "Run against this node instead of one of the demo's own.")
    static let demoContext = OptionSpec(
        name: "context", value: .text("ID"), help: "The context to write to, with --node.")
}

enum DemoCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let reporter = DemoReporter(console: invocation.console)
        if invocation.arguments.has(.node) {
            try await RemoteDemo(invocation: invocation, reporter: reporter).run()
        } else {
            if let option = [OptionSpec.demoContext, .user, .passwordFromInput].first(where: invocation.arguments.has) {
                throw Failure(code: .usage, message: "\(option.flag) needs --node", hint: "Add --node URL")
            }
            try await LocalDemo(reporter: reporter).run()
        }
        return .done
    }
}
