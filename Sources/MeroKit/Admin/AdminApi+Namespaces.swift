extension AdminApi {
    /// The first namespaces that the session may see: **at most 100**, without a word about more.
    /// `listNamespaces(offset:limit:)` has the others. Spec: 30, sections 1.6 and 4.2.
    public func listNamespaces() async throws -> ListNamespacesResponseData {
        try await enveloped(AdminEndpoints.listNamespaces)
    }

    /// A page of the namespaces that the session may see. One shorter than `limit` is the last. Spec: 30, section 1.6.
    public func listNamespaces(offset: Int, limit: Int) async throws -> ListNamespacesResponseData {
        try await enveloped(AdminEndpoints.listNamespaces, query: AdminInput.page(offset, limit))
    }

    /// One namespace; a 404 also when it is outside what the session may see. Spec: 30, section 4.2.
    public func getNamespace(_ namespaceId: String) async throws -> Namespace {
        try await enveloped(AdminEndpoints.getNamespace, namespaceId)
    }

    /// The first namespaces of an application: **at most 100**. Not for an account's session. Spec: 30, section 4.2.
    public func listNamespacesForApplication(_ applicationId: String) async throws -> ListNamespacesResponseData {
        try await enveloped(AdminEndpoints.namespacesForApplication, applicationId)
    }

    /// A page of the namespaces of an application. One shorter than `limit` is the last. Spec: 30, section 1.6.
    public func listNamespacesForApplication(
        _ applicationId: String, offset: Int, limit: Int
    ) async throws -> ListNamespacesResponseData {
        try await enveloped(
            AdminEndpoints.namespacesForApplication, applicationId, query: AdminInput.page(offset, limit))
    }

    /// Founds a namespace. The application has to be installed on the node, else it is a 404. Spec: 30, section 4.1.
    public func createNamespace(_ request: CreateNamespaceRequest) async throws -> CreateNamespaceResponseData {
        try await enveloped(AdminEndpoints.createNamespace, body: .encoding(request))
    }

    /// Deletes a namespace and all in it. Spec: 30, section 4.3.
    public func deleteNamespace(
        _ namespaceId: String, request: DeleteNamespaceRequest? = nil
    ) async throws -> DeleteNamespaceResponseData {
        try await enveloped(AdminEndpoints.deleteNamespace, namespaceId, body: .emptyObject)
    }

    /// Makes an invitation, or several when the request says `recursive`. Needs the capability to invite.
    ///
    /// It holds for a day at most; see `CreateNamespaceInvitationRequest.expirationTimestamp`. Spec: 30, section 4.4.
    public func createNamespaceInvitation(
        _ namespaceId: String, request: CreateNamespaceInvitationRequest? = nil
    ) async throws -> CreateNamespaceInvitationResult {
        try await enveloped(
            AdminEndpoints.inviteToNamespace, namespaceId, body: request.map(HttpBody.encoding) ?? .emptyObject)
    }

    /// Joins by an invitation, waiting up to 65 seconds. Run `syncGroupContexts` afterwards.
    ///
    /// An expired invitation is a 409, as is one that was used up: tell them apart by the invitation's own expiry. A 503 or
    /// 504 may be gone when the same is tried again. Spec: 30, section 4.5.
    public func joinNamespace(
        _ namespaceId: String, request: JoinNamespaceRequest
    ) async throws -> JoinNamespaceResponseData {
        try await enveloped(AdminEndpoints.joinNamespace, namespaceId, body: .encoding(request))
    }

    /// Hands in the join of somebody who has no node, at a node that the invitation names. Spec: 30, section 4.7.
    public func admitJoin(_ namespaceId: String, request: AdmitJoinRequest) async throws -> AdmitJoinResponseData {
        try await enveloped(AdminEndpoints.admitJoin, namespaceId, body: .encoding(request))
    }

    /// Leaves a namespace and every group in it. Its owner cannot. Spec: 30, section 4.8.
    public func leaveNamespace(_ namespaceId: String, request: [String: JSONValue]? = nil) async throws {
        try await done(AdminEndpoints.leaveNamespace, namespaceId, body: Self.object(request))
    }

    /// Creates a group in a namespace: restricted, unless the request says `open`. Spec: 30, section 4.6.
    public func createGroupInNamespace(
        _ namespaceId: String, request: CreateGroupInNamespaceRequest? = nil
    ) async throws -> CreateGroupInNamespaceResponseData {
        try await enveloped(
            AdminEndpoints.createGroupInNamespace, namespaceId,
            body: .encoding(request ?? CreateGroupInNamespaceRequest()))
    }

    /// The groups below a namespace. Spec: 30, section 5.5.
    public func listNamespaceGroups(_ namespaceId: String) async throws -> [SubgroupEntry] {
        try await enveloped(AdminEndpoints.namespaceGroups, namespaceId)
    }
}
