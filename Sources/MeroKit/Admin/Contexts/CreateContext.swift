/// Body of `POST /admin-api/contexts`.
///
/// Spec: 20, section 6.1.
public struct CreateContextRequest: Codable, Sendable {
    /// An application that the node has installed.
    public var applicationId: String
    /// The group or namespace that the context belongs to.
    public var groupId: String
    /// One service of a bundle that has several.
    public var serviceName: String?
    /// 64 hex digits that make the context's id foreseeable.
    public var contextSeed: String?
    /// The bytes that the application's `init` is called with, each 0 to 255, JSON most of the time; at most 1 MiB.
    /// Sent as `[]` when nil.
    public var initializationParams: [Int]?
    /// 64 hex digits: the private key of the member's identity. Nil lets the node make one.
    public var identitySecret: String?
    /// A label.
    public var name: String?

    /// Makes a value of its parts.
    public init(
        applicationId: String, groupId: String, serviceName: String? = nil, contextSeed: String? = nil,
        initializationParams: [Int]? = nil, identitySecret: String? = nil, name: String? = nil
    ) {
        self.applicationId = applicationId
        self.groupId = groupId
        self.serviceName = serviceName
        self.contextSeed = contextSeed
        self.initializationParams = initializationParams
        self.identitySecret = identitySecret
        self.name = name
    }

    /// Nil properties are left out, except for the parameters of `init`, which the node requires.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(applicationId, forKey: .applicationId)
        try fields.encode(groupId, forKey: .groupId)
        try fields.encodeIfPresent(serviceName, forKey: .serviceName)
        try fields.encodeIfPresent(contextSeed, forKey: .contextSeed)
        try fields.encode(initializationParams ?? [], forKey: .initializationParams)
        try fields.encodeIfPresent(identitySecret, forKey: .identitySecret)
        try fields.encodeIfPresent(name, forKey: .name)
    }
}

/// A context that was created.
///
/// Spec: 20, section 6.1.
public struct CreateContextResponseData: Codable, Sendable {
    /// The new context.
    public let contextId: String
    /// The key that the node signs with in it. It is not an account.
    public let memberPublicKey: String
    /// The group that the context belongs to.
    public let groupId: String?
    /// Whether the group was created along with it.
    public let groupCreated: Bool?

    /// Makes a value of its parts.
    public init(contextId: String, memberPublicKey: String, groupId: String? = nil, groupCreated: Bool? = nil) {
        self.contextId = contextId
        self.memberPublicKey = memberPublicKey
        self.groupId = groupId
        self.groupCreated = groupCreated
    }
}
