/// Body of `POST /auth/logout`, which retires one refresh token.
///
/// The access token that belongs to it stays valid until it expires. Spec: 10, section 9.9.
public struct LogoutRequest: Codable, Sendable {
    /// The token to retire.
    public var refreshToken: String

    /// Makes a value of its parts.
    public init(refreshToken: String) { self.refreshToken = refreshToken }

    private enum CodingKeys: String, CodingKey {
        case refreshToken = "refresh_token"
    }
}

extension LogoutRequest: Redacting {
    var printedFields: [PrintedField] { [.secret("refreshToken")] }
}

/// Answer of `POST /auth/logout`. Spec: 10, section 9.9.
public struct LogoutResponse: Codable, Sendable {
    /// True when the node did it.
    public var success: Bool

    /// Makes a value of its parts.
    public init(success: Bool) { self.success = success }
}

/// Body of `POST /admin/revoke`, which ends every session of one key at once. Spec: 10, section 9.9.
public struct RevokeTokenRequest: Codable, Sendable {
    /// The key's id.
    public var clientId: String

    /// Makes a value of its parts.
    public init(clientId: String) { self.clientId = clientId }

    private enum CodingKeys: String, CodingKey {
        case clientId = "client_id"
    }
}

/// Answer of `POST /admin/revoke`. Spec: 10, section 9.9.
public struct RevokeTokenResponse: Codable, Sendable {
    /// True when the node did it.
    public var success: Bool
    /// The node's words.
    public var message: String

    /// Makes a value of its parts.
    public init(success: Bool, message: String) {
        self.success = success
        self.message = message
    }
}
