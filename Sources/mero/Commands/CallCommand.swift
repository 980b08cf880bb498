import Foundation
import MeroKit

extension Command {
    static let call = Command(
        name: "call", summary: "call a method of a contract",
        details: [
            "The arguments are a JSON object with the method's parameters by name; \"-\" reads it from standard input, and "
                + "without it the method gets none. Numbers keep all their digits, in both directions.",
            "The answer is printed as the contract gave it: over several lines on a terminal, on one line otherwise and "
                + "with --json. When the contract says no, the command ends with 1 and names the error's type.",
            "With --relay it is the same as \"mero relay call\": every method, a reading one too, goes out as a warrant of the "
                + "profile's account. \"mero relay query\" reads without one.",
        ],
        operands: [
            .init(name: "context", help: "The context's id, 64 hex digits on current nodes."),
            .init(name: "method", help: "The contract's method."),
            .init(name: "json", help: "Its arguments as a JSON object, or - for standard input.", optional: true),
        ],
        options: [.raw, .relay] + OptionSpec.sealing + OptionSpec.connection,
        examples: [
            .init(says: "write", line: #"mero call $CONTEXT set '{"key":"greeting","value":"hello"}'"#),
            .init(
                says: "read; --raw prints a text without quotes",
                line: #"mero call $CONTEXT get '{"key":"greeting"}' --raw"#),
            .init(
                says: "the same through a relay, for the account of the profile",
                line: #"mero call $CONTEXT get '{"key":"greeting"}' --relay https://relay.example"#),
            .init(
                says: "so that nobody between here and the node's enclave can read it",
                line: #"mero call $CONTEXT get '{"key":"greeting"}' --sealed"#),
            .init(says: "a method without parameters", line: "mero call $CONTEXT entries"),
            .init(says: "arguments from a file", line: "mero call $CONTEXT import - < arguments.json"),
            .init(
                says: "a write that must not run twice, whatever happens on the way",
                line: #"mero call $CONTEXT pay '{"amount":18446744073709551615}' --retry unsent"#),
        ],
        body: CallCommand.run)
}

extension OptionSpec {
    static let raw = OptionSpec(
        name: "raw", help: "Print an answer that is a text as that text, without quotes and escapes.")
}

enum CallCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let call = try await CallArguments(invocation)
        guard invocation.relay == nil else { return try await RelayActs.call(call, invocation) }
        let mero = try Connection(invocation).signedIn()
        let answer: RawJSON = try await mero.rpc.execute(
            contextId: call.context, method: call.method, argsJson: call.arguments)
        try show(answer, invocation)
        return .done
    }

    static func show(_ raw: RawJSON, _ invocation: Invocation) throws {
        let answer = try ExactJSON(jsonBytes: Data(raw.text.utf8))
        let console = invocation.console
        if invocation.arguments.has(.raw), case .string(let text) = answer {
            // On a terminal the text must not be able to do more than be read.
            let safe = text.split(separator: "\n", omittingEmptySubsequences: false)
                .map { String($0).printable }.joined(separator: "\n")
            try console.answer(invocation.surroundings.outputIsTerminal ? safe : text)
        } else if invocation.surroundings.outputIsTerminal && !console.json {
            try console.answer(answer.pretty(style: console.style))
        } else {
            try console.answer(answer.compact)
        }
    }
}
