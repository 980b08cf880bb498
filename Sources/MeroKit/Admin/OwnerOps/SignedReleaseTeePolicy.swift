/// Which signed releases are admitted.
///
/// Spec: 30, section 8.1.
public struct SignedReleaseTeePolicy: Codable, Sendable, Equatable {
    /// At least one, none blank.
    public var allowedProfiles: [String]
    /// `X.Y.Z`; nil for any.
    public var minReleaseVersion: String?

    /// Makes a value of its parts.
    public init(allowedProfiles: [String], minReleaseVersion: String? = nil) {
        self.allowedProfiles = allowedProfiles
        self.minReleaseVersion = minReleaseVersion
    }
}
