/// The packages that a node knows, which are not those of the registry.
///
/// Spec: 20, section 5.5.
public struct ListPackagesResponseData: Codable, Sendable {
    /// Their names.
    public let packages: [String]

    /// Makes a value of its parts.
    public init(packages: [String]) { self.packages = packages }
}

/// The versions of a package that a node knows.
///
/// Spec: 20, section 5.5.
public struct ListVersionsResponseData: Codable, Sendable {
    /// In no particular order.
    public let versions: [String]

    /// Makes a value of its parts.
    public init(versions: [String]) { self.versions = versions }
}

/// The newest version of a package that a node knows.
///
/// Spec: 20, section 5.5.
public struct GetLatestVersionResponseData: Codable, Sendable {
    /// Nil when the node knows no such package.
    public let applicationId: String?
    /// Nil when the node knows no such package.
    public let version: String?

    /// Makes a value of its parts.
    public init(applicationId: String? = nil, version: String? = nil) {
        self.applicationId = applicationId
        self.version = version
    }
}
