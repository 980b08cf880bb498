/// Body of `POST /admin-api/account/devices/{id}/relink`: nothing is taken away.
///
/// Spec: 30, section 11.4.
public struct RelinkDeviceRequest: Codable, Sendable {
    /// What it may speak for in addition; empty mends without widening.
    public var applications: [String]

    /// Makes a value of its parts.
    public init(applications: [String] = []) { self.applications = applications }
}

/// A device that was bound again.
///
/// Spec: 30, section 11.4.
public struct RelinkDeviceResponseData: Codable, Sendable {
    /// The account.
    public let accountId: String
    /// The device.
    public let deviceId: String
    /// For which applications it may speak now; empty for all.
    public let applications: [String]
    /// Where it was bound.
    public let linkedIn: [RelinkOutcomeEntry]
    /// Where it was not.
    public let skipped: [RelinkSkipEntry]

    /// Makes a value of its parts.
    public init(
        accountId: String, deviceId: String, applications: [String], linkedIn: [RelinkOutcomeEntry],
        skipped: [RelinkSkipEntry]
    ) {
        self.accountId = accountId
        self.deviceId = deviceId
        self.applications = applications
        self.linkedIn = linkedIn
        self.skipped = skipped
    }
}

/// A namespace in which a device was bound.
///
/// Spec: 30, section 11.4.
public struct RelinkOutcomeEntry: Codable, Sendable {
    /// The namespace.
    public let namespaceId: String
    /// False when it has yet to fetch the key.
    public let keyDelivered: Bool

    /// Makes a value of its parts.
    public init(namespaceId: String, keyDelivered: Bool) {
        self.namespaceId = namespaceId
        self.keyDelivered = keyDelivered
    }
}

/// A namespace in which a device was not bound.
///
/// Spec: 30, section 11.4.
public struct RelinkSkipEntry: Codable, Sendable {
    /// The namespace.
    public let namespaceId: String
    /// `outOfScope`, `alreadyBound`, `noScopeKey`, `revoked`, `ownDevice`, `failed`.
    public let reason: String

    /// Makes a value of its parts.
    public init(namespaceId: String, reason: String) {
        self.namespaceId = namespaceId
        self.reason = reason
    }
}
