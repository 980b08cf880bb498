/// A member's account and its devices.
///
/// Spec: 30, section 5.1.
public struct MemberDevicesEntry: Codable, Sendable {
    /// The account.
    public let account: String
    /// Those that are not revoked.
    public let devices: [MemberDeviceEntry]

    /// Makes a value of its parts.
    public init(account: String, devices: [MemberDeviceEntry]) {
        self.account = account
        self.devices = devices
    }
}

/// A device of a member.
///
/// Spec: 30, section 5.1.
public struct MemberDeviceEntry: Codable, Sendable {
    /// The device.
    public let deviceId: String
    /// The key it signs with, as `getContextIdentities` lists it.
    public let signingKey: String

    /// Makes a value of its parts.
    public init(deviceId: String, signingKey: String) {
        self.deviceId = deviceId
        self.signingKey = signingKey
    }
}

/// Members with their devices. A plain member sees itself only.
///
/// Spec: 30, section 5.1.
public struct ListMemberDevicesResponseData: Codable, Sendable {
    /// One entry for each account.
    public let members: [MemberDevicesEntry]

    /// Makes a value of its parts.
    public init(members: [MemberDevicesEntry]) { self.members = members }
}
