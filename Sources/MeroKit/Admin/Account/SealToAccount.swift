/// Body of `POST /admin-api/groups/{id}/accounts/{account}/seal`.
///
/// Spec: 30, section 11.6.
public struct SealToAccountRequest: Codable, Sendable {
    /// 1 to 65,536 bytes in hex.
    public var plaintext: String

    /// Makes a value of its parts.
    public init(plaintext: String) { self.plaintext = plaintext }
}

/// Something that only the devices of one account can read. It does not tell who sealed it.
///
/// Spec: 30, section 11.6.
public struct SealedEnvelope: Codable, Sendable, Equatable {
    /// The epoch of the account's root that it was sealed for.
    public let accountRootEpoch: UInt64
    /// 32 bytes in hex.
    public let ephemeralPublicKey: String
    /// 12 bytes in hex.
    public let nonce: String
    /// AES-256-GCM with its tag of 16 bytes, in hex.
    public let ciphertext: String

    /// Makes a value of its parts.
    public init(accountRootEpoch: UInt64, ephemeralPublicKey: String, nonce: String, ciphertext: String) {
        self.accountRootEpoch = accountRootEpoch
        self.ephemeralPublicKey = ephemeralPublicKey
        self.nonce = nonce
        self.ciphertext = ciphertext
    }
}
