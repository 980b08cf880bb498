/// Body of `POST /admin-api/install-application`: what the node is to fetch from the registry in its own
/// configuration.
///
/// Spec: 20, section 5.4.
public struct InstallApplicationRequest: Codable, Sendable {
    /// The package, e.g. `com.example.app`; at most 128 characters.
    public var package: String
    /// The version, at most 64 characters.
    public var version: String

    /// Makes a value of its parts.
    public init(package: String, version: String) {
        self.package = package
        self.version = version
    }
}

/// What an installation led to.
///
/// Spec: 20, section 5.4.
public struct InstallApplicationResponseData: Codable, Sendable {
    /// The application. It follows from package and signer and is the same for every version.
    public let applicationId: String

    /// Makes a value of its parts.
    public init(applicationId: String) { self.applicationId = applicationId }
}
