extension AdminApi {
    /// Creates a group, below another or as the root of a namespace of its own. Spec: 30, section 5.2.
    public func createGroup(_ request: CreateGroupRequest) async throws -> CreateGroupResponseData {
        try await enveloped(AdminEndpoints.createGroup, body: .encoding(request))
    }

    /// The same with a body of your own. Nodes refuse every field that they do not know, `groupId` among them.
    public func createGroup(_ request: [String: JSONValue]) async throws -> CreateGroupResponseData {
        try await enveloped(AdminEndpoints.createGroup, body: Self.object(request))
    }

    /// A group as the node sees it. Spec: 30, section 5.1.
    public func getGroupInfo(_ groupId: String) async throws -> GroupInfoResponseData {
        try await enveloped(AdminEndpoints.groupInfo, groupId)
    }

    /// What those who join a group later may do: bits of `Capabilities`. Spec: 30, section 6.2.
    public func getDefaultCapabilities(_ groupId: String) async throws -> Int {
        try await getGroupInfo(groupId).defaultCapabilities
    }

    /// `open` or `restricted`. Spec: 30, section 6.3.
    public func getSubgroupVisibility(_ groupId: String) async throws -> String {
        try await getGroupInfo(groupId).subgroupVisibility
    }

    /// Deletes a group, all below it and their contexts. Spec: 30, section 5.3.
    public func deleteGroup(
        _ groupId: String, request: DeleteGroupRequest? = nil
    ) async throws -> DeleteGroupResponseData {
        try await enveloped(AdminEndpoints.deleteGroup, groupId, body: .emptyObject)
    }

    /// The first contexts of a group: **at most 100**, without a word about more. `listGroupContexts(_:offset:limit:)` has
    /// the others. Spec: 30, sections 1.6 and 5.1.
    public func listGroupContexts(_ groupId: String) async throws -> ListGroupContextsResponseData {
        try await enveloped(AdminEndpoints.groupContexts, groupId)
    }

    /// A page of a group's contexts, of at most 1000. One shorter than `limit` is the last. Spec: 30, section 1.6.
    public func listGroupContexts(
        _ groupId: String, offset: Int, limit: Int
    ) async throws -> ListGroupContextsResponseData {
        try await enveloped(AdminEndpoints.groupContexts, groupId, query: AdminInput.page(offset, limit))
    }

    /// Leaves a group; a namespace is left by `leaveNamespace`. Spec: 30, section 4.8.
    public func leaveGroup(_ groupId: String, request: [String: JSONValue]? = nil) async throws {
        try await done(AdminEndpoints.leaveGroup, groupId, body: Self.object(request))
    }

    /// The groups right below a group. Spec: 30, section 5.5.
    public func listSubgroups(_ groupId: String) async throws -> [SubgroupEntry] {
        try await flat(AdminEndpoints.listSubgroups, groupId).subgroups
    }

    /// Moves a group below another one of the same namespace. Spec: 30, section 5.5.
    public func reparentGroup(
        _ childGroupId: String, request: ReparentGroupRequest
    ) async throws -> ReparentGroupResponseData {
        try await flat(AdminEndpoints.reparentGroup, childGroupId, body: .encoding(request))
    }

    /// Takes a context out of its group. Spec: 30, section 5.6.
    public func detachContextFromGroup(
        _ groupId: String, contextId: String, request: DetachContextFromGroupRequest? = nil
    ) async throws {
        try await done(AdminEndpoints.detachContext, groupId, contextId, body: .emptyObject)
    }

    /// Makes an invitation to a group. New apps invite to the namespace. Spec: 30, section 5.7.
    public func createGroupInvitation(
        _ groupId: String, request: CreateGroupInvitationRequest? = nil
    ) async throws -> CreateGroupInvitationResult {
        try await enveloped(AdminEndpoints.inviteToGroup, groupId, body: request.map(HttpBody.encoding) ?? .emptyObject)
    }

    /// Joins a group by an invitation. Spec: 30, section 5.7.
    public func joinGroup(_ request: JoinGroupRequest) async throws -> JoinGroupResponseData {
        try await enveloped(AdminEndpoints.joinGroup, body: .encoding(request))
    }

    /// Turns inherited membership of an open group into one of its own. Spec: 30, section 5.5.
    public func joinSubgroupInheritance(_ groupId: String) async throws -> JoinSubgroupInheritanceResponseData {
        try await enveloped(AdminEndpoints.joinSubgroup, groupId, body: .emptyObject)
    }

    /// Asks peers for what the node lacks of a group. Spec: 30, section 5.8.
    public func syncGroup(_ groupId: String, request: SyncGroupRequest? = nil) async throws -> SyncGroupResponseData {
        try await enveloped(AdminEndpoints.syncGroup, groupId, body: .emptyObject)
    }

    /// Brings the contexts of a group that was just joined to this node: syncs the group, joins each of its contexts and
    /// syncs it. Only a failure to list the contexts, and cancellation, end it early.
    ///
    /// As the listing does, it sees at most 100 contexts. Spec: 30, section 5.8, and 20, section 6.8.
    @discardableResult
    public func syncGroupContexts(_ groupId: String) async throws -> ListGroupContextsResponseData {
        try await ignoringRefusals { _ = try await syncGroup(groupId) }
        let contexts = try await listGroupContexts(groupId)
        for context in contexts {
            try await ignoringRefusals { _ = try await joinContext(context.contextId) }
            try await ignoringRefusals { try await syncContext(context.contextId) }
        }
        return contexts
    }

    private func ignoringRefusals(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // An HTTP client of an app's own may have another error for it.
            try Task.checkCancellation()
        }
    }
}
