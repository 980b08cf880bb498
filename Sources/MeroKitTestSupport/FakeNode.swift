import Foundation
import MeroKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The few answers of a node that a session needs, as a stub of `URLSession`: logins, one valid token at a time, refreshes,
/// and JSON-RPC with set outputs.
///
/// It checks nothing beyond the token. Where a test should meet a real node's strictness, start a `DevNode`.
public final class FakeNode: @unchecked Sendable {
    // Safe to share: all state is reached through the lock of `state` and `outputs` only.
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

        var accessToken: String { "access-\(generation)" }
        var refreshToken: String { "refresh-\(generation)" }
    }

    private let state = Locked(State())
    private let outputs = NSLock()
    private var outputValues: [String: Any] = ["get": 42]

    /// A node to which nobody has signed in yet.
    public init() {}

    /// Makes this node the handler of `MockURLProtocol.makeSession()`.
    public func install() { MockURLProtocol.setHandler { self.answer($0) } }

    /// From now on the current access token is answered with 401 `token_expired`, until it is refreshed.
    public func expireAccessToken() { state.withLock { $0.isExpired = true } }

    /// From now on every token counts as expired and every refresh is answered with 401 `token_reuse`, until the next login.
    public func revokeFamily() { state.withLock { $0.isRevoked = true } }

    /// The token that is valid now: `access-<n>`, counted over logins and refreshes.
    public var accessToken: String { state.withLock { $0.accessToken } }
    /// The one refresh token that has not been used: `refresh-<n>`.
    public var refreshToken: String { state.withLock { $0.refreshToken } }
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
    /// What the last sign-out asked to retire; nil when there was none.
    public var lastLoggedOutRefreshToken: String? { state.withLock { $0.lastLoggedOutRefreshToken } }

    /// What each contract method returns, of the types that JSON has. A method that is not here returns what `get` does, and
    /// 0 if that is not here either.
    public var rpcOutputs: [String: Any] {
        get {
            outputs.lock()
            defer { outputs.unlock() }
            return outputValues
        }
        set {
            outputs.lock()
            defer { outputs.unlock() }
            outputValues = newValue
        }
    }

    private func output(of method: String?) -> JSONValue {
        let values = rpcOutputs
        let value = method.flatMap { values[$0] } ?? values["get"] ?? 0
        if let value = value as? JSONValue { return value }
        guard let data = try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed),
            let json = try? MeroJSON.decode(JSONValue.self, from: data)
        else { return .null }
        return json
    }

    /// A request's body, whichever way its session carries it.
    public static func body(_ request: URLRequest) -> Data { request.bodyBytes }

    private func answer(_ request: URLRequest) -> MockURLProtocol.Stub {
        let body = try? MeroJSON.decode(JSONValue.self, from: Self.body(request))
        let path = request.url?.path ?? ""
        let output = output(of: body?["params"]?["method"]?.stringValue)
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
                return Self.protected(&state, path: path, request: request, body: body, output: output)
            }
        }
    }

    private static func protected(
        _ state: inout State, path: String, request: URLRequest, body: JSONValue?, output: JSONValue
    ) -> MockURLProtocol.Stub {
        state.protectedCalls += 1
        let isRpc = path.hasSuffix("/jsonrpc")
        if isRpc { state.rpcCalls += 1 }
        let token = request.value(forHTTPHeaderField: "Authorization")
        let isStale = token?.hasPrefix("Bearer access-") == true && token != "Bearer \(state.accessToken)"
        if isStale || state.isExpired || state.isRevoked {
            return MockURLProtocol.Stub(status: 401, headers: ["X-Auth-Error": "token_expired"])
        }
        guard token == "Bearer \(state.accessToken)" else { return MockURLProtocol.Stub(status: 401) }
        guard isRpc else { return json(["data": [:]]) }
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
