/// Spec: 30, section 2.2.
extension AdminEndpoints {
    static let createGroup = Endpoint<ApiResponse<CreateGroupResponseData>>(.post, "/admin-api/groups")
    static let groupInfo = Endpoint<ApiResponse<GroupInfo>>(.get, "/admin-api/groups/{groupId}")
    static let deleteGroup = Endpoint<ApiResponse<DeleteGroupResponseData>>(.delete, "/admin-api/groups/{groupId}")
    static let groupMembers = Endpoint<GroupMembersReply?>(.get, "/admin-api/groups/{groupId}/members")
    static let memberDevices = Endpoint<ListMemberDevicesResponseData>(
        .get, "/admin-api/groups/{groupId}/member-devices")
    static let groupContexts = Endpoint<ApiResponse<ListGroupContextsResponseData>>(
        .get, "/admin-api/groups/{groupId}/contexts")
    static let addGroupMembers = Endpoint<Empty>(.post, "/admin-api/groups/{groupId}/members")
    static let removeGroupMembers = Endpoint<Empty>(.post, "/admin-api/groups/{groupId}/members/remove")
    static let updateMemberRole = Endpoint<Empty>(.put, "/admin-api/groups/{groupId}/members/{account}/role")
    static let setMemberAutoFollow = Endpoint<Empty>(.put, "/admin-api/groups/{groupId}/members/{account}/auto-follow")
    static let leaveGroup = Endpoint<Empty>(.post, "/admin-api/groups/{groupId}/leave")
    static let listSubgroups = Endpoint<SubgroupsReply>(.get, "/admin-api/groups/{groupId}/subgroups")
    static let reparentGroup = Endpoint<FlatReply<ReparentGroupResponseData>>(
        .post, "/admin-api/groups/{groupId}/reparent")
    static let detachContext = Endpoint<Empty>(.post, "/admin-api/groups/{groupId}/contexts/{contextId}/remove")
    static let inviteToGroup = Endpoint<ApiResponse<CreateGroupInvitationResult>>(
        .post, "/admin-api/groups/{groupId}/invite")
    static let joinGroup = Endpoint<ApiResponse<JoinGroupResponseData>>(.post, "/admin-api/groups/join")
    static let joinSubgroup = Endpoint<ApiResponse<JoinSubgroupInheritanceResponseData>>(
        .post, "/admin-api/groups/{groupId}/join-via-inheritance")
    static let syncGroup = Endpoint<ApiResponse<SyncGroupResponseData>>(.post, "/admin-api/groups/{groupId}/sync")

    static let groups: [any EndpointDescription] = [
        createGroup, groupInfo, deleteGroup, groupMembers, memberDevices, groupContexts, addGroupMembers,
        removeGroupMembers, updateMemberRole, setMemberAutoFollow, leaveGroup, listSubgroups, reparentGroup,
        detachContext, inviteToGroup, joinGroup, joinSubgroup, syncGroup,
    ]
}
