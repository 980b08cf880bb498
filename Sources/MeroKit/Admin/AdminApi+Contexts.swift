extension AdminApi {
    /// Creates a context in a group, and calls the application's `init`. A 400 can be the application's own refusal.
    ///
    /// ```swift
    /// let parameters = Array(Data(#"{"title":"notes"}"#.utf8)).map(Int.init)
    /// let context = try await admin.createContext(
    ///     CreateContextRequest(applicationId: app, groupId: group, initializationParams: parameters))
    /// ```
    ///
    /// Spec: 20, section 6.1.
    public func createContext(_ request: CreateContextRequest) async throws -> CreateContextResponseData {
        try AdminInput.bytes(request.initializationParams, "initializationParams")
        return try await enveloped(AdminEndpoints.createContext, body: .encoding(request))
    }

    /// Deletes a context from this node. Spec: 20, section 6.1.
    public func deleteContext(
        _ contextId: String, request: DeleteContextRequest? = nil
    ) async throws -> DeleteContextResponseData {
        try await enveloped(
            AdminEndpoints.deleteContext, contextId, body: request.map { _ in HttpBody.emptyObject })
    }

    /// The first contexts that the session may see: **at most 100**, without a word about more. `getContexts(offset:limit:)`
    /// has the others. Spec: 20, sections 1.7 and 6.1.
    public func getContexts() async throws -> GetContextsResponseData {
        try await enveloped(AdminEndpoints.listContexts)
    }

    /// A page of the contexts that the session may see.
    ///
    /// A page shorter than `limit` is the last one. The node takes at most 1000 for `limit`, and 100,000 for `offset`;
    /// what is more is cut down to that. Spec: 20, section 1.7.
    public func getContexts(offset: Int, limit: Int) async throws -> GetContextsResponseData {
        try await enveloped(AdminEndpoints.listContexts, query: AdminInput.page(offset, limit))
    }

    /// One context. Spec: 20, section 6.1.
    public func getContext(_ contextId: String) async throws -> Context {
        try await enveloped(AdminEndpoints.getContext, contextId)
    }

    /// All contexts of an application. Spec: 20, section 6.1.
    public func getContextsForApplication(_ applicationId: String) async throws -> GetContextsResponseData {
        try await enveloped(AdminEndpoints.contextsForApplication, applicationId)
    }

    /// All contexts of an application, with the keys that may execute in them. Spec: 20, section 6.1.
    public func getContextsWithExecutorsForApplication(
        _ applicationId: String
    ) async throws -> ContextsWithExecutorsResponseData {
        try await flat(AdminEndpoints.contextsWithExecutors, applicationId).contexts
    }

    /// The keys of all members' devices in a context. Spec: 20, section 6.2.
    public func getContextIdentities(_ contextId: String) async throws -> GetContextIdentitiesResponseData {
        try await enveloped(AdminEndpoints.contextIdentities, contextId)
    }

    /// The keys that are the caller's own: the node's for its owner, those of the account's devices for an account.
    /// Spec: 20, section 6.2.
    public func getContextIdentitiesOwned(_ contextId: String) async throws -> GetContextIdentitiesResponseData {
        try await enveloped(AdminEndpoints.contextIdentitiesOwned, contextId)
    }

    /// Makes a key pair of which the node keeps the private half. Spec: 20, section 6.2.
    public func generateContextIdentity() async throws -> GenerateContextIdentityResponseData {
        try await enveloped(AdminEndpoints.generateContextIdentity, body: .emptyObject)
    }

    /// Joins a context through the membership of its group. Joining again does no harm. Spec: 20, section 6.3.
    public func joinContext(_ contextId: String) async throws -> JoinContextResponseData {
        try await enveloped(AdminEndpoints.joinContext, contextId, body: .emptyObject)
    }

    /// Leaves a context on this node; nobody else is told. Spec: 20, section 6.3.
    public func leaveContext(_ contextId: String, request: [String: JSONValue]? = nil) async throws {
        try await done(AdminEndpoints.leaveContext, contextId, body: Self.object(request))
    }

    /// The group of a context, nil when it is in none. Spec: 20, section 6.1.
    public func getContextGroup(_ contextId: String) async throws -> ContextGroupResponseData {
        try await nullable(AdminEndpoints.contextGroup, contextId)
    }

    /// How much a context stores; 0 also for an unknown one. Spec: 20, section 6.1.
    public func getContextStorage(_ contextId: String) async throws -> ContextStorageResponseData {
        try await enveloped(AdminEndpoints.contextStorage, contextId)
    }

    /// Asks peers for what is missing, in one context, or in all for nil. Spec: 20, section 6.3.
    public func syncContext(_ contextId: String? = nil) async throws {
        if let contextId {
            try await acknowledged(AdminEndpoints.syncContext, contextId, body: .emptyObject)
        } else {
            try await acknowledged(AdminEndpoints.syncAllContexts, body: .emptyObject)
        }
    }

    /// Throws away what the node holds of a context and pulls the full state from peers. Refused with 409 unless the
    /// context is stranded, or `force` is set. Spec: 20, section 6.3.
    public func resyncContext(
        _ contextId: String, request: ResyncContextRequest = ResyncContextRequest()
    ) async throws -> ResyncContextResponseData {
        // Some nodes accept without a word.
        try await flat(AdminEndpoints.resyncContext, contextId, body: .encoding(request))
            ?? ResyncContextResponseData(contextId: contextId, resyncStarted: true)
    }

    /// Switches a context to other code, and its state stays as it is. Spec: 20, section 6.1.
    public func updateContextApplication(
        _ contextId: String, request: UpdateContextApplicationRequest
    ) async throws {
        try await acknowledged(AdminEndpoints.updateContextApplication, contextId, body: .encoding(request))
    }
}
