/// Body of `POST /admin-api/groups`. The node derives the id.
///
/// Spec: 30, section 5.2.
public struct CreateGroupRequest: Codable, Sendable {
    /// An application that the node has installed.
    public var applicationId: String
    /// A release to run, the id of its blob; nil for the newest that the node has.
    public var appKey: String?
    /// The group's name.
    public var name: String?
    /// The group that it is to be below; nil for a namespace of its own.
    public var parentGroupId: String?

    /// Makes a value of its parts.
    public init(applicationId: String, appKey: String? = nil, name: String? = nil, parentGroupId: String? = nil) {
        self.applicationId = applicationId
        self.appKey = appKey
        self.name = name
        self.parentGroupId = parentGroupId
    }

    /// Nodes have no upgrade policy any more: it is not sent.
    @available(*, deprecated, message: "upgradePolicy is not sent any more; leave it out")
    public init(
        applicationId: String, upgradePolicy: String, appKey: String? = nil, name: String? = nil,
        parentGroupId: String? = nil
    ) {
        self.init(applicationId: applicationId, appKey: appKey, name: name, parentGroupId: parentGroupId)
    }
}

/// A group that was created.
///
/// Spec: 30, section 5.2.
public struct CreateGroupResponseData: Codable, Sendable {
    /// The new group.
    public let groupId: String

    /// Makes a value of its parts.
    public init(groupId: String) { self.groupId = groupId }
}
