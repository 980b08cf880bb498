/// Body of `POST /admin-api/account/pair-init`, sent to the new node.
///
/// Spec: 30, section 11.2.
public struct AccountPairInitRequest: Codable, Sendable {
    /// The root of the account that it is to belong to.
    public var accountRootPublicKey: String
    /// Where it is to be bound. Not empty, unless the account's own namespace is given.
    public var namespaces: [String]
    /// The account's own namespace.
    public var accountNamespace: String?

    /// Makes a value of its parts.
    public init(accountRootPublicKey: String, namespaces: [String] = [], accountNamespace: String? = nil) {
        self.accountRootPublicKey = accountRootPublicKey
        self.namespaces = namespaces
        self.accountNamespace = accountNamespace
    }
}

/// What a new node shows to the holder of the root.
///
/// Spec: 30, section 11.2.
public struct PairDeviceInitResponseData: Codable, Sendable {
    /// The account.
    public let accountId: String
    /// The device.
    public let deviceId: String
    /// The key that others seal to, hex.
    public let kemPublicKey: String
    /// The key it signs with, hex.
    public let signPublicKey: String
    /// Its signature over these, hex. It goes stale after 300 seconds.
    public let statement: String
    /// What people compare, e.g. `3F1A-09BC-77D2-E04B`.
    public let confirmationCode: String

    /// Makes a value of its parts.
    public init(
        accountId: String, deviceId: String, kemPublicKey: String, signPublicKey: String, statement: String,
        confirmationCode: String
    ) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.kemPublicKey = kemPublicKey
        self.signPublicKey = signPublicKey
        self.statement = statement
        self.confirmationCode = confirmationCode
    }
}
