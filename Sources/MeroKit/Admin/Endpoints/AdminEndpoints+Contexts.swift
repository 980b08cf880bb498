/// Spec: 20, sections 6.1 to 6.3.
extension AdminEndpoints {
    static let createContext = Endpoint<ApiResponse<CreateContextResponseData>>(.post, "/admin-api/contexts")
    static let deleteContext = Endpoint<ApiResponse<DeleteContextResponseData>>(
        .delete, "/admin-api/contexts/{contextId}")
    static let listContexts = Endpoint<ApiResponse<GetContextsResponseData>>(.get, "/admin-api/contexts")
    static let getContext = Endpoint<ApiResponse<Context>>(.get, "/admin-api/contexts/{contextId}")
    static let contextsForApplication = Endpoint<ApiResponse<GetContextsResponseData>>(
        .get, "/admin-api/contexts/for-application/{applicationId}")
    static let contextsWithExecutors = Endpoint<ExecutorsReply>(
        .get, "/admin-api/contexts/with-executors/for-application/{applicationId}")
    static let contextIdentities = Endpoint<ApiResponse<GetContextIdentitiesResponseData>>(
        .get, "/admin-api/contexts/{contextId}/identities")
    static let contextIdentitiesOwned = Endpoint<ApiResponse<GetContextIdentitiesResponseData>>(
        .get, "/admin-api/contexts/{contextId}/identities-owned")
    static let generateContextIdentity = Endpoint<ApiResponse<GenerateContextIdentityResponseData>>(
        .post, "/admin-api/identity/context")
    static let joinContext = Endpoint<ApiResponse<JoinContextResponseData>>(
        .post, "/admin-api/contexts/{contextId}/join")
    static let leaveContext = Endpoint<Empty>(.post, "/admin-api/contexts/{contextId}/leave")
    static let contextGroup = Endpoint<NullableReply<String>>(.get, "/admin-api/contexts/{contextId}/group")
    static let contextStorage = Endpoint<ApiResponse<ContextStorageResponseData>>(
        .get, "/admin-api/contexts/{contextId}/storage")
    static let syncAllContexts = Endpoint<Empty>(.post, "/admin-api/contexts/sync")
    static let syncContext = Endpoint<Empty>(.post, "/admin-api/contexts/sync/{contextId}")
    static let resyncContext = Endpoint<ResyncContextResponseData?>(.post, "/admin-api/contexts/{contextId}/resync")
    static let updateContextApplication = Endpoint<Empty>(.post, "/admin-api/contexts/{contextId}/application")

    static let contexts: [any EndpointDescription] = [
        createContext, deleteContext, listContexts, getContext, contextsForApplication, contextsWithExecutors,
        contextIdentities, contextIdentitiesOwned, generateContextIdentity, joinContext, leaveContext, contextGroup,
        contextStorage, syncAllContexts, syncContext, resyncContext, updateContextApplication,
    ]
}
