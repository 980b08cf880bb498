/// A namespace: the root of a tree of groups. Its id is that of its root group.
///
/// Spec: 30, sections 3.1 and 4.2.
public struct Namespace: Codable, Sendable {
    /// The namespace.
    public let namespaceId: String
    /// The release that it runs, a blob.
    public let appKey: String
    /// The application.
    public let targetApplicationId: String
    /// Only old nodes send it.
    public let upgradePolicy: String?
    /// Unix seconds.
    public let createdAt: Int
    /// Its name.
    public let name: String?
    /// Members of the root.
    public let memberCount: Int
    /// Contexts of the root.
    public let contextCount: Int
    /// Groups below the root.
    public let subgroupCount: Int
    /// The version of the release; nil when the node cannot tell.
    public let appVersion: String?
    /// What its id was derived from; nil until the node has its beginning.
    public let founding: NamespaceFounding?
    /// What the node cannot apply for want of a key; nil when there is nothing.
    public let heldOps: NamespaceHeldOps?

    /// Makes a value of its parts.
    public init(
        namespaceId: String, appKey: String, targetApplicationId: String, upgradePolicy: String? = nil,
        createdAt: Int, name: String? = nil, memberCount: Int, contextCount: Int, subgroupCount: Int,
        appVersion: String? = nil, founding: NamespaceFounding? = nil, heldOps: NamespaceHeldOps? = nil
    ) {
        self.namespaceId = namespaceId
        self.appKey = appKey
        self.targetApplicationId = targetApplicationId
        self.upgradePolicy = upgradePolicy
        self.createdAt = createdAt
        self.name = name
        self.memberCount = memberCount
        self.contextCount = contextCount
        self.subgroupCount = subgroupCount
        self.appVersion = appVersion
        self.founding = founding
        self.heldOps = heldOps
    }
}

/// Namespaces of a node. Spec: 30, section 4.2.
public typealias ListNamespacesResponseData = [Namespace]
