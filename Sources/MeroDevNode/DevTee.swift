/// What a dev node claims to run in, as `GET /admin-api/tee/info` tells it. Nothing proves it: its quotes are mocks.
///
/// Spec: 20, section 6.10.
public struct DevTee: Sendable, Equatable {
    /// Such as `gcp`.
    public var cloudProvider: String
    /// The image's name.
    public var osImage: String
    /// The measurement of the image, 96 hex.
    public var mrtd: String

    /// A claim.
    public init(cloudProvider: String = "unknown", osImage: String = "unknown", mrtd: String) {
        self.cloudProvider = cloudProvider
        self.osImage = osImage
        self.mrtd = mrtd
    }
}
