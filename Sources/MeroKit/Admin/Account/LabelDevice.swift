/// Body of `PUT /admin-api/account/devices/{id}/label`.
///
/// Spec: 30, section 11.4.
public struct LabelDeviceRequest: Codable, Sendable {
    /// Not empty, no control characters.
    public var label: String

    /// Makes a value of its parts.
    public init(label: String) { self.label = label }
}

/// A device with another name.
///
/// Spec: 30, section 11.4.
public struct LabelDeviceResponseData: Codable, Sendable {
    /// The account.
    public let accountId: String
    /// The device.
    public let deviceId: String
    /// Its name, trimmed.
    public let label: String
    /// Rises with every name.
    public let labelEpoch: Int

    /// Makes a value of its parts.
    public init(accountId: String, deviceId: String, label: String, labelEpoch: Int) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.label = label
        self.labelEpoch = labelEpoch
    }
}
