/// Body of `PUT /admin-api/account/devices/{id}/scope`: replaces what it may speak for.
///
/// Spec: 30, section 11.4.
public struct RescopeDeviceRequest: Codable, Sendable {
    /// What it may speak for from now on.
    public var scope: DeviceScope

    /// Makes a value of its parts.
    public init(scope: DeviceScope) { self.scope = scope }
}

/// A device with another scope.
///
/// Spec: 30, section 11.4.
public struct RescopeDeviceResponseData: Codable, Sendable {
    /// The account.
    public let accountId: String
    /// The device.
    public let deviceId: String
    /// For which applications it may speak now; empty for all.
    public let applications: [String]
    /// Where it may not speak any more.
    public let descoped: [RescopeDescopeEntry]
    /// Where it was bound.
    public let linkedIn: [RelinkOutcomeEntry]
    /// Where it was not.
    public let skipped: [RelinkSkipEntry]

    /// Makes a value of its parts.
    public init(
        accountId: String, deviceId: String, applications: [String], descoped: [RescopeDescopeEntry],
        linkedIn: [RelinkOutcomeEntry], skipped: [RelinkSkipEntry]
    ) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.applications = applications
        self.descoped = descoped
        self.linkedIn = linkedIn
        self.skipped = skipped
    }
}

/// A namespace that a device may not speak in any more.
///
/// Spec: 30, section 11.4.
public struct RescopeDescopeEntry: Codable, Sendable {
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
