import Foundation

/// The HTTP client with which an account reads a relay's admin API.
///
/// Spec: 60, sections 8.2 and 8.4.
enum RelayAdminHttp {
    /// A token is asked for with each request; without one the request goes out bare, and the relay's 401 tells.
    static func bearing(_ token: @escaping @Sendable () async throws -> String?, at relay: RelayClient)
        -> any HttpClient
    {
        client(at: relay) { _, _, _ in
            guard let token = try await token(), !token.isBlank else { return [:] }
            return ["Authorization": "Bearer \(token)"]
        }
    }

    /// Each request is signed, and again when it is sent again.
    static func signed(by proof: ProofCredential, at relay: RelayClient) -> any HttpClient {
        client(at: relay) { method, path, body in
            switch body {
            case .json(let bytes), .data(let bytes, _):
                return try await proof.headers(method: method, path: path, body: bytes)
            case nil: return try await proof.headers(method: method, path: path, body: nil)
            case .file:
                throw AccountError.invalidInput("a request proof covers no file: uploads need a session token")
            }
        }
    }

    private static func client(
        at relay: RelayClient,
        _ authorize: @escaping @Sendable (String, String, HttpBody?) async throws -> [String: String]
    ) -> any HttpClient {
        var hooks = TransportHooks()
        hooks.authorize = authorize
        return URLSessionHttpClient(
            baseURL: RelayOrigin.url(relay.relayURL), hooks: hooks, engine: relay.http.client.engine,
            options: relay.options)
    }
}
