/// A device of the node's account.
///
/// Spec: 30, section 11.3.
public struct AccountDeviceEntry: Codable, Sendable {
    /// The device.
    public let deviceId: String
    /// The key it signs with.
    public let signingKey: String
    /// Whether it is this node.
    public let isSelf: Bool
    /// Whether it was withdrawn.
    public let revoked: Bool
    /// For which applications it may speak; empty for all.
    public let applications: [String]
    /// Where it is bound.
    public let namespaces: [String]
    /// Its name.
    public let label: String?

    /// Makes a value of its parts.
    public init(
        deviceId: String, signingKey: String, isSelf: Bool, revoked: Bool, applications: [String],
        namespaces: [String], label: String? = nil
    ) {
        self.deviceId = deviceId
        self.signingKey = signingKey
        self.isSelf = isSelf
        self.revoked = revoked
        self.applications = applications
        self.namespaces = namespaces
        self.label = label
    }
}

/// The devices of the node's account.
///
/// Spec: 30, section 11.3.
public struct AccountDevicesResponse: Codable, Sendable {
    /// One entry for each device.
    public let devices: [AccountDeviceEntry]

    /// Makes a value of its parts.
    public init(devices: [AccountDeviceEntry]) { self.devices = devices }
}

/// An application that the account uses.
///
/// Spec: 30, section 11.3.
public struct AccountApplicationEntry: Codable, Sendable {
    /// The application.
    public let applicationId: String
    /// At least one namespace.
    public let namespaces: [String]

    /// Makes a value of its parts.
    public init(applicationId: String, namespaces: [String]) {
        self.applicationId = applicationId
        self.namespaces = namespaces
    }
}

/// The applications that the account uses.
///
/// Spec: 30, section 11.3.
public struct AccountApplicationsResponse: Codable, Sendable {
    /// One entry for each application.
    public let applications: [AccountApplicationEntry]

    /// Makes a value of its parts.
    public init(applications: [AccountApplicationEntry]) { self.applications = applications }
}
