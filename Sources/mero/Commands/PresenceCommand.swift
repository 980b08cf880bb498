import Foundation
import MeroKit

extension Command {
    static let presence = Command(
        name: "presence", summary: "show who is present in a context, or publish a presence there",
        details: [
            "One line whenever somebody joins, changes or leaves: the time, what happened, the start of the author's key, the "
                + "account if a relay carries its presence, and the state as JSON or in hexadecimal. Who is there already "
                + "joins first, with the age of the state. Runs until Ctrl-C and survives lost connections, like \"mero watch\".",
            "--set publishes a state as the node's own identity in the context, or with --relay as the profile's account, and "
                + "ends; with --watch it goes on to show who is "
                + "present. A node repeats the state until it stops, a relay's reader only as long as the command runs. It cannot be taken "
                + "back: publish a state that your app reads as gone.",
            "With --json every line is an object with a \"type\" and a \"time\": \"join\", \"change\" and \"leave\" have \"contextId\", "
                + "\"author\", perhaps \"account\", and \"state\" (JSON) or \"stateHex\", perhaps \"ageMs\"; \"published\" has \"bytes\"; "
                + "\"gap\" and \"status\" are as in \"mero watch\".",
        ],
        operands: [.init(name: "context", help: "The context's id.")],
        options: [
            .presenceState, .presenceWatch, .presenceCount, .presenceTime, .relay, .node, .profile, .cacert, .retry,
        ],
        examples: [
            .init(says: "who is there", line: "mero presence $CONTEXT"),
            .init(says: "publish", line: #"mero presence $CONTEXT --set '{"status":"typing"}'"#),
            .init(says: "publish and look", line: #"mero presence $CONTEXT --set '{"status":"here"}' --watch"#),
            .init(
                says: "as the account of the profile", line: "mero presence $CONTEXT --relay https://relay.example"),
            .init(says: "who is there now, in a script", line: "mero presence $CONTEXT --json --timeout 3"),
        ],
        body: PresenceCommand.run)
}

extension OptionSpec {
    static let presenceState = OptionSpec(
        name: "set", short: "s", value: .text("JSON"),
        help: "Publish this state, any JSON of up to 16384 bytes; - reads it from standard input.")
    static let presenceWatch = OptionSpec(
        name: "watch", short: "w", help: "Go on to show who is present, after --set.")
    static let presenceCount = OptionSpec(
        name: "count", short: "c", value: .count, help: "End after this many joins, changes and leaves.")
    static let presenceTime = OptionSpec(
        name: "timeout", value: .seconds,
        help: "End after this long; with --set alone, give up an attempt when nothing moved for this long.")
}

enum PresenceCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let arguments = invocation.arguments
        guard let context = arguments.operand("context"), !context.isEmpty else {
            throw Failure(code: .usage, message: "\"mero presence\" needs <context>")
        }
        let state = try await state(invocation)
        let watches = state == nil || arguments.has(.presenceWatch)
        let way = try way(invocation, watches: watches)
        defer { way.close() }
        if let state { try await publish(state, in: context, way, invocation.console) }
        if watches { try await watch(context, way, invocation) }
        return .done
    }

    /// Where presence comes from and goes to, and what it is called.
    private struct Way: Sendable {
        let client: MeroTransportClient
        let name: String

        func set(_ context: String, _ state: Data) async throws {
            switch try client.ephemeral {
            case .node(let presence): try await presence.set(context, state: state, codec: .bytes)
            case .relay(let presence):
                // Publishing forgives a relay that does not answer, since it is repeated; a command has to know.
                _ = try await client.relay.describe(context)
                try await presence.set(context, state: state, codec: .bytes)
            }
        }

        func close() { client.close() }
    }

    private static func way(_ invocation: Invocation, watches: Bool) throws -> Way {
        if invocation.relay != nil {
            let relay = try RelayConnection(invocation)
            return Way(client: try relay.transport(), name: relay.relay.text)
        }
        var connection = try Connection(invocation)
        if watches { connection.timeout = Connection.standardTimeout }
        return Way(client: MeroTransportClient(mero: try connection.signedIn()), name: connection.node.text)
    }

    private static func state(_ invocation: Invocation) async throws -> Data? {
        guard let word = invocation.arguments.text(.presenceState) else { return nil }
        let json = JSONArgument(name: "The value of --set")
        return Data(try await json.parse(word, input: invocation.surroundings.input).compact.utf8)
    }

    private static func publish(_ state: Data, in context: String, _ way: Way, _ console: Console) async throws {
        try await way.set(context, state)
        try console.line("Published \(state.count) bytes in context \(EventLine.short(context)).")
        try console.document(
            .object(
                EventDocument.head("published", Moment()) + [
                    .init(name: "contextId", value: .string(context)),
                    .init(name: "bytes", value: .integer(Int64(state.count))),
                ]))
    }

    private static func watch(
        _ context: String, _ way: Way, _ invocation: Invocation
    ) async throws {
        let timeLimit = invocation.arguments.seconds(.presenceTime)
        let reporter = StreamReporter(
            console: invocation.console, node: way.name,
            limit: invocation.arguments.count(.presenceCount))
        let presence = PresenceReporter(context: context, reporter: reporter, style: invocation.console.style)
        let run = StreamRun(
            sse: try way.client.events, contexts: [context], timeLimit: timeLimit,
            output: invocation.surroundings.output)
        let handlers = StreamRun.Handlers(
            event: { try await presence.take($0) }, status: { try await presence.take($0) },
            tick: { try await presence.tick() })
        if case .timeUp = try await run.run(handlers), let timeLimit {
            try await reporter.timeIsUp(after: timeLimit)
        }
    }
}
