import Foundation
import Testing

@testable import MeroKit

/// A cloud over real HTTP that answers by `METHOD path`, and keeps what it was asked.
final class ScriptedCloud: Sendable {
    struct Answer: Sendable {
        var status = 200
        var headers: [String: String] = [:]
        var body = ""

        static func json(_ body: String) -> Answer { Answer(body: body) }
        static func status(_ status: Int, _ body: String = "") -> Answer { Answer(status: status, body: body) }
    }

    private let server: ScriptedServer
    private let routes: Locked<[String: @Sendable (ScriptedRequest) -> Answer]>

    init() throws {
        let routes = Locked<[String: @Sendable (ScriptedRequest) -> Answer]>([:])
        self.routes = routes
        server = try .answering { request in
            let path = request.target.prefix { $0 != "?" }
            let route = routes.withLock { $0["\(request.method) \(path)"] }
            let answer = route?(request) ?? .status(404, #"{"error":"not scripted"}"#)
            let headers = answer.headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            return "HTTP/1.1 \(answer.status) Scripted\r\nContent-Length: \(answer.body.utf8.count)\r\n\(headers)\r\n"
                + answer.body
        }
    }

    var url: URL { get throws { try #require(URL(string: server.url)) } }

    /// `METHOD path`, in the order in which they came.
    var asked: [String] { server.requests.map { "\($0.method) \($0.target)" } }
    var requests: [ScriptedRequest] { server.requests }

    func on(_ route: String, _ answer: @escaping @Sendable (ScriptedRequest) -> Answer) {
        routes.withLock { $0[route] = answer }
    }

    func on(_ route: String, _ answer: Answer) { on(route) { _ in answer } }

    /// The relays that an account has, behind a challenge.
    func serve(relays: [String], account: String) {
        on("GET /api/cloud/accounts/\(account)/challenge", .json(#"{"nonce":"n","expires_at_ms":1}"#))
        on("GET /api/cloud/accounts/\(account)/relays", .json(#"{"relays":[\#(relays.joined(separator: ","))]}"#))
    }

    /// Who serves a namespace, behind a challenge.
    func serve(admitters: [String], namespace: String) {
        on("GET /api/cloud/namespaces/\(namespace)/challenge", .json(#"{"nonce":"n"}"#))
        on(
            "GET /api/cloud/namespaces/\(namespace)/admitters",
            .json(#"{"admitters":[\#(admitters.joined(separator: ","))],"servable":true,"writable":true}"#))
    }

    func stop() { server.stop() }
}

extension ScriptedRequest {
    var json: JSONValue? { try? JSONValue(jsonBytes: body) }
}
