/// The routes of delegated reads and writes. Spec: 60, section 1.
extension AdminEndpoints {
    static let intentRelay = Endpoint<ApiResponse<IntentRelayInfo>>(.get, "/admin-api/contexts/{contextId}/intents")
    static let performIntent = Endpoint<ApiResponse<PerformIntentResponseData>>(
        .post, "/admin-api/contexts/{contextId}/intents", sendOnce: true)
    static let contextIntentRelay = Endpoint<ApiResponse<ContextIntentRelayInfo>>(
        .get, "/admin-api/groups/{groupId}/context-intents")
    static let createContextIntent = Endpoint<ApiResponse<CreateContextIntentResponseData>>(
        .post, "/admin-api/groups/{groupId}/context-intents", sendOnce: true)
    static let governanceIntentRelay = Endpoint<ApiResponse<GovernanceIntentRelayInfo>>(
        .get, "/admin-api/groups/{groupId}/governance-intents")
    static let governanceIntent = Endpoint<ApiResponse<GovernanceIntentResponseData>>(
        .post, "/admin-api/groups/{groupId}/governance-intents", sendOnce: true)
    static let presenceIntent = Endpoint<Empty>(
        .post, "/admin-api/contexts/{contextId}/presence-intents", sendOnce: true)
    static let queryContext = Endpoint<ApiResponse<QueryContextResponseData>>(
        .post, "/admin-api/contexts/{contextId}/query")
    static let warrantNonce = Endpoint<ApiResponse<WarrantNonceState>>(
        .get, "/admin-api/contexts/{contextId}/warrant-nonce/{authorDeviceKey}")
    static let warrantNonceAsAuthor = Endpoint<ApiResponse<WarrantNonceState>>(
        .post, "/admin-api/contexts/{contextId}/warrant-nonce")

    static let intents: [any EndpointDescription] = [
        intentRelay, performIntent, contextIntentRelay, createContextIntent, governanceIntentRelay, governanceIntent,
        presenceIntent, queryContext, warrantNonce, warrantNonceAsAuthor,
    ]
}
