import Foundation

/// A session: the pair of tokens a node issued, and when the access token expires.
///
/// As JSON it is `{"access_token": …, "refresh_token": …, "expires_at": <milliseconds since 1970>}`. Printing it never shows
/// the tokens. Spec: 10, section 7.1.
public struct TokenData: Codable, Sendable, Equatable {
    /// Sent with every request.
    public var accessToken: String
    /// Buys one new pair once the access token is expired. May be empty; the session then ends with the access token.
    public var refreshToken: String
    /// For information only: nothing is refreshed because of it, the node's answer decides.
    public var expiresAt: Date
    /// Whose they are, where one store is used by one session after another. A store that keeps less loses it.
    var owner: RelayTokenOwner?

    /// Makes a value of its parts.
    public init(accessToken: String, refreshToken: String, expiresAt: Date) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }

    /// Whose the tokens are does not tell one session from another: the tokens do.
    public static func == (one: TokenData, other: TokenData) -> Bool {
        one.accessToken == other.accessToken && one.refreshToken == other.refreshToken
            && one.expiresAt == other.expiresAt
    }

    /// How long a token is taken to live when nothing says so, in seconds.
    static let assumedLifetime: TimeInterval = 3600

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresAt = "expires_at"
        case owner
    }

    /// Both tokens must be there. An expiry that is missing, or no positive number, is an hour from now.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        accessToken = try container.decode(String.self, forKey: .accessToken)
        refreshToken = try container.decode(String.self, forKey: .refreshToken)
        let milliseconds = (try? container.decode(Double.self, forKey: .expiresAt)) ?? 0
        expiresAt =
            milliseconds > 0
            ? Date(timeIntervalSince1970: min(milliseconds, Self.latestMilliseconds) / 1000)
            : Date().addingTimeInterval(Self.assumedLifetime)
        owner = try container.decodeIfPresent(RelayTokenOwner.self, forKey: .owner)
    }

    /// Writes whole milliseconds, at least one: less would be read as no expiry at all, and what is over as valid again.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(accessToken, forKey: .accessToken)
        try container.encode(refreshToken, forKey: .refreshToken)
        let milliseconds = (expiresAt.timeIntervalSince1970 * 1000).rounded()
        let bounded = max(1, min(milliseconds, Self.latestMilliseconds))
        try container.encode(Int64(exactly: bounded) ?? 1, forKey: .expiresAt)
        try container.encodeIfPresent(owner, forKey: .owner)
    }

    /// The largest integer that every reader of JSON keeps exact.
    private static let latestMilliseconds = 9_007_199_254_740_991.0
}

extension TokenData: Redacting {
    var printedFields: [PrintedField] {
        [.secret("accessToken"), .secret("refreshToken"), .shown("expiresAt", expiresAt)]
    }
}
