/// Body of `POST /admin-api/alias/create/context`.
///
/// Spec: 20, section 6.9.
public struct CreateContextAliasRequest: Codable, Sendable {
    /// 1 to 50 of `A-Z a-z 0-9 . _ -`.
    public var alias: String
    /// What the name stands for.
    public var contextId: String

    /// Makes a value of its parts.
    public init(alias: String, contextId: String) {
        self.alias = alias
        self.contextId = contextId
    }
}

/// Body of `POST /admin-api/alias/create/application`.
///
/// Spec: 20, section 6.9.
public struct CreateApplicationAliasRequest: Codable, Sendable {
    /// 1 to 50 of `A-Z a-z 0-9 . _ -`.
    public var alias: String
    /// What the name stands for.
    public var applicationId: String

    /// Makes a value of its parts.
    public init(alias: String, applicationId: String) {
        self.alias = alias
        self.applicationId = applicationId
    }
}

/// Body of `POST /admin-api/alias/create/device`.
///
/// Spec: 20, section 6.9.
public struct CreateDeviceAliasRequest: Codable, Sendable {
    /// 1 to 50 of `A-Z a-z 0-9 . _ -`.
    public var alias: String
    /// What the name stands for.
    public var deviceId: String

    /// Makes a value of its parts.
    public init(alias: String, deviceId: String) {
        self.alias = alias
        self.deviceId = deviceId
    }
}

/// Answer to a new alias: nothing. Spec: 20, section 6.9.
public typealias CreateAliasResponseData = Empty
/// Answer to the removal of an alias: nothing. Spec: 20, section 6.9.
public typealias DeleteAliasResponseData = Empty

/// What an alias stands for.
///
/// Spec: 20, section 6.9.
public struct LookupAliasResponseData: Codable, Sendable {
    /// An id; nil for a name that the node does not know.
    public let value: String?

    /// Makes a value of its parts.
    public init(value: String? = nil) { self.value = value }
}
