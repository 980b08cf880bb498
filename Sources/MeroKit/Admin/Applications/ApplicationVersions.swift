/// A version of an application that a node has installed.
///
/// Spec: 20, section 5.5.
public struct ApplicationVersionEntry: Codable, Sendable {
    /// The version.
    public let version: String
    /// The blob of its code.
    public let blobId: String
    /// Bytes of the bundle.
    public let size: Int
    /// The package.
    public let package: String

    /// Makes a value of its parts.
    public init(version: String, blobId: String, size: Int, package: String) {
        self.version = version
        self.blobId = blobId
        self.size = size
        self.package = package
    }
}

/// The installed versions of an application, as the whole answer has them.
///
/// Spec: 20, section 5.5.
public struct ListApplicationVersionsResponseData: Codable, Sendable {
    /// The versions.
    public let data: [ApplicationVersionEntry]

    /// Makes a value of its parts.
    public init(data: [ApplicationVersionEntry]) { self.data = data }
}
