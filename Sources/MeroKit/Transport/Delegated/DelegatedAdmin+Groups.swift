import Foundation

/// Changes to groups, each as one warrant for each item. Spec: 60, section 10.4.
extension DelegatedAdmin {
    // MARK: Members

    /// Takes accounts into a group.
    public func addGroupMembers(_ groupId: String, request: AddGroupMembersRequest) async throws {
        let ops = try request.members.map { try GovernanceOps.memberAdded(member: $0.identity, role: $0.role) }
        try await govern(groupId, ops)
    }

    /// Puts accounts out of a group.
    public func removeGroupMembers(_ groupId: String, request: RemoveGroupMembersRequest) async throws {
        try await govern(groupId, try request.members.map { try GovernanceOps.memberRemoved(member: $0) })
    }

    /// Changes a member's role.
    public func updateMemberRole(_ groupId: String, identity: String, request: UpdateMemberRoleRequest) async throws {
        try await govern(groupId, [GovernanceOps.memberRoleSet(member: identity, role: request.role)])
    }

    /// Changes what a member may do. Never with `CAN_AUTHOR_ON_BEHALF`.
    public func setMemberCapabilities(
        _ groupId: String, identity: String, request: SetMemberCapabilitiesRequest
    ) async throws {
        let mask = try Self.mask(request.capabilities)
        try await govern(groupId, [GovernanceOps.memberCapabilitySet(member: identity, capabilities: mask)])
    }

    /// Changes what new members may do. Never with `CAN_AUTHOR_ON_BEHALF`.
    public func setDefaultCapabilities(_ groupId: String, request: SetDefaultCapabilitiesRequest) async throws {
        let mask = try Self.mask(request.defaultCapabilities)
        try await govern(groupId, [GovernanceOps.defaultCapabilitiesSet(capabilities: mask)])
    }

    /// The account leaves a group.
    public func leaveGroup(_ groupId: String) async throws {
        try await govern(groupId, [GovernanceOps.memberLeft(member: account.accountId)])
    }

    /// The account leaves a namespace.
    public func leaveNamespace(_ namespaceId: String) async throws { try await leaveGroup(namespaceId) }

    // MARK: Names and contexts

    /// Names a group.
    public func setGroupMetadata(_ groupId: String, request: SetGroupMetadataRequest) async throws {
        try await govern(groupId, [GovernanceOps.groupMetadataSet(name: request.name, data: request.data ?? [:])])
    }

    /// Names a member.
    public func setMemberMetadata(
        _ groupId: String, identity: String, request: SetMemberMetadataRequest
    ) async throws {
        let op = try GovernanceOps.memberMetadataSet(member: identity, name: request.name, data: request.data ?? [:])
        try await govern(groupId, [op])
    }

    /// Names a context.
    public func setContextMetadata(
        _ groupId: String, contextId: String, request: SetContextMetadataRequest
    ) async throws {
        let op = try GovernanceOps.contextMetadataSet(
            contextId: contextId, name: request.name, data: request.data ?? [:])
        try await govern(groupId, [op])
    }

    /// Says who sees a subgroup: `open` or `restricted`.
    public func setSubgroupVisibility(_ groupId: String, request: SetSubgroupVisibilityRequest) async throws {
        try await govern(groupId, [GovernanceOps.subgroupVisibilitySet(mode: request.subgroupVisibility)])
    }

    /// Takes a context out of a group.
    public func detachContextFromGroup(_ groupId: String, contextId: String) async throws {
        try await govern(groupId, [GovernanceOps.contextDetached(contextId: contextId)])
    }

    // MARK: The tree

    /// A new subgroup of a namespace: `restricted` unless the request says `open`.
    public func createGroupInNamespace(
        _ namespaceId: String, request: CreateGroupInNamespaceRequest? = nil
    ) async throws -> CreateGroupInNamespaceResponseData {
        try await createGroup(parent: namespaceId, namespace: namespaceId, request: request)
    }

    /// Deletes a group and those under it.
    public func deleteGroup(_ groupId: String) async throws -> DeleteGroupResponseData {
        try await governTree(of: groupId, GovernanceOps.groupDeleted(rootGroupId: groupId))
        return DeleteGroupResponseData(isDeleted: true)
    }

    /// Moves a group under another of its namespace.
    public func reparentGroup(
        _ childGroupId: String, request: ReparentGroupRequest
    ) async throws -> ReparentGroupResponseData {
        try await governTree(
            of: childGroupId,
            GovernanceOps.groupReparented(childGroupId: childGroupId, newParentId: request.newParentId))
        return ReparentGroupResponseData(reparented: true)
    }

    /// The account joins an open subgroup. Being a member already is success.
    public func joinSubgroupInheritance(_ groupId: String) async throws -> JoinSubgroupInheritanceResponseData {
        let op = try GovernanceOps.memberJoinedOpen(
            member: account.accountId, groupId: groupId, credential: account.session.credential.credential)
        var wasInherited = true
        do {
            try await governTree(of: groupId, op)
        } catch MeroError.http(let answer)
            where answer.status == 409 && !answer.cameInTheClear && Self.isMemberAlready(answer)
        {
            wasInherited = false
        }
        return JoinSubgroupInheritanceResponseData(
            groupId: groupId, memberPublicKey: account.accountId, wasInherited: wasInherited)
    }

    /// The account joins the open group that a context belongs to.
    public func joinContext(_ contextId: String) async throws -> JoinContextResponseData {
        guard let group = try await reads(context: contextId).getContextGroup(contextId) else {
            throw AccountError.invalidInput("the context belongs to no group that could be joined")
        }
        _ = try await joinSubgroupInheritance(group)
        return JoinContextResponseData(contextId: contextId, memberPublicKey: account.accountId)
    }

    // MARK: Parts

    /// `signer <hex> is a direct member`.
    private static func isMemberAlready(_ answer: HTTPError) -> Bool {
        let words = RelayRefusal.reason(in: answer.bodyText).split(separator: " ").map(String.init)
        guard let index = words.firstIndex(of: "signer"), words.count > index + 5 else { return false }
        return Hex.decode(words[index + 1]) != nil
            && words[(index + 2)...(index + 5)].elementsEqual(["is", "a", "direct", "member"])
    }

    private static func mask(_ capabilities: Int) throws -> UInt32 {
        guard let mask = UInt32(exactly: capabilities) else {
            throw AccountError.invalidInput("capabilities must be a mask of 32 bits")
        }
        return mask
    }

    /// - Parameter parent: The group above, in this namespace.
    func createGroup(
        parent: String, namespace: String, request: CreateGroupInNamespaceRequest?
    ) async throws -> CreateGroupInNamespaceResponseData {
        let visibility = request?.visibility ?? CreateGroupInNamespaceRequest.defaultVisibility
        guard ["open", "restricted"].contains(visibility) else {
            throw AccountError.invalidInput("visibility must be open or restricted")
        }
        let (groupId, op) = try GovernanceOps.subgroupCreation(
            admin: account.accountId, parentId: parent, restricted: visibility == "restricted")
        let relay = try relay(namespace: namespace)
        try await relay.govern(groupId: namespace, op: op)
        account.namespaces.withLock { $0[groupId] = namespace.lowercased() }
        if let name = request?.groupName {
            try await relay.govern(groupId: groupId, op: GovernanceOps.groupMetadataSet(name: name))
        }
        return CreateGroupInNamespaceResponseData(groupId: groupId)
    }

    /// One warrant for each, in order. All were made before the first is sent.
    private func govern(_ groupId: String, _ ops: [Warrants.GovernanceOp]) async throws {
        let relay = try await home(of: groupId).relay
        for op in ops { try await relay.govern(groupId: groupId, op: op) }
    }

    private func governTree(of groupId: String, _ op: Warrants.GovernanceOp) async throws {
        let (namespace, relay) = try await home(of: groupId)
        try await relay.govern(groupId: namespace, op: op)
    }
}
