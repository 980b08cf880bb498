/// Body of `POST /admin-api/namespaces`.
///
/// Spec: 30, section 4.1.
public struct CreateNamespaceRequest: Codable, Sendable {
    /// An application that the node has installed.
    public var applicationId: String
    /// Its name.
    public var name: String?
    /// A release to run, the id of its blob; nil for the newest that the node has.
    public var appKey: String?

    /// Makes a value of its parts.
    public init(applicationId: String, name: String? = nil, appKey: String? = nil) {
        self.applicationId = applicationId
        self.name = name
        self.appKey = appKey
    }

    /// Nodes have no upgrade policy any more: it is not sent.
    @available(*, deprecated, message: "upgradePolicy is not sent any more; leave it out")
    public init(applicationId: String, upgradePolicy: String, name: String? = nil, appKey: String? = nil) {
        self.init(applicationId: applicationId, name: name, appKey: appKey)
    }
}

/// A namespace that was founded.
///
/// Spec: 30, section 4.1.
public struct CreateNamespaceResponseData: Codable, Sendable {
    /// The new namespace.
    public let namespaceId: String
    /// What its id was derived from. Keep the salt: it proves the founding later.
    public let founding: NamespaceFounding?

    /// Makes a value of its parts.
    public init(namespaceId: String, founding: NamespaceFounding? = nil) {
        self.namespaceId = namespaceId
        self.founding = founding
    }
}
