/// Body of `POST /admin-api/namespaces/{id}/account/link-device`, by which a relay binds a device of an account that
/// it does not hold.
///
/// Spec: 30, section 11.4.
public struct LinkAccountDeviceRequest: Codable, Sendable {
    /// The device's certificate, hex.
    public var credential: String
    /// What `AccountRoot.scope` makes, hex.
    public var scope: String

    /// Makes a value of its parts.
    public init(credential: String, scope: String) {
        self.credential = credential
        self.scope = scope
    }
}

/// A device that is bound in a namespace.
///
/// Spec: 30, section 11.4.
public struct LinkAccountDeviceResponseData: Codable, Sendable, Equatable {
    /// The account.
    public let accountId: String
    /// The device.
    public let deviceId: String
    /// True when there was nothing to do.
    public let alreadyBound: Bool

    /// Makes a value of its parts.
    public init(accountId: String, deviceId: String, alreadyBound: Bool) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.alreadyBound = alreadyBound
    }
}
