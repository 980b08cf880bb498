import Foundation

@testable import MeroKit

/// One call of the admin API: how it is made, what has to go out and what comes back.
///
/// `$context` and the like stand for ids; see `AdminIds`. Nothing in here depends on who answers.
struct AdminCall: Sendable {
    enum Body: Sendable {
        case none
        /// Exactly these fields.
        case json(String)
        case bytes(String)
    }

    enum Result: Sendable {
        /// What stands under `data` of the answer.
        case data
        /// The whole answer.
        case whole
        /// This JSON.
        case json(String)
        case nothing
    }

    /// The method's name, and which way it is called where there are several.
    let name: String
    let method: String
    /// Path and query.
    let target: String
    let body: Body
    /// A body that a node answers with.
    let answer: String
    let answerHeaders: [String: String]
    let result: Result
    /// Seconds, nil for the client's own.
    let timeout: TimeInterval?
    /// What came of it.
    let outcome: @Sendable (AdminApi, AdminIds) async throws -> any Encodable

    /// Without the way it is called.
    var methodName: String { String(name.prefix { $0 != " " }) }
    /// Whether the path holds ids.
    var takesIds: Bool { path.contains("$") }
    var path: String { String(target.prefix { $0 != "?" }) }

    init(
        _ name: String, _ request: String, body: Body = .none, answer: String = "{}",
        answerHeaders: [String: String] = [:], result: Result = .data, timeout: TimeInterval? = nil,
        _ run: @escaping @Sendable (AdminApi, AdminIds) async throws -> any Encodable
    ) {
        let parts = request.split(separator: " ", maxSplits: 1).map(String.init)
        self.name = name
        method = parts[0]
        target = "/admin-api" + parts[1]
        self.body = body
        self.answer = answer
        self.answerHeaders = answerHeaders
        self.result = result
        self.timeout = timeout
        outcome = run
    }

    /// What came of it, as JSON.
    func run(_ admin: AdminApi, _ ids: AdminIds) async throws -> JSONValue { try asJSON(try await outcome(admin, ids)) }

    /// A call that returns nothing.
    init(
        _ name: String, _ request: String, body: Body = .json("{}"), answer: String = "{}",
        void run: @escaping @Sendable (AdminApi, AdminIds) async throws -> Void
    ) {
        self.init(name, request, body: body, answer: answer, result: .nothing) { admin, ids in
            try await run(admin, ids)
            return JSONValue.null
        }
    }

    static let all: [AdminCall] =
        node + applications + contexts + blobs + aliases + tee + namespaces + groups + members + settings + upgrades
        + ownerOps + account
}

/// Lists calls one below the other; a literal of so many closures would take the compiler minutes.
@resultBuilder enum AdminCalls {
    static func buildPartialBlock(first: AdminCall) -> [AdminCall] { [first] }
    static func buildPartialBlock(accumulated: [AdminCall], next: AdminCall) -> [AdminCall] { accumulated + [next] }
}

/// A value as it goes over the wire.
func asJSON(_ value: some Encodable) throws -> JSONValue {
    try MeroJSON.decode(JSONValue.self, from: MeroJSON.encode(value))
}
