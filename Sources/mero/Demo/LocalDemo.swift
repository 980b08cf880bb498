import Foundation
import MeroDevNode
import MeroKit

/// The whole story, on a node that the demo starts and stops.
struct LocalDemo: Sendable {
    typealias Outcome = DemoReporter.Outcome

    let reporter: DemoReporter
    private static let callers = 50

    /// As it was called: whoever wrote a path has it nowhere else, perhaps.
    private static var command: String {
        let word = CommandLine.arguments.first ?? "mero"
        return word.contains("/") && word.hasSuffix("/mero") ? word : "mero"
    }

    func run() async throws {
        try reporter.begin("mero demo: a node, a relay, and what can happen to them")
        let node = try await reporter.step("start", "Start a node") {
            var options = DevNodeOptions()
            options.eventRetryMilliseconds = 100
            options.delegatedAccess = true
            let node = try await DevNode.start(options)
            return Outcome(value: node, says: "it listens at \(node.url.absoluteString)")
        }
        do {
            try await story(node)
            try await RelayDemo(reporter: reporter, node: node).run()
            try await SealedDemo(reporter: reporter, node: node).run()
        } catch {
            await node.stop()
            throw error
        }
        try await reporter.step("stop", "Stop the node") {
            await node.stop()
            return Outcome(value: (), says: "nothing is left of it")
        }
        try reporter.end(next: [
            "\(Self.command) dev              # a node to try it with; it prints the commands for a login and for calls",
            "\(Self.command) dev --nodes 2    # two of them, for what takes two people",
            "\(Self.command) help             # all commands",
        ])
    }

    private func story(_ node: DevNode) async throws {
        let context = try node.createContext(KeyValueContract())
        let mero = Mero(config: MeroConfig(baseURL: node.url))
        let acts = DemoActs(mero: mero, context: context, key: "greeting")
        try await reporter.step("login", "Sign in") { try await signIn(mero) }
        try await reporter.step("write", "Write through a contract") { try await acts.write("hello") }
        try await reporter.step("read", "Read it back") { try await acts.read(expecting: "hello") }
        try await reporter.step("contract-error", "Meet an error of the contract, typed") {
            try await acts.contractError()
        }
        try await events(node, mero, context: context)
        try await reporter.step("refresh", "Let the session expire under \(Self.callers) calls at once") {
            try await refresh(node, mero, context: context)
        }
        try await reporter.step("revoked", "Revoke the session") { try await revoke(node, mero, context: context) }
    }

    private func events(_ node: DevNode, _ mero: Mero, context: String) async throws {
        let acts = DemoActs(mero: mero, context: context, key: "weather")
        let stream = DemoStream(mero.sse, context: context)
        try await reporter.step("watch", "Watch the context") { try await acts.watch(stream) }
        try await reporter.step("event", "Write, and see it as an event") { try await acts.event("sunny", on: stream) }
        try await reporter.step("gap", "Cut the stream, write meanwhile, and see the gap") {
            try await gap(node, acts, stream)
        }
        try await reporter.step("reread", "Read the state again, as the gap asks") {
            try await acts.read(expecting: "rain")
        }
    }

    private func gap(_ node: DevNode, _ acts: DemoActs, _ stream: DemoStream) async throws -> Outcome<Void> {
        // Nobody gets in before the write is done, or its event might be seen after all.
        let refusal = node.streams.refuseNext(status: 503, times: nil)
        node.streams.cutAll()
        try await DemoStream.within("the end of the stream") {
            while !node.streams.open.isEmpty { try await Task.sleep(nanoseconds: 1_000_000) }
        }
        let write = try await acts.write("rain")
        refusal.remove()
        let next = try await stream.next("the mark for the gap")
        guard next.isGap, next.contextId == acts.context else {
            throw Failure.mismatch(expected: "the mark for the gap", got: next.kind)
        }
        return Outcome(
            value: (), says: "\(write.says) while the stream was down: no event, but a gap mark once it is back",
            facts: [.init(name: "contextId", value: .string(next.contextId))])
    }

    private func signIn(_ mero: Mero) async throws -> Outcome<Void> {
        let tokens = try await mero.authenticate(
            Credentials(username: DevCommand.user, password: DevCommand.password))
        guard let claims = SessionClaims(token: tokens.accessToken) else {
            throw Failure.mismatch(expected: "a token with claims", got: "none that can be read")
        }
        return Outcome(value: (), says: "as \(DevCommand.user), who may: \(claims.permissions.joined(separator: " "))")
    }

    private func refresh(_ node: DevNode, _ mero: Mero, context: String) async throws -> Outcome<Void> {
        let before = await mero.currentTokenData()?.accessToken
        node.clearRequests()
        node.expireAccessTokens()
        let rpc = await mero.rpc
        let values = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<Self.callers {
                group.addTask {
                    try await rpc.execute(contextId: context, method: "get", argsJson: ["key": "greeting"])
                }
            }
            return try await group.reduce(into: [String?]()) { $0.append($1) }
        }
        guard values.allSatisfy({ $0 == "hello" }), values.count == Self.callers else {
            throw Failure.mismatch(
                expected: "\(Self.callers) times \"hello\"", got: "\(values.count) values, not all of them that")
        }
        let refused = node.requests.filter { $0.path == "/jsonrpc" && $0.status == 401 }.count
        guard refused > 0 else { throw Failure.mismatch(expected: "calls refused with 401", got: "none") }
        let refreshes = node.requestCount("POST", "/auth/refresh")
        guard refreshes == 1 else { throw Failure.mismatch(expected: "1 refresh", got: "\(refreshes)") }
        guard await mero.currentTokenData()?.accessToken != before else {
            throw Failure.mismatch(expected: "a new token", got: "the old one")
        }
        return Outcome(
            value: (),
            says:
                "\(refused) of \(Self.callers) calls met 401 token_expired, \(refreshes) refresh, all \(Self.callers) answered",
            facts: [
                .init(name: "calls", value: .integer(Int64(Self.callers))),
                .init(name: "expired", value: .integer(Int64(refused))),
                .init(name: "refreshes", value: .integer(Int64(refreshes))),
            ])
    }

    private func revoke(_ node: DevNode, _ mero: Mero, context: String) async throws -> Outcome<Void> {
        node.revokeFamilies()
        do {
            let _: JSONValue = try await mero.rpc.execute(contextId: context, method: "len")
            throw Failure.mismatch(expected: "MeroError.authRevoked", got: "an answer")
        } catch MeroError.authRevoked(let reason, let http) {
            guard await !mero.isAuthenticated else {
                throw Failure.mismatch(expected: "a session that has ended", got: "one that goes on")
            }
            return Outcome(
                value: (),
                says:
                    "the next call ends in MeroError.authRevoked (\(reason), HTTP \(http.status)), the tokens are gone",
                facts: [.init(name: "reason", value: .string(reason))])
        }
    }
}
