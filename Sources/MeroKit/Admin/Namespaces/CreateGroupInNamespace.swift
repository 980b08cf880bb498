/// Body of `POST /admin-api/namespaces/{id}/groups`. A visibility is always sent: without one, current nodes create
/// an open group.
///
/// Spec: 30, section 4.6.
public struct CreateGroupInNamespaceRequest: Codable, Sendable {
    /// The group's name. One that the node does not like is left aside, and the group is created without.
    public var groupName: String?
    /// `open` or `restricted`; nil stands for `defaultVisibility`.
    public var visibility: String?

    /// Makes a value of its parts.
    public init(groupName: String? = nil, visibility: String? = nil) {
        self.groupName = groupName
        self.visibility = visibility
    }

    /// What is sent when nothing else is asked for.
    public static let defaultVisibility = "restricted"

    /// The node chooses the id: `groupId` is not sent.
    @available(*, deprecated, message: "use groupName; the node chooses the id")
    @_disfavoredOverload
    public init(groupId: String? = nil, name: String? = nil) { self.init(groupName: name) }

    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encodeIfPresent(groupName, forKey: .groupName)
        try fields.encode(visibility ?? Self.defaultVisibility, forKey: .visibility)
    }
}

/// A group that was created in a namespace.
///
/// Spec: 30, section 4.6.
public struct CreateGroupInNamespaceResponseData: Codable, Sendable {
    /// The new group.
    public let groupId: String

    /// Makes a value of its parts.
    public init(groupId: String) { self.groupId = groupId }
}
