/// Body of `POST /admin-api/groups/{id}/sync`: `{}`.
///
/// Spec: 30, section 5.8.
public struct SyncGroupRequest: Codable, Sendable {
    /// The only value.
    public init() {}
}

/// A group after it was synced.
///
/// Spec: 30, section 5.8.
public struct SyncGroupResponseData: Codable, Sendable {
    /// The group.
    public let groupId: String
    /// The release that it runs, a blob.
    public let appKey: String
    /// The application.
    public let targetApplicationId: String
    /// Its members.
    public let memberCount: Int
    /// Its contexts.
    public let contextCount: Int

    /// Makes a value of its parts.
    public init(groupId: String, appKey: String, targetApplicationId: String, memberCount: Int, contextCount: Int) {
        self.groupId = groupId
        self.appKey = appKey
        self.targetApplicationId = targetApplicationId
        self.memberCount = memberCount
        self.contextCount = contextCount
    }
}
