/// The application that a namespace is founded for: which one, and where the relay finds it.
///
/// Spec: 60, section 5.
public struct FoundingApplication: Sendable, Equatable {
    /// See `ApplicationRegistry.applicationIdForBundle`.
    public let applicationId: String
    /// The package's name in the relay's registry.
    public let package: String
    /// Which version of it.
    public let version: String

    /// Makes a value of its parts.
    public init(applicationId: String, package: String, version: String) {
        self.applicationId = applicationId
        self.package = package
        self.version = version
    }
}

/// A namespace that an account founded through a relay.
///
/// What followed the founding is told here and not thrown: the namespace exists either way. Spec: 60, section 5.6.
public struct FoundedNamespace: Sendable, Equatable {
    /// The new namespace.
    public let namespaceId: String
    /// Keep it: with the founder's account it proves the founding to the cloud.
    public let salt: String
    /// Whether the relay opened the namespace to attested machines.
    public let teeEnabled: Bool
    /// Why it did not.
    public let teeError: String?
    /// Whether the application was chosen; nil when none was asked for.
    public let applicationSet: Bool?
    /// Why it was not.
    public let applicationError: String?
    /// Whether the capabilities of new members were set; nil when none were asked for.
    public let defaultCapabilitiesSet: Bool?
    /// Why they were not.
    public let defaultCapabilitiesError: String?

    /// Makes a value of its parts.
    public init(
        namespaceId: String, salt: String, teeEnabled: Bool, teeError: String? = nil, applicationSet: Bool? = nil,
        applicationError: String? = nil, defaultCapabilitiesSet: Bool? = nil, defaultCapabilitiesError: String? = nil
    ) {
        self.namespaceId = namespaceId
        self.salt = salt
        self.teeEnabled = teeEnabled
        self.teeError = teeError
        self.applicationSet = applicationSet
        self.applicationError = applicationError
        self.defaultCapabilitiesSet = defaultCapabilitiesSet
        self.defaultCapabilitiesError = defaultCapabilitiesError
    }
}
