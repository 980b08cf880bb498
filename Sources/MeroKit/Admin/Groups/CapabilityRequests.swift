/// What a member may do.
///
/// Spec: 30, section 6.2.
public struct MemberCapabilities: Codable, Sendable {
    /// Bits of `Capabilities`.
    public let capabilities: Int

    /// Makes a value of its parts.
    public init(capabilities: Int) { self.capabilities = capabilities }
}

/// Body of `PUT /admin-api/groups/{id}/members/{account}/capabilities`.
///
/// Spec: 30, section 6.2.
public struct SetMemberCapabilitiesRequest: Codable, Sendable {
    /// All the bits of `Capabilities` that the member is to have.
    public var capabilities: Int

    /// Makes a value of its parts.
    public init(capabilities: Int) { self.capabilities = capabilities }
}

/// Body of `PUT /admin-api/groups/{id}/settings/default-capabilities`.
///
/// Spec: 30, section 6.2.
public struct SetDefaultCapabilitiesRequest: Codable, Sendable {
    /// All the bits of `Capabilities` that those who join later are to have.
    public var defaultCapabilities: Int

    /// Makes a value of its parts.
    public init(defaultCapabilities: Int) { self.defaultCapabilities = defaultCapabilities }
}

/// Body of `PUT /admin-api/groups/{id}/settings/subgroup-visibility`.
///
/// Spec: 30, section 6.2.
public struct SetSubgroupVisibilityRequest: Codable, Sendable {
    /// `open` or `restricted`.
    public var subgroupVisibility: String

    /// Makes a value of its parts.
    public init(subgroupVisibility: String) { self.subgroupVisibility = subgroupVisibility }
}
