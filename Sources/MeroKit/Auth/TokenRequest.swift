/// Body of `POST /auth/token`: a login.
///
/// ```swift
/// TokenRequest(
///     authMethod: "user_password", publicKey: "alice", clientName: "my-app", permissions: ["admin"],
///     timestamp: Int(Date().timeIntervalSince1970),
///     providerData: ["username": "alice", "password": .string(password)])
/// ```
///
/// Printing it never shows `providerData`, which holds the password. Spec: 10, section 9.5.
public struct TokenRequest: Codable, Sendable {
    /// `user_password` or `account_proof`.
    public var authMethod: String
    /// A label for a password login (the user name); the session's public key, 64 hex digits, for an account login.
    public var publicKey: String
    /// A label. When it reads as a URL, the tokens are bound to that host.
    public var clientName: String
    /// Left out of the body when nil. Neither of the node's providers looks at it.
    public var permissions: [String]?
    /// Unix seconds.
    public var timestamp: Int
    /// What the provider asks for, e.g. `username` and `password`.
    public var providerData: [String: JSONValue]

    /// Makes a value of its parts.
    public init(
        authMethod: String, publicKey: String, clientName: String, permissions: [String]?, timestamp: Int,
        providerData: [String: JSONValue]
    ) {
        self.authMethod = authMethod
        self.publicKey = publicKey
        self.clientName = clientName
        self.permissions = permissions
        self.timestamp = timestamp
        self.providerData = providerData
    }

    private enum CodingKeys: String, CodingKey {
        case authMethod = "auth_method"
        case publicKey = "public_key"
        case clientName = "client_name"
        case permissions, timestamp
        case providerData = "provider_data"
    }
}

extension TokenRequest: Redacting {
    var printedFields: [PrintedField] {
        [
            .shown("authMethod", authMethod), .shown("publicKey", publicKey), .shown("clientName", clientName),
            .shown("permissions", permissions as Any), .shown("timestamp", timestamp), .secret("providerData"),
        ]
    }
}

/// Body of `POST /auth/refresh`: a spent access token and the refresh token that belongs to it.
///
/// A refresh token works once. Spec: 10, section 9.6.
public struct RefreshTokenRequest: Codable, Sendable {
    /// The expired access token.
    public var accessToken: String
    /// The refresh token that came with it.
    public var refreshToken: String

    /// Makes a value of its parts.
    public init(accessToken: String, refreshToken: String) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
    }
}

extension RefreshTokenRequest: Redacting {
    var printedFields: [PrintedField] { [.secret("accessToken"), .secret("refreshToken")] }
}

/// Body of `POST /auth/mock-token`, which only debug builds of a node serve.
///
/// Nil properties are left out of the body. Spec: 10, section 9.12.
public struct MockTokenRequest: Codable, Sendable {
    /// A label.
    public var clientName: String
    /// The node's own default is `["admin"]`.
    public var permissions: [String]?
    /// Binds the tokens to this host.
    public var nodeUrl: String?
    /// Seconds.
    public var accessTokenExpiry: Int?
    /// Seconds.
    public var refreshTokenExpiry: Int?

    /// Makes a value of its parts.
    public init(
        clientName: String, permissions: [String]? = nil, nodeUrl: String? = nil, accessTokenExpiry: Int? = nil,
        refreshTokenExpiry: Int? = nil
    ) {
        self.clientName = clientName
        self.permissions = permissions
        self.nodeUrl = nodeUrl
        self.accessTokenExpiry = accessTokenExpiry
        self.refreshTokenExpiry = refreshTokenExpiry
    }

    private enum CodingKeys: String, CodingKey {
        case clientName = "client_name"
        case permissions
        case nodeUrl = "node_url"
        case accessTokenExpiry = "access_token_expiry"
        case refreshTokenExpiry = "refresh_token_expiry"
    }
}
