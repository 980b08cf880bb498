import Foundation
import Testing

@testable import MeroKit

/// One call of the admin API: how it is made, what has to go out and what comes back.
///
/// `$context` and the like stand for ids; see `AdminIds`. Nothing in here depends on who answers.
struct AdminCall: Sendable, CustomTestStringConvertible {
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
    /// What came of it, as JSON.
    let run: @Sendable (AdminApi, AdminIds) async throws -> JSONValue

    var testDescription: String { name }
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
        self.run = { try asJSON(try await run($0, $1)) }
    }

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

    /// What the call has to return.
    var expected: JSONValue {
        get throws {
            let whole = { try MeroJSON.decode(JSONValue.self, from: Data(answer.utf8)) }
            switch result {
            case .data: return try #require(try whole()["data"])
            case .whole: return try whole()
            case .json(let text): return try MeroJSON.decode(JSONValue.self, from: Data(text.utf8))
            case .nothing: return .null
            }
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

/// An admin API over an engine that answers by a closure.
func scriptedAdmin(_ engine: ScriptedEngine, policy: RetryPolicy = .never) -> AdminApi {
    AdminApi(
        http: URLSessionHttpClient(
            baseURL: URL(string: "https://n.example/p") ?? URL(fileURLWithPath: "/"),
            hooks: TransportHooks(getAuthToken: { "token" }), engine: engine, retryPolicy: policy))
}

/// An admin API that gets this one answer, and what it asked.
func scriptedAdmin(answer: String, status: Int = 200) -> (AdminApi, ScriptedEngine) {
    let engine = ScriptedEngine { _, _ in .status(status, [:], answer) }
    return (scriptedAdmin(engine), engine)
}

extension EngineRequest {
    /// The body as JSON, nil when it is none.
    var json: JSONValue? {
        guard case .bytes(let data) = body else { return nil }
        return try? MeroJSON.decode(JSONValue.self, from: data)
    }

    /// Method, path and query below the base URL.
    var line: String { "\(method) \(url.replacingOccurrences(of: "https://n.example/p", with: ""))" }
}
