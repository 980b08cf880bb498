extension AdminApi {
    /// What a member may do: bits of `Capabilities`.
    ///
    /// - Parameters:
    ///   - groupId: the group, 64 hex characters.
    ///   - identity: the member's account, not one of its devices.
    ///
    /// Spec: 30, section 6.2.
    public func getMemberCapabilities(_ groupId: String, identity: String) async throws -> MemberCapabilities {
        try await enveloped(AdminEndpoints.memberCapabilities, groupId, identity)
    }

    /// Replaces what a member may do.
    ///
    /// - Parameters:
    ///   - groupId: the group, 64 hex characters.
    ///   - identity: the member's account, not one of its devices.
    ///   - request: the mask; bits that are left out are taken away.
    ///
    /// Spec: 30, section 6.2.
    public func setMemberCapabilities(
        _ groupId: String, identity: String, request: SetMemberCapabilitiesRequest
    ) async throws {
        try AdminInput.mask(request.capabilities, "capabilities")
        try await done(AdminEndpoints.setMemberCapabilities, groupId, identity, body: .encoding(request))
    }

    /// Says what those who join a group later may do. Spec: 30, section 6.2.
    public func setDefaultCapabilities(_ groupId: String, request: SetDefaultCapabilitiesRequest) async throws {
        try AdminInput.mask(request.defaultCapabilities, "defaultCapabilities")
        try await done(AdminEndpoints.setDefaultCapabilities, groupId, body: .encoding(request))
    }

    /// Opens a group to the members of the one above, or closes it. Spec: 30, section 6.3.
    public func setSubgroupVisibility(_ groupId: String, request: SetSubgroupVisibilityRequest) async throws {
        try await done(AdminEndpoints.setSubgroupVisibility, groupId, body: .encoding(request))
    }

    /// Lets relays act for those who join a group later. Nothing is sent when they may already.
    ///
    /// Reads and then writes: an admin who changes the capabilities in between is overruled. Spec: 30, section 6.4.
    @discardableResult
    public func openToDelegatedExecution(_ groupId: String) async throws -> DelegatedExecutionChange {
        let current = try await getDefaultCapabilities(groupId)
        guard let granted = Self.granting(current) else {
            return DelegatedExecutionChange(changed: false, capabilities: current)
        }
        try await setDefaultCapabilities(groupId, request: SetDefaultCapabilitiesRequest(defaultCapabilities: granted))
        return DelegatedExecutionChange(changed: true, capabilities: granted)
    }

    /// Lets an account, most often a relay's, act for the members of a group. Nothing is sent when it may already.
    ///
    /// Reads and then writes, like `openToDelegatedExecution`. Spec: 30, section 6.4.
    @discardableResult
    public func grantAuthorship(_ groupId: String, account: String) async throws -> DelegatedExecutionChange {
        let current = try await getMemberCapabilities(groupId, identity: account).capabilities
        guard let granted = Self.granting(current) else {
            return DelegatedExecutionChange(changed: false, capabilities: current)
        }
        try await setMemberCapabilities(
            groupId, identity: account, request: SetMemberCapabilitiesRequest(capabilities: granted))
        return DelegatedExecutionChange(changed: true, capabilities: granted)
    }

    /// The mask with the capability to act for others; nil when it has that already.
    private static func granting(_ capabilities: Int) -> Int? {
        let mask = UInt32(truncatingIfNeeded: capabilities)
        if Capabilities.hasCap(mask, Capabilities.canAuthorOnBehalf) { return nil }
        return Int(Capabilities.withCap(mask, Capabilities.canAuthorOnBehalf))
    }
}

// MARK: - Metadata

extension AdminApi {
    /// Replaces the metadata of a group. To change the name alone, send the old `data` along. Spec: 30, section 5.9.
    public func setGroupMetadata(_ groupId: String, request: SetGroupMetadataRequest) async throws {
        try await done(AdminEndpoints.setGroupMetadata, groupId, body: .encoding(request))
    }

    /// The metadata of a group, nil when none was ever set. Spec: 30, section 5.9.
    public func getGroupMetadata(_ groupId: String) async throws -> MetadataRecord? {
        try await metadata(AdminEndpoints.groupMetadata, groupId)
    }

    /// Replaces the metadata of a member, whom its account names. Members may do so for themselves. Spec: 30,
    /// section 5.9.
    public func setMemberMetadata(
        _ groupId: String, identity: String, request: SetMemberMetadataRequest
    ) async throws {
        try await done(AdminEndpoints.setMemberMetadata, groupId, identity, body: .encoding(request))
    }

    /// The metadata of a member, whom its account names; nil when none was ever set. Spec: 30, section 5.9.
    public func getMemberMetadata(_ groupId: String, identity: String) async throws -> MetadataRecord? {
        try await metadata(AdminEndpoints.memberMetadata, groupId, identity)
    }

    /// Replaces the metadata of a context. Spec: 30, section 5.9.
    public func setContextMetadata(
        _ groupId: String, contextId: String, request: SetContextMetadataRequest
    ) async throws {
        try await done(AdminEndpoints.setContextMetadata, groupId, contextId, body: .encoding(request))
    }

    /// The metadata of a context, nil when none was ever set. Spec: 30, section 5.9.
    public func getContextMetadata(_ groupId: String, contextId: String) async throws -> MetadataRecord? {
        try await metadata(AdminEndpoints.contextMetadata, groupId, contextId)
    }
}
