import Foundation
import Testing

@testable import MeroKit

extension AdminCall: CustomTestStringConvertible {
    var testDescription: String { name }

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
