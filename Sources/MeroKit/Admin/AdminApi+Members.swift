extension AdminApi {
    /// The first members of a group, inherited ones included: **at most 100**, without a word about more.
    /// `listGroupMembers(_:offset:limit:)` has the others. Spec: 30, sections 1.6 and 5.1.
    public func listGroupMembers(_ groupId: String) async throws -> ListGroupMembersResponseData {
        try await members(groupId, query: [])
    }

    /// A page of a group's members, of at most 1000. One shorter than `limit` is the last. Spec: 30, section 1.6.
    public func listGroupMembers(
        _ groupId: String, offset: Int, limit: Int
    ) async throws -> ListGroupMembersResponseData {
        try await members(groupId, query: AdminInput.page(offset, limit))
    }

    private func members(
        _ groupId: String, query: [(name: String, value: String)]
    ) async throws -> ListGroupMembersResponseData {
        let reply: GroupMembersReply? = try await flat(AdminEndpoints.groupMembers, groupId, query: query)
        guard let reply, let members = reply.members else {
            let id = groupId.filter { !$0.isWhitespace }.prefix(64)
            throw MeroError.emptyResponse(
                "Invalid listGroupMembers response for group \(id): missing or non-array `members` field")
        }
        return ListGroupMembersResponseData(members: members, selfIdentity: reply.selfIdentity)
    }

    /// The members of a group with their devices. A plain member sees itself only.
    ///
    /// Without a limit the node sends 100, with one at most 1000. Spec: 30, section 5.1.
    public func listMemberDevices(
        _ groupId: String, offset: Int? = nil, limit: Int? = nil
    ) async throws -> [MemberDevicesEntry] {
        try await flat(AdminEndpoints.memberDevices, groupId, query: AdminInput.page(offset, limit)).members
    }

    /// The same as `listMemberDevices`.
    public func listGroupMemberDevices(
        _ groupId: String, offset: Int? = nil, limit: Int? = nil
    ) async throws -> [MemberDevicesEntry] {
        try await listMemberDevices(groupId, offset: offset, limit: limit)
    }

    /// Adds accounts to a group. Spec: 30, section 5.4.
    public func addGroupMembers(_ groupId: String, request: AddGroupMembersRequest) async throws {
        try await done(AdminEndpoints.addGroupMembers, groupId, body: .encoding(request))
    }

    /// Removes accounts from a group. Its last admin and its owner stay. Spec: 30, section 5.4.
    public func removeGroupMembers(_ groupId: String, request: RemoveGroupMembersRequest) async throws {
        try await done(AdminEndpoints.removeGroupMembers, groupId, body: .encoding(request))
    }

    /// Gives a member another role.
    ///
    /// - Parameters:
    ///   - groupId: the group, 64 hex characters.
    ///   - identity: the member's account, not one of its devices.
    ///   - request: the role.
    ///
    /// Spec: 30, section 5.4.
    public func updateMemberRole(_ groupId: String, identity: String, request: UpdateMemberRoleRequest) async throws {
        try await done(AdminEndpoints.updateMemberRole, groupId, identity, body: .encoding(request))
    }

    /// Says whether a member joins new contexts and groups by itself.
    ///
    /// - Parameters:
    ///   - groupId: the group, 64 hex characters.
    ///   - identity: the member's account, not one of its devices.
    ///   - request: `autoFollowContexts` and `autoFollowSubgroups`, both required by the node.
    ///
    /// Spec: 30, section 5.4.
    public func setMemberAutoFollow(
        _ groupId: String, identity: String, request: [String: JSONValue]
    ) async throws {
        try await done(AdminEndpoints.setMemberAutoFollow, groupId, identity, body: Self.object(request))
    }
}
