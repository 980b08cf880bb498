import MeroKit

extension Command {
    static let watch = Command(
        name: "watch", summary: "print events of contexts and groups as they happen",
        details: [
            "One line per event: the time, the kind, the start of the id, and what the kind is about. What a contract "
                + "emitted is shown as JSON where it is some.",
            "Runs until Ctrl-C. A connection that breaks is opened again by itself; events of the time between are lost, which "
                + "a line \"Gap\" for each id tells: read the state again there. Connections lost and found, and ids the "
                + "node keeps to itself, are told on standard error.",
            "With --json every line is an object with a \"type\" and a \"time\": \"event\" has the event as the node sent it in "
                + "\"event\"; \"gap\" has \"contextId\" or \"groupId\"; \"status\" has \"connection\" (connecting, open, waiting, "
                + "ended), \"contexts\" and \"groups\" (requested, active or refused by id) and \"error\" after a failure.",
            "Ends with 0 after --count events or --timeout seconds, with 4 when the time is up before the events were there "
                + "or the node was, with 3 when the session is over, and with 1 when the node delivers nothing at all.",
        ],
        operands: [
            .init(name: "context", help: "Ids of contexts; none is needed with --group.", optional: true, repeats: true)
        ],
        options: [.watchedGroup, .lineCount, .timeLimit, .relay] + OptionSpec.sealing + [.node, .profile, .cacert],
        examples: [
            .init(says: "watch a context", line: "mero watch $CONTEXT"),
            .init(says: "contexts and the group that governs them", line: "mero watch $ONE $TWO --group $GROUP"),
            .init(says: "as the account of the profile", line: "mero watch $CONTEXT --relay https://relay.example"),
            .init(
                says: "wait for the next event, a minute at most", line: "mero watch $CONTEXT --count 1 --timeout 60"),
            .init(
                says: "in a script",
                line: #"mero watch $CONTEXT --json | jq -c 'select(.type == "event").event.data'"#),
        ],
        body: WatchCommand.run)
}

extension OptionSpec {
    static let watchedGroup = OptionSpec(
        name: "group", short: "g", value: .text("ID"), help: "Also this group's events.", repeats: true)
    static let lineCount = OptionSpec(
        name: "count", short: "c", value: .count, help: "End after this many events; gaps do not count.")
    static let timeLimit = OptionSpec(name: "timeout", value: .seconds, help: "End after this long.")
}

enum WatchCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let arguments = invocation.arguments
        let contexts = arguments.operandWords("context")
        let groups = arguments.texts(.watchedGroup)
        guard !contexts.isEmpty || !groups.isEmpty, !contexts.contains("") else {
            throw Failure(
                code: .usage, message: "\"mero watch\" needs the id of a context or a group",
                hint: "Write \"mero watch <context>\" or \"mero watch --group ID\"")
        }
        let (source, name) = try source(invocation)
        let reporter = StreamReporter(
            console: invocation.console, node: name, limit: arguments.count(.lineCount))
        let line = EventLine(style: invocation.console.style)
        let timeLimit = arguments.seconds(.timeLimit)
        let run = StreamRun(
            sse: source, contexts: contexts, groups: groups, timeLimit: timeLimit,
            output: invocation.surroundings.output)
        let handlers = StreamRun.Handlers(
            event: { event in
                let moment = Moment()
                if event.isGap {
                    try await reporter.remark(
                        line.text(event, at: moment), EventDocument.event(event, at: moment))
                    return true
                }
                return try await reporter.tell(line.text(event, at: moment), EventDocument.event(event, at: moment))
            }, status: { try await reporter.tell($0) })
        if case .timeUp = try await run.run(handlers), let timeLimit {
            try await reporter.timeIsUp(after: timeLimit)
        }
        return .done
    }

    /// Where the events come from, and what it is called.
    private static func source(_ invocation: Invocation) throws -> (SseClient, String) {
        if invocation.relay != nil {
            let relay = try RelayConnection(invocation)
            return (try relay.transport().events, relay.relay.text)
        }
        var connection = try Connection(invocation)
        connection.timeout = Connection.standardTimeout
        return (try connection.signedIn().sse, connection.node.text)
    }
}
