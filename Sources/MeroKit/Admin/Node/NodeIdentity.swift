/// Who a node is. All ids and keys are 64 lower-case hex digits on current nodes.
///
/// Spec: 20, sections 4.1 and 5.2.
public struct NodeIdentity: Codable, Sendable {
    /// The account the node acts as: what every authorisation takes.
    public let accountId: String
    /// The node's device, nil before it is enrolled.
    public let deviceId: String?
    /// The key the node signs with: its device's, not the account's root.
    public let publicKey: String
    /// The root key of the account that the node speaks for. On a paired node it belongs to another machine.
    public let accountRootPublicKey: String
    /// The key that others seal data to for this device.
    public let deviceAgreementKey: String?
    /// Whether this node can certify devices into its account.
    public let holdsAccountRoot: Bool
    /// The namespace in which the account itself is kept.
    public let accountNamespaceId: String?
    /// Set when the node was removed from an account that it belonged to.
    public let revokedFrom: RevokedFrom?
    /// Whether the device holds a certificate. False on nodes that do not say.
    public let deviceCertified: Bool

    /// A node's identity; all ids and keys are 64 lower-case hex characters.
    public init(
        accountId: String, deviceId: String? = nil, publicKey: String, accountRootPublicKey: String,
        deviceAgreementKey: String? = nil, holdsAccountRoot: Bool = false, accountNamespaceId: String? = nil,
        revokedFrom: RevokedFrom? = nil, deviceCertified: Bool = false
    ) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.publicKey = publicKey
        self.accountRootPublicKey = accountRootPublicKey
        self.deviceAgreementKey = deviceAgreementKey
        self.holdsAccountRoot = holdsAccountRoot
        self.accountNamespaceId = accountNamespaceId
        self.revokedFrom = revokedFrom
        self.deviceCertified = deviceCertified
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            accountId: try container.decode(String.self, forKey: .accountId),
            deviceId: try container.decodeIfPresent(String.self, forKey: .deviceId),
            publicKey: try container.decode(String.self, forKey: .publicKey),
            accountRootPublicKey: try container.decode(String.self, forKey: .accountRootPublicKey),
            deviceAgreementKey: try container.decodeIfPresent(String.self, forKey: .deviceAgreementKey),
            holdsAccountRoot: try container.decodeIfPresent(Bool.self, forKey: .holdsAccountRoot) ?? false,
            accountNamespaceId: try container.decodeIfPresent(String.self, forKey: .accountNamespaceId),
            revokedFrom: try container.decodeIfPresent(RevokedFrom.self, forKey: .revokedFrom),
            deviceCertified: try container.decodeIfPresent(Bool.self, forKey: .deviceCertified) ?? false)
    }
}

/// The account and device under which a node was revoked.
public struct RevokedFrom: Codable, Sendable, Equatable {
    /// The account, 64 hex characters.
    public let accountId: String
    /// The device, 64 hex characters.
    public let deviceId: String

    /// An account and the device that was withdrawn from it.
    public init(accountId: String, deviceId: String) {
        self.accountId = accountId
        self.deviceId = deviceId
    }
}
