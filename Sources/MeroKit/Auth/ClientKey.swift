/// A key minted for one app, below a root key and never wider than it.
///
/// Spec: 10, section 9.9.
public struct ClientKey: Codable, Sendable {
    /// The key's id.
    public var clientId: String
    /// The id of the root key that it was minted below.
    public var rootKeyId: String
    /// A label.
    public var name: String
    /// What its tokens may do.
    public var permissions: [String]
    /// Unix seconds.
    public var createdAt: Int
    /// Unix seconds, nil while the key is not revoked.
    public var revokedAt: Int?
    /// False when the key is revoked or expired.
    public var isValid: Bool

    /// Makes a value of its parts.
    public init(
        clientId: String, rootKeyId: String, name: String, permissions: [String], createdAt: Int,
        revokedAt: Int? = nil, isValid: Bool
    ) {
        self.clientId = clientId
        self.rootKeyId = rootKeyId
        self.name = name
        self.permissions = permissions
        self.createdAt = createdAt
        self.revokedAt = revokedAt
        self.isValid = isValid
    }

    private enum CodingKeys: String, CodingKey {
        case clientId = "client_id"
        case rootKeyId = "root_key_id"
        case name, permissions
        case createdAt = "created_at"
        case revokedAt = "revoked_at"
        case isValid = "is_valid"
    }
}

/// Body of `POST /admin/client-key`, which mints a key and tokens for one app.
///
/// Nil properties are left out of the body: a node refuses keys that it does not know, and nodes before rc.83 know
/// neither `application_id` nor `ttl_secs`. Spec: 10, section 9.10.
public struct GenerateClientKeyRequest: Codable, Sendable {
    /// Together with `contextIdentity`: binds the key to this context and identity.
    public var contextId: String?
    /// Together with `contextId`: the identity in it.
    public var contextIdentity: String?
    /// Each must be grantable, and held by the root key.
    public var permissions: [String]?
    /// Binds the tokens to this host.
    public var targetNodeUrl: String?
    /// Binds the key to this application (rc.83).
    public var applicationId: String?
    /// Lifetime of the key in seconds (rc.83); the node's own default is 30 days. No key lives for ever.
    public var ttlSecs: UInt64?

    /// Makes a value of its parts.
    public init(
        contextId: String? = nil, contextIdentity: String? = nil, permissions: [String]? = nil,
        targetNodeUrl: String? = nil, applicationId: String? = nil, ttlSecs: UInt64? = nil
    ) {
        self.contextId = contextId
        self.contextIdentity = contextIdentity
        self.permissions = permissions
        self.targetNodeUrl = targetNodeUrl
        self.applicationId = applicationId
        self.ttlSecs = ttlSecs
    }

    private enum CodingKeys: String, CodingKey {
        case contextId = "context_id"
        case contextIdentity = "context_identity"
        case permissions
        case targetNodeUrl = "target_node_url"
        case applicationId = "application_id"
        case ttlSecs = "ttl_secs"
    }
}

/// Answer of `DELETE /admin/keys/{keyId}/clients/{clientId}`. Spec: 10, section 9.9.
public struct DeleteClientResponse: Codable, Sendable {
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
