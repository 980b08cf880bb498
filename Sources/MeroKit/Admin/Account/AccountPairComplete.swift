/// Body of `POST /admin-api/account/pair-complete`, sent to the node that holds the root.
///
/// Spec: 30, section 11.2.
public struct AccountPairCompleteRequest: Codable, Sendable {
    /// As the new node has it.
    public var deviceId: String
    /// As the new node has it.
    public var kemPublicKey: String
    /// As the new node has it.
    public var signPublicKey: String
    /// As the new node has it.
    public var statement: String
    /// As people compared it.
    public var confirmationCode: String
    /// For which applications it may speak; empty for all.
    public var applications: [String]

    /// Makes a value of its parts.
    public init(
        deviceId: String, kemPublicKey: String, signPublicKey: String, statement: String, confirmationCode: String,
        applications: [String] = []
    ) {
        self.deviceId = deviceId
        self.kemPublicKey = kemPublicKey
        self.signPublicKey = signPublicKey
        self.statement = statement
        self.confirmationCode = confirmationCode
        self.applications = applications
    }
}

/// A device that was certified.
///
/// Spec: 30, section 11.2.
public struct PairDeviceCompleteResponseData: Codable, Sendable {
    /// The account.
    public let accountId: String
    /// The device.
    public let deviceId: String
    /// False when it is bound and has yet to fetch the key.
    public let keyDelivered: Bool
    /// The code once more.
    public let confirmationCode: String
    /// Its certificate, hex. It is no secret.
    public let credential: String

    /// Makes a value of its parts.
    public init(
        accountId: String, deviceId: String, keyDelivered: Bool, confirmationCode: String, credential: String
    ) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.keyDelivered = keyDelivered
        self.confirmationCode = confirmationCode
        self.credential = credential
    }
}
