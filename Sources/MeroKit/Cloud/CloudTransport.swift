import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How both cloud clients send: each request once, no refresh after a 401, and every refusal as what it was.
///
/// Spec: 70, section 2.
struct CloudTransport: Sendable {
    let baseURL: URL
    private let http: URLSessionHttpClient

    init(baseURL: URL, engine: any HttpEngine, timeout: TimeInterval, options: HttpOptions = HttpOptions()) {
        self.baseURL = baseURL
        http = URLSessionHttpClient(
            baseURL: RelayOrigin.url(RelayOrigin.trimmed(baseURL.absoluteString)), timeout: timeout, engine: engine,
            options: options)
    }

    /// What came of one request. The headers are there for a refusal as well.
    struct Outcome: Sendable {
        let result: Result<(body: Data, status: Int), any Error>
        /// Names in lower case; empty when there was no answer.
        let headers: [String: String]
        /// Whether the answer of a success grants a session: no part of it may be shown.
        var holdsSecrets = false

        /// The answer of a success; none at all is null. Throws what went wrong, and `MeroError.decoding` for what is no
        /// JSON.
        func value() throws -> JSONValue {
            let (body, status) = try result.get()
            guard !body.isEmpty, status != 204 else { return .null }
            do {
                return try JSONValue(jsonBytes: body)
            } catch  where holdsSecrets {
                throw MeroError.decoding("status \(status): the answer is no JSON")
            } catch {
                throw MeroError.decoding("status \(status): \(ReplyDecoding.excerpt(of: body))")
            }
        }
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - headers: The endpoint's own headers win over these.
    ///   - bearer: The login session's token; nil for an anonymous call.
    func exchange(
        _ request: HttpRequest, headers: [String: String] = [:], bearer: String? = nil
    ) async -> Outcome {
        var request = request
        request.headers.merge(headers) { own, _ in own }
        // Nobody but the session says who is signed in.
        for name in request.headers.keys where name.lowercased() == "authorization" { request.headers[name] = nil }
        if let bearer { request.headers["Authorization"] = "Bearer \(bearer)" }
        request.isRetried = false
        // Nobody who answers for the cloud, byte by byte, holds a person up.
        request.isBrief = true
        do {
            let (body, head) = try await http.sendRaw(request)
            return Outcome(
                result: .success((body, head.status)), headers: head.headers,
                // Logins, and the refresh of one.
                holdsSecrets: request.path.hasPrefix("/api/auth/"))
        } catch MeroError.http(let answer), MeroError.authRevoked(_, let answer) {
            return Outcome(result: .failure(MeroError.http(answer)), headers: answer.headers)
        } catch {
            return Outcome(result: .failure(error), headers: [:])
        }
    }

    /// Sends an anonymous request and reads its answer.
    func send(_ request: HttpRequest, headers: [String: String] = [:]) async throws -> JSONValue {
        try await exchange(request, headers: headers).value()
    }
}

/// Why the cloud will not.
///
/// Spec: 70, sections 2.3 and 5.3.
enum CloudRefusal {
    /// A code counts only together with its own status.
    private static let statuses = [
        "account_not_linked": 409, "account_linked_to_several_users": 409, "ha_request_pending": 409,
        "unknown_relay": 422, "relay_not_dialable": 422,
    ]

    static func hosting(_ answer: HTTPError) -> any Error {
        guard let code = code(in: answer.bodyText), statuses[code] == answer.status else {
            return MeroError.http(answer)
        }
        return AccountError.haRefused(code: code, status: answer.status, body: answer.bodyText)
    }

    /// Of one of the three shapes in which it comes.
    static func code(in body: String?) -> String? {
        guard let body, let value = try? JSONValue(jsonBytes: Data(body.utf8)) else { return nil }
        return value["error"]?.stringValue ?? value["detail"]?.stringValue ?? value["detail"]?["error"]?.stringValue
    }
}

extension JSONValue {
    /// A text that is not empty.
    func text(_ key: String) -> String? {
        guard let text = self[key]?.stringValue, !text.isEmpty else { return nil }
        return text
    }

    /// Only `true` is true.
    func flag(_ key: String) -> Bool { self[key] == .bool(true) }

    /// Nil for a member that is absent or null; else whether it is `true`.
    func verdict(_ key: String) -> Bool? { self[key]?.unlessNull.map { $0 == .bool(true) } }

    /// A whole number; nil for anything else.
    func integer(_ key: String) -> Int64? { self[key]?.doubleValue.flatMap { Int64(exactly: $0.rounded()) } }

    /// The elements of a list that must be there. Throws `MeroError.decoding`.
    func rows(_ key: String) throws -> [JSONValue] {
        guard let rows = self[key]?.arrayValue else { throw MeroError.decoding("the cloud's answer has no \(key)") }
        return rows
    }
}
