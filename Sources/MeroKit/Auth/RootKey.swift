/// A key that may mint others: one login of the node's owner or of an account.
///
/// Spec: 10, section 9.9.
public struct RootKey: Codable, Sendable {
    /// The key's id.
    public var keyId: String
    /// Empty when the node names none.
    public var publicKey: String
    /// `user_password`, `account_proof`; empty when the node names none.
    public var authMethod: String
    /// Unix seconds.
    public var createdAt: Int
    /// Unix seconds, nil while the key is good.
    public var revokedAt: Int?
    /// What its tokens may do.
    public var permissions: [String]

    /// Makes a value of its parts.
    public init(
        keyId: String, publicKey: String, authMethod: String, createdAt: Int, revokedAt: Int? = nil,
        permissions: [String]
    ) {
        self.keyId = keyId
        self.publicKey = publicKey
        self.authMethod = authMethod
        self.createdAt = createdAt
        self.revokedAt = revokedAt
        self.permissions = permissions
    }

    private enum CodingKeys: String, CodingKey {
        case keyId = "key_id"
        case publicKey = "public_key"
        case authMethod = "auth_method"
        case createdAt = "created_at"
        case revokedAt = "revoked_at"
        case permissions
    }

    /// Reads a key or method that is null as empty text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            keyId: try container.decode(String.self, forKey: .keyId),
            publicKey: try container.decodeIfPresent(String.self, forKey: .publicKey) ?? "",
            authMethod: try container.decodeIfPresent(String.self, forKey: .authMethod) ?? "",
            createdAt: try container.decode(Int.self, forKey: .createdAt),
            revokedAt: try container.decodeIfPresent(Int.self, forKey: .revokedAt),
            permissions: try container.decodeIfPresent([String].self, forKey: .permissions) ?? [])
    }
}

/// Body of `POST /admin/keys`, which creates a root key with `admin`.
///
/// Printing it never shows `providerData`, which holds the password. Spec: 10, section 9.9.
public struct CreateKeyRequest: Codable, Sendable {
    /// A label for a password login.
    public var publicKey: String
    /// The provider, e.g. `user_password`.
    public var authMethod: String
    /// For a password: `username` and `password`, the latter of 8 to 128 characters.
    public var providerData: [String: JSONValue]
    /// Restricts the key to this node URL. Left out of the body when nil.
    public var targetNodeUrl: String?

    /// Makes a value of its parts.
    public init(
        publicKey: String, authMethod: String, providerData: [String: JSONValue], targetNodeUrl: String? = nil
    ) {
        self.publicKey = publicKey
        self.authMethod = authMethod
        self.providerData = providerData
        self.targetNodeUrl = targetNodeUrl
    }

    private enum CodingKeys: String, CodingKey {
        case publicKey = "public_key"
        case authMethod = "auth_method"
        case providerData = "provider_data"
        case targetNodeUrl = "target_node_url"
    }
}

extension CreateKeyRequest: Redacting {
    var printedFields: [PrintedField] {
        [
            .shown("publicKey", publicKey), .shown("authMethod", authMethod), .secret("providerData"),
            .shown("targetNodeUrl", targetNodeUrl as Any),
        ]
    }
}

/// Answer of `POST /admin/keys`. Spec: 10, section 9.9.
public struct CreateKeyResponse: Codable, Sendable {
    /// True when the node did it.
    public var status: Bool
    /// `Key was created` or `Key was updated`.
    public var message: String

    /// Makes a value of its parts.
    public init(status: Bool, message: String) {
        self.status = status
        self.message = message
    }
}

/// Answer of `DELETE /admin/keys/{keyId}`.
///
/// A node that refuses to delete its last root key says so with a 200 and `success` false. Spec: 10, section 9.9.
public struct DeleteKeyResponse: Codable, Sendable {
    /// False when the node kept the key.
    public var success: Bool
    /// Empty when the node gives no text.
    public var message: String

    /// Makes a value of its parts.
    public init(success: Bool, message: String) {
        self.success = success
        self.message = message
    }

    /// Reads any of the shapes that nodes send.
    public init(from decoder: any Decoder) throws {
        let outcome = try DeletionOutcome(from: decoder)
        self.init(success: outcome.success, message: outcome.message)
    }
}
