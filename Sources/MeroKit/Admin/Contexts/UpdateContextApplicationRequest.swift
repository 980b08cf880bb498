/// Body of `POST /admin-api/contexts/{id}/application`: other code, the same state. Migrations are upgrades of the
/// group.
///
/// Spec: 20, section 6.1.
public struct UpdateContextApplicationRequest: Codable, Sendable {
    /// The application that is to run.
    public var applicationId: String
    /// The member's key that asks for it.
    public var executorPublicKey: String

    /// Makes a value of its parts.
    public init(applicationId: String, executorPublicKey: String) {
        self.applicationId = applicationId
        self.executorPublicKey = executorPublicKey
    }
}
