/// Spec: 30, section 2.1.
extension AdminEndpoints {
    static let listNamespaces = Endpoint<ApiResponse<ListNamespacesResponseData>>(.get, "/admin-api/namespaces")
    static let getNamespace = Endpoint<ApiResponse<Namespace>>(.get, "/admin-api/namespaces/{namespaceId}")
    static let namespacesForApplication = Endpoint<ApiResponse<ListNamespacesResponseData>>(
        .get, "/admin-api/namespaces/for-application/{applicationId}")
    static let createNamespace = Endpoint<ApiResponse<CreateNamespaceResponseData>>(.post, "/admin-api/namespaces")
    static let deleteNamespace = Endpoint<ApiResponse<DeleteNamespaceResponseData>>(
        .delete, "/admin-api/namespaces/{namespaceId}")
    static let inviteToNamespace = Endpoint<ApiResponse<CreateNamespaceInvitationResult>>(
        .post, "/admin-api/namespaces/{namespaceId}/invite")
    /// The node itself may take about a minute.
    static let joinNamespace = Endpoint<ApiResponse<JoinNamespaceResponseData>>(
        .post, "/admin-api/namespaces/{namespaceId}/join", timeout: 65)
    static let admitJoin = Endpoint<ApiResponse<AdmitJoinResponseData>>(
        .post, "/admin-api/namespaces/{namespaceId}/admit")
    static let leaveNamespace = Endpoint<Empty>(.post, "/admin-api/namespaces/{namespaceId}/leave")
    static let createGroupInNamespace = Endpoint<ApiResponse<CreateGroupInNamespaceResponseData>>(
        .post, "/admin-api/namespaces/{namespaceId}/groups")
    static let namespaceGroups = Endpoint<ApiResponse<[SubgroupEntry]>>(
        .get, "/admin-api/namespaces/{namespaceId}/groups")

    static let namespaces: [any EndpointDescription] = [
        listNamespaces, getNamespace, namespacesForApplication, createNamespace, deleteNamespace, inviteToNamespace,
        joinNamespace, admitJoin, leaveNamespace, createGroupInNamespace, namespaceGroups,
    ]
}
