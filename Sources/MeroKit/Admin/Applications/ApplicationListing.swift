/// The applications of a node.
///
/// Spec: 20, section 5.5.
public struct ListApplicationsResponseData: Codable, Sendable {
    /// One entry for each application.
    public let apps: [Application]

    /// Makes a value of its parts.
    public init(apps: [Application]) { self.apps = apps }
}

/// One application.
///
/// Spec: 20, section 5.5.
public struct GetApplicationResponseData: Codable, Sendable {
    /// Nil only on old nodes, which answer so for an unknown id.
    public let application: Application?

    /// Makes a value of its parts.
    public init(application: Application? = nil) { self.application = application }
}
