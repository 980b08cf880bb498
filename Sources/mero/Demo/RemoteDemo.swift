import Foundation
import MeroKit

/// The parts of the story that a node allows which is not the demo's own.
struct RemoteDemo: Sendable {
    typealias Outcome = DemoReporter.Outcome

    let invocation: Invocation
    let reporter: DemoReporter

    func run() async throws {
        let connection = try Connection(invocation)
        let mero = connection.anonymous()
        try reporter.begin("mero demo: the node at \(connection.node.text.printable)")
        try await reporter.step("health", "Ask for the node's health") {
            let health = try await mero.admin.healthCheck()
            guard health.status.lowercased() == "alive" else {
                throw Failure.mismatch(expected: "alive", got: health.status)
            }
            return Outcome(value: (), says: "it is \(health.status)")
        }
        let signIn = SignIn(invocation: invocation)
        try await signIn.prepare(connection)
        let credentials = try await signIn.credentials(for: connection)
        let token = try await reporter.step("login", "Sign in") {
            let tokens = try await mero.authenticate(credentials)
            return Outcome(value: tokens.accessToken, says: "as \(credentials.username)")
        }
        do {
            try await signedIn(mero, token: token)
        } catch {
            await mero.logout()
            throw error
        }
        try await reporter.step("logout", "Sign out") {
            await mero.logout()
            guard await !mero.isAuthenticated else { throw Failure.mismatch(expected: "no session", got: "one") }
            return Outcome(value: (), says: "the session is retired and forgotten")
        }
        try reporter.end(leftOut: leftOut)
    }

    private func signedIn(_ mero: Mero, token: String) async throws {
        try await reporter.step("claims", "Read what the session may do") { try Self.claims(of: token) }
        guard let context = invocation.arguments.text(.demoContext) else { return }
        let key = "mero-demo-\(UUID().uuidString.lowercased())"
        let acts = DemoActs(mero: mero, context: context, key: key)
        try await reporter.step("write", "Write through a contract") { try await acts.write("hello") }
        do {
            try await reporter.step("read", "Read it back") { try await acts.read(expecting: "hello") }
            try await reporter.step("contract-error", "Meet an error of the contract, typed") {
                try await acts.contractError()
            }
            try await reporter.step("event", "Write again, and see it as an event") {
                let stream = DemoStream(mero.sse, context: context)
                _ = try await acts.watch(stream)
                return try await acts.event("seen", on: stream)
            }
        } catch {
            try? await Self.remove(key, mero, context)
            throw error
        }
        try await reporter.step("clean-up", "Remove what was written") {
            try await Self.remove(key, mero, context)
            return Outcome(value: (), says: "remove(key: \"\(key)\")")
        }
    }

    private static func claims(of token: String) throws -> Outcome<Void> {
        guard let claims = SessionClaims(token: token) else {
            throw Failure.mismatch(expected: "a token with claims", got: "none that can be read")
        }
        let expiry = claims.expiresAt.map { "until \(Report.timestamp($0))" } ?? "for a time it does not tell"
        return Outcome(
            value: (), says: "permissions: \(claims.permissions.joined(separator: " ")); good \(expiry)",
            facts: [.init(name: "permissions", value: .strings(claims.permissions))])
    }

    private static func remove(_ key: String, _ mero: Mero, _ context: String) async throws {
        let _: JSONValue = try await mero.rpc.execute(
            contextId: context, method: "remove", argsJson: ["key": .string(key)])
    }

    private var leftOut: [String] {
        let needsContext = "writing, reading, the contract's error and events (add --context ID)"
        return (invocation.arguments.has(.demoContext) ? [] : [needsContext]) + [
            "the event stream that is cut", "the session that expires under 50 calls", "the revoked session",
        ]
    }
}
