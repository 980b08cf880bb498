/// Whether a node accepts a token.
///
/// Spec: 10, section 9.8.
public struct TokenValidation: Sendable {
    /// True for a 2xx answer.
    public var valid: Bool
    /// The status of the answer; 401 for every failure, an unreachable node included.
    public var status: Int
    /// Names in lower case: `x-auth-user`, `x-auth-permissions`, ... Empty for a failure.
    public var headers: [String: String]

    /// Makes a value of its parts.
    public init(valid: Bool, status: Int, headers: [String: String]) {
        self.valid = valid
        self.status = status
        self.headers = headers
    }
}
