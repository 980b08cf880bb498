/// A bundle as the registry lists it.
///
/// Spec: 20, section 5.4.
public struct RegistryBundleManifest: Codable, Sendable {
    /// The package.
    public let package: String
    /// The version.
    public let appVersion: String
    /// How contexts of the version before come to this one; nil when nothing is to be done.
    public let migration: BundleMigration?

    /// Makes a value of its parts.
    public init(package: String, appVersion: String, migration: BundleMigration? = nil) {
        self.package = package
        self.appVersion = appVersion
        self.migration = migration
    }
}

/// The migration that a bundle brings.
///
/// Spec: 20, section 4.2.
public struct BundleMigration: Codable, Sendable {
    /// The method that migrates.
    public let method: String
    /// The schema that it leads to.
    public let toSchemaVersion: Int
    /// The version that it leads to.
    public let toVersion: String?

    /// Makes a value of its parts.
    public init(method: String, toSchemaVersion: Int, toVersion: String? = nil) {
        self.method = method
        self.toSchemaVersion = toSchemaVersion
        self.toVersion = toVersion
    }
}
