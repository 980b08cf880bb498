/// Body of `POST /admin-api/namespaces/{id}/account/revoke`. It cannot be undone, and holds in every namespace.
///
/// Spec: 30, section 11.4.
public struct RevokeDeviceRequest: Codable, Sendable {
    /// The device.
    public var deviceId: String
    /// A revocation that the root signed elsewhere, hex. Nil when the node holds the root; never empty.
    public var proof: String?

    /// Makes a value of its parts.
    public init(deviceId: String, proof: String? = nil) {
        self.deviceId = deviceId
        self.proof = proof
    }
}

/// A device that was withdrawn.
///
/// Spec: 30, section 11.4.
public struct RevokeDeviceResponseData: Codable, Sendable {
    /// The account.
    public let accountId: String
    /// The device.
    public let deviceId: String
    /// Whether the key of the namespace in the path was rotated.
    public let keyRotated: Bool
    /// Every namespace in which it was bound.
    public let revokedIn: [RevocationOutcomeEntry]

    /// Makes a value of its parts.
    public init(accountId: String, deviceId: String, keyRotated: Bool, revokedIn: [RevocationOutcomeEntry]) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.keyRotated = keyRotated
        self.revokedIn = revokedIn
    }
}

/// A namespace from which a device was withdrawn.
///
/// Spec: 30, section 11.4.
public struct RevocationOutcomeEntry: Codable, Sendable {
    /// The namespace.
    public let namespaceId: String
    /// False when it can still read there, until an admin rotates the key.
    public let keyRotated: Bool

    /// Makes a value of its parts.
    public init(namespaceId: String, keyRotated: Bool) {
        self.namespaceId = namespaceId
        self.keyRotated = keyRotated
    }
}
