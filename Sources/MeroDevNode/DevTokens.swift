/// A token pair of the node.
public struct DevTokens: Sendable, Equatable {
    /// The bearer token, a JWT.
    public let accessToken: String
    /// Good for one refresh, a JWT.
    public let refreshToken: String
}
