/// Spec: 30, section 2.3.
extension AdminEndpoints {
    static let memberCapabilities = Endpoint<ApiResponse<MemberCapabilities>>(
        .get, "/admin-api/groups/{groupId}/members/{account}/capabilities")
    static let setMemberCapabilities = Endpoint<Empty>(
        .put, "/admin-api/groups/{groupId}/members/{account}/capabilities")
    static let setDefaultCapabilities = Endpoint<Empty>(
        .put, "/admin-api/groups/{groupId}/settings/default-capabilities")
    static let setSubgroupVisibility = Endpoint<Empty>(.put, "/admin-api/groups/{groupId}/settings/subgroup-visibility")
    static let setGroupMetadata = Endpoint<Empty>(.put, "/admin-api/groups/{groupId}/metadata")
    static let groupMetadata = Endpoint<NullableReply<MetadataRecord>?>(.get, "/admin-api/groups/{groupId}/metadata")
    static let setMemberMetadata = Endpoint<Empty>(.put, "/admin-api/groups/{groupId}/members/{account}/metadata")
    static let memberMetadata = Endpoint<NullableReply<MetadataRecord>?>(
        .get, "/admin-api/groups/{groupId}/members/{account}/metadata")
    static let setContextMetadata = Endpoint<Empty>(.put, "/admin-api/groups/{groupId}/contexts/{contextId}/metadata")
    static let contextMetadata = Endpoint<NullableReply<MetadataRecord>?>(
        .get, "/admin-api/groups/{groupId}/contexts/{contextId}/metadata")

    static let settings: [any EndpointDescription] = [
        memberCapabilities, setMemberCapabilities, setDefaultCapabilities, setSubgroupVisibility, setGroupMetadata,
        groupMetadata, setMemberMetadata, memberMetadata, setContextMetadata, contextMetadata,
    ]
}
