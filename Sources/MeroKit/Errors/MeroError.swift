import Foundation

/// Every failure that the SDK itself reports.
///
/// The set of cases is closed: a `switch` over it stays exhaustive. Two kinds of errors are not `MeroError`s:
/// cancellation of the calling task, which is always thrown as `CancellationError`, and the error types of the account
/// and transport layers.
///
/// ```swift
/// do {
///     let post: Post = try await mero.rpc.execute(contextId: id, method: "get_post", argsJson: ["id": "42"])
/// } catch let error as MeroError {
///     switch error {
///     case .rpc(let rpc): print("the contract said no:", rpc.message)
///     case .authRevoked: promptSignIn()
///     default: print(error.localizedDescription)
///     }
/// }
/// ```
///
/// Spec: 10, section 1.1.
public enum MeroError: Error, Sendable {
    /// Any answer outside 200-299 that does not end the session.
    case http(HTTPError)
    /// The session is over: its token family was revoked, or a refresh token was used twice.
    ///
    /// `reason` is the node's `x-auth-error` value (`token_revoked` or `token_reuse`). Sign in again.
    case authRevoked(reason: String, http: HTTPError)
    /// The node answered, and the JSON-RPC answer carries an error: most often the contract's own.
    case rpc(RpcError)
    /// No usable HTTP answer: name resolution, connection, TLS, time-out, or an input that cannot be sent.
    case network(String)
    /// A success whose body, or whose required `data`, is missing.
    case emptyResponse(String)
    /// A login or a token refresh failed.
    case authenticationFailed(String)
    /// `authenticate()` was called with no credentials, neither as an argument nor in the configuration.
    case noCredentials
    /// A refresh was needed and there is no refresh token.
    case noRefreshToken
    /// A success whose body did not have the expected form. Carries up to the first 200 bytes of the body.
    case decoding(String)
}

extension MeroError {
    /// The HTTP status of `.http` and `.authRevoked`, else nil.
    public var httpStatus: Int? { httpError?.status }

    /// The node's typed refusal in the body of `.http` and `.authRevoked`, else nil.
    public var refusal: ErrorRefusal? { httpError?.refusal }

    /// What kind of error the node named: the `type` of a JSON-RPC error, or of a refusal (`"FunctionCallError"`, ...).
    public var errorType: String? {
        if case .rpc(let error) = self { return error.type }
        return refusal?.type
    }

    /// What the node or the contract gave beside `errorType`: the same for a JSON-RPC error and for a refusal. Nil when there
    /// is none.
    public var errorData: JSONValue? {
        if case .rpc(let error) = self { return error.data }
        return refusal?.data
    }

    private var httpError: HTTPError? {
        switch self {
        case .http(let error), .authRevoked(_, let error): return error
        default: return nil
        }
    }
}

extension MeroError: LocalizedError {
    /// One line for a person. The same text as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .http(let error): return error.message
        case .authRevoked(let reason, let error): return "Authentication revoked (\(reason)): \(error.message)"
        case .rpc(let error): return "RPC error \(error.code): \(error.message)"
        case .network(let text): return "Network error: \(text)"
        case .emptyResponse(let text): return text
        case .authenticationFailed(let text): return "Authentication failed: \(text)"
        case .noCredentials: return "No credentials provided for authentication"
        case .noRefreshToken: return "No refresh token available"
        case .decoding(let text): return "Failed to decode response: \(text)"
        }
    }

    /// The node's or the contract's own words, where the answer had some; else nil.
    ///
    /// `errorDescription` of an HTTP error tells the status alone. A contract's error reads the same here whether it came
    /// from a node (`.rpc`) or through a relay (`.http`).
    ///
    /// ```swift
    /// show(error.failureReason ?? error.localizedDescription)
    /// ```
    public var failureReason: String? {
        if errorType != nil, let text = errorData?.stringValue { return text }
        if case .rpc(let error) = self { return error.message }
        return refusal?.message
    }
}
