import Foundation

/// The two requests that an event stream consists of.
///
/// Spec: 40, sections 2.1 and 2.4.
struct SseRequests: Sendable {
    let base: BaseURL
    let engine: any HttpEngine
    let credentials: StreamCredentials

    private static let replyLimit = 64 << 20

    /// `GET /sse`. Returns when the stream ends properly, and throws `MeroError` otherwise.
    func open(_ receiver: SseReceiver, token: String?, timeout: TimeInterval) async throws {
        let headers = [("Accept", "text/event-stream"), ("Cache-Control", "no-cache")]
        _ = try await send(
            "GET", "/sse", headers: headers, body: nil, token: token, timeout: timeout, sink: .stream(receiver))
    }

    /// `POST /sse/subscription`. Returns what the node granted, nil when its answer does not say.
    func post(
        _ method: String, _ ids: EventIds, sessionId: String, token: String?, timeout: TimeInterval
    ) async throws -> EventIds? {
        let body = try Data(JSONWriter.bytes(of: Self.body(method, ids, sessionId: sessionId)))
        let headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        let response = try await send(
            "POST", "/sse/subscription", headers: headers, body: body, token: token, timeout: timeout,
            sink: .memory(limit: Self.replyLimit))
        return EventIds(result: response.body, contexts: "contexts", groups: "groups")
    }

    /// `groupIds` is left out when empty, for nodes that do not know it.
    static func body(_ method: String, _ ids: EventIds, sessionId: String) -> JSONValue {
        var params: [String: JSONValue] = ["contextIds": .array(ids.contexts.map { .string($0) })]
        if !ids.groups.isEmpty { params["groupIds"] = .array(ids.groups.map { .string($0) }) }
        return ["id": .string(sessionId), "method": .string(method), "params": .object(params)]
    }

    private func send(
        _ method: String, _ path: String, headers: [(String, String)], body: Data?, token: String?,
        timeout: TimeInterval, sink: EngineSink
    ) async throws -> EngineResponse {
        let target = try base.target(for: path)
        var headers = headers
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if case .authorizer(let authorize) = credentials.source {
            headers += try await Self.ask(authorize, method, target.path, body)
        }
        let request = EngineRequest(
            url: target.url, method: method, headers: headers.map { (name: $0.0, value: $0.1) },
            body: body.map { .bytes($0) } ?? .none, inactivityTimeout: timeout, sink: sink)
        let response: EngineResponse
        do {
            response = try await engine.perform(request)
        } catch let error as EngineError {
            throw MeroError.network(error.message)
        }
        if 200..<300 ~= response.status { return response }
        let error = HTTPError(
            status: response.status, url: target.url, headers: response.headers, body: response.body)
        let reason = response.headers["x-auth-error"]
        if response.status == 401 || response.status == 403, let reason,
            reason == "token_reuse" || reason == "token_revoked"
        {
            throw MeroError.authRevoked(reason: reason, http: error)
        }
        throw MeroError.http(error)
    }

    private static func ask(
        _ authorize: SseAuthorizer, _ method: String, _ path: String, _ body: Data?
    ) async throws -> [(String, String)] {
        do {
            return try await authorize(method, path, body).map { ($0.key, $0.value) }
        } catch let error as MeroError {
            switch error {
            case .authRevoked: throw CredentialRefusal(error: error)
            case .http(let answer) where 400..<500 ~= answer.status && answer.status != 429:
                throw CredentialRefusal(error: error)
            default: throw error
            }
        }
    }
}
