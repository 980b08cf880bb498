import Foundation
import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The few answers of a node that a session needs, as a stub of `URLSession`: logins, one valid token at a time, refreshes,
/// and JSON-RPC with set outputs.
///
/// It checks nothing beyond the token. Where a test should meet a real node's strictness, start a `DevNode`.
public final class FakeNode: Sendable {
    private struct State {
        var generation = 0
        var isExpired = false
        var isRevoked = false
        var tokenCalls = 0
        var refreshCalls = 0
        var rpcCalls = 0
        var protectedCalls = 0
        var logoutCalls = 0
        var lastLoggedOutRefreshToken: String?
        var rpcOutputs: [String: JSONValue] = [:]

        var accessToken: String { "access-\(generation)" }
        var refreshToken: String { "refresh-\(generation)" }
    }

    private let state = Locked(State())

    public init() {}

    /// Makes this node the handler of `MockURLProtocol.makeSession()`.
    public func install() { MockURLProtocol.setHandler { self.answer($0) } }

    /// From now on the current access token is answered with 401 `token_expired`, until it is refreshed.
    public func expireAccessToken() { state.withLock { $0.isExpired = true } }

    /// From now on every token is answered with 403 `token_revoked`, until the next login.
    public func revokeFamily() { state.withLock { $0.isRevoked = true } }

    /// Logins so far.
    public var tokenCalls: Int { state.withLock { $0.tokenCalls } }
    /// Refreshes so far, refused ones included.
    public var refreshCalls: Int { state.withLock { $0.refreshCalls } }
    /// JSON-RPC requests so far, refused ones included.
    public var rpcCalls: Int { state.withLock { $0.rpcCalls } }
    /// Requests so far to any route that needs a token.
    public var protectedCalls: Int { state.withLock { $0.protectedCalls } }
    /// Logouts so far.
    public var logoutCalls: Int { state.withLock { $0.logoutCalls } }
    public var lastLoggedOutRefreshToken: String? { state.withLock { $0.lastLoggedOutRefreshToken } }

    /// What each contract method returns; a method that is not here returns null.
    public var rpcOutputs: [String: JSONValue] {
        get { state.withLock { $0.rpcOutputs } }
        set { state.withLock { $0.rpcOutputs = newValue } }
    }

    /// A request's body, whichever way its session carries it.
    public static func body(_ request: URLRequest) -> Data { request.bodyBytes }

    private func answer(_ request: URLRequest) -> MockURLProtocol.Stub {
        let body = try? MeroJSON.decode(JSONValue.self, from: Self.body(request))
        let path = request.url?.path ?? ""
        return state.withLock { state in
            switch path {
            case _ where path.hasSuffix("/auth/token"):
                state.tokenCalls += 1
                state.isRevoked = false
                return Self.rotate(&state)
            case _ where path.hasSuffix("/auth/refresh"):
                state.refreshCalls += 1
                guard !state.isRevoked, body?["refresh_token"]?.stringValue == state.refreshToken else {
                    return MockURLProtocol.Stub(status: 401, headers: ["X-Auth-Error": "token_reuse"])
                }
                return Self.rotate(&state)
            case _ where path.hasSuffix("/auth/logout"):
                state.logoutCalls += 1
                state.lastLoggedOutRefreshToken = body?["refresh_token"]?.stringValue
                return Self.json(["data": ["success": true], "error": nil])
            default:
                return Self.protected(&state, path: path, request: request, body: body)
            }
        }
    }

    private static func protected(
        _ state: inout State, path: String, request: URLRequest, body: JSONValue?
    ) -> MockURLProtocol.Stub {
        state.protectedCalls += 1
        let isRpc = path.hasSuffix("/jsonrpc")
        if isRpc { state.rpcCalls += 1 }
        if state.isRevoked { return MockURLProtocol.Stub(status: 403, headers: ["X-Auth-Error": "token_revoked"]) }
        let token = request.value(forHTTPHeaderField: "Authorization")
        let isStale = token?.hasPrefix("Bearer access-") == true && token != "Bearer \(state.accessToken)"
        if isStale || state.isExpired {
            return MockURLProtocol.Stub(status: 401, headers: ["X-Auth-Error": "token_expired"])
        }
        guard token == "Bearer \(state.accessToken)" else { return MockURLProtocol.Stub(status: 401) }
        guard isRpc else { return json(["data": [:]]) }
        let output = body?["params"]?["method"]?.stringValue.flatMap { state.rpcOutputs[$0] } ?? .null
        return json(["jsonrpc": "2.0", "id": body?["id"] ?? .null, "result": ["output": output]])
    }

    private static func rotate(_ state: inout State) -> MockURLProtocol.Stub {
        state.generation += 1
        state.isExpired = false
        return json([
            "data": [
                "access_token": .string(state.accessToken), "refresh_token": .string(state.refreshToken), "error": nil,
            ],
            "error": nil,
        ])
    }

    private static func json(_ value: JSONValue) -> MockURLProtocol.Stub {
        MockURLProtocol.Stub(
            status: 200, headers: ["Content-Type": "application/json"], body: (try? MeroJSON.encode(value)) ?? Data())
    }
}
