import Foundation
import Testing

@testable import MeroKit

/// A client of the cloud with a login, over an engine that answers by a closure.
enum ScriptedLogin {
    static let id = String(repeating: "a1", count: 32)
    static let session = #"{"session_token":"s1","expires_at":1800000000,"user":{"email":"ana@example.com"}}"#

    static func client(
        token: String? = "s0", onSession: (@Sendable (CloudLoginSession?) async -> Void)? = nil,
        _ answer: @escaping @Sendable (EngineRequest) async throws -> EngineResponse
    ) throws -> (CloudAccountClient, ScriptedEngine) {
        let engine = ScriptedEngine { request, _ in try await answer(request) }
        let url = try #require(URL(string: "https://cloud.example//"))
        return (CloudAccountClient(baseURL: url, sessionToken: token, onSession: onSession, engine: engine), engine)
    }

    static func keeping(
        _ told: Locked<[CloudLoginSession?]>
    ) -> @Sendable (CloudLoginSession?) async -> Void {
        { session in told.withLock { $0.append(session) } }
    }

    static func answering(
        _ body: String, status: Int = 200, headers: [String: String] = [:], token: String? = "s0"
    ) throws -> (CloudAccountClient, ScriptedEngine) {
        try client(token: token) { _ in .status(status, headers, body) }
    }

    static func body(_ request: EngineRequest?) throws -> JSONValue {
        guard case .bytes(let data)? = request?.body else { return .null }
        return try JSONValue(jsonBytes: data)
    }
}
