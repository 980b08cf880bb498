/// Body of `POST /admin-api/groups/{id}/issue-ownership-proof`.
///
/// Spec: 30, section 9.
public struct IssueOwnershipProofRequest: Codable, Sendable {
    /// Who is to believe it; 1 to 256 bytes.
    public var audience: String
    /// A context of the namespace.
    public var contextId: String
    /// What it is about; 1 to 256 bytes.
    public var subject: String
    /// 32 to 128 hex digits that the audience chose.
    public var nonce: String
    /// Unix milliseconds, at most 300,000 from now.
    public var expiresAtMs: UInt64

    /// Makes a value of its parts.
    public init(audience: String, contextId: String, subject: String, nonce: String, expiresAtMs: UInt64) {
        self.audience = audience
        self.contextId = contextId
        self.subject = subject
        self.nonce = nonce
        self.expiresAtMs = expiresAtMs
    }
}

/// Body of `POST /admin-api/groups/{id}/issue-namespace-ownership-proof`.
///
/// Spec: 30, section 9.
public struct IssueNamespaceOwnershipProofRequest: Codable, Sendable {
    /// Who is to believe it; 1 to 256 bytes.
    public var audience: String
    /// What it is about; 1 to 256 bytes.
    public var subject: String
    /// 32 to 128 hex digits that the audience chose.
    public var nonce: String
    /// Unix milliseconds, at most 300,000 from now.
    public var expiresAtMs: UInt64

    /// Makes a value of its parts.
    public init(audience: String, subject: String, nonce: String, expiresAtMs: UInt64) {
        self.audience = audience
        self.subject = subject
        self.nonce = nonce
        self.expiresAtMs = expiresAtMs
    }
}

/// A proof that the node is an admin of a group.
///
/// Signed are the 27 characters `calimero.ownership-claim.v1`, a zero byte and the decoded payload, which must not be
/// written anew.
///
/// Spec: 30, section 9.
public struct IssueOwnershipProofResponseData: Codable, Sendable, Equatable {
    /// The key that signed, hex.
    public let signerPublicKey: String
    /// JSON in UTF-8, base64.
    public let signedPayload: String
    /// Ed25519, base64.
    public let signature: String
    /// For a namespace: what its id was derived from.
    public let founding: NamespaceFounding?
    /// For a namespace: the certificate of the device that signed, hex.
    public let credential: String?

    /// Makes a value of its parts.
    public init(
        signerPublicKey: String, signedPayload: String, signature: String, founding: NamespaceFounding? = nil,
        credential: String? = nil
    ) {
        self.signerPublicKey = signerPublicKey
        self.signedPayload = signedPayload
        self.signature = signature
        self.founding = founding
        self.credential = credential
    }
}
