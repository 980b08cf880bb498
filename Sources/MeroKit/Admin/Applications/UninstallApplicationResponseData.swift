/// Answer to the removal of an application.
///
/// Spec: 20, section 5.5.
public struct UninstallApplicationResponseData: Codable, Sendable {
    /// The application that was removed.
    public let applicationId: String

    /// Makes a value of its parts.
    public init(applicationId: String) { self.applicationId = applicationId }
}
