/// The trusted environment that a node runs in.
///
/// Spec: 20, section 6.10.
public struct TeeInfoResponseData: Codable, Sendable {
    /// E.g. `gcp`.
    public let cloudProvider: String
    /// The image that it was started from.
    public let osImage: String
    /// The measurement of the environment, 96 hex digits.
    public let mrtd: String

    /// Makes a value of its parts.
    public init(cloudProvider: String, osImage: String, mrtd: String) {
        self.cloudProvider = cloudProvider
        self.osImage = osImage
        self.mrtd = mrtd
    }
}
