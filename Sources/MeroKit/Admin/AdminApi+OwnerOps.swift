import Foundation

/// Acts that only the owner's root can allow. A node that holds the root signs by itself; for any other, take a proof from
/// `AccountRoot.rootProof(for:groupId:admin:)` right before. A proof works once: after a 409, make a new one.
///
/// Spec: 30, sections 7 and 8.
extension AdminApi {
    /// Gives a namespace another admin.
    public func changeNamespaceAdmin(_ namespaceId: String, request: ChangeNamespaceAdminRequest) async throws {
        try AdminInput.proof(request.rootProof, "rootProof")
        try await done(AdminEndpoints.changeNamespaceAdmin, namespaceId, body: .encoding(request))
    }

    /// Gives a group to another account, which has to be an admin of it.
    public func transferOwnership(_ groupId: String, request: TransferOwnershipRequest) async throws {
        try AdminInput.proof(request.rootProof, "rootProof")
        try await done(AdminEndpoints.transferOwnership, groupId, body: .encoding(request))
    }

    /// Deletes a group that has no contexts.
    public func ownerDeleteGroup(
        _ groupId: String, request: RootGuardedOpRequest = RootGuardedOpRequest()
    ) async throws {
        try AdminInput.proof(request.rootProof, "rootProof")
        try await done(AdminEndpoints.ownerDeleteGroup, groupId, body: .encoding(request))
    }

    /// Says which trusted environments a namespace admits.
    public func setTeeAdmissionPolicy(_ groupId: String, request: SetTeeAdmissionPolicyRequest) async throws {
        try AdminInput.proof(request.rootProof, "rootProof")
        try await done(AdminEndpoints.setTeeAdmissionPolicy, groupId, body: .encoding(request))
    }

    /// Which trusted environments a namespace admits.
    public func getTeeAdmissionPolicy(_ groupId: String) async throws -> GetTeeAdmissionPolicyResponseData {
        try await flat(AdminEndpoints.teeAdmissionPolicy, groupId)
    }

    /// Says which trusted environments may write as a namespace's authority.
    public func setTeeAuthoringPolicy(_ groupId: String, request: SetTeeAuthoringPolicyRequest) async throws {
        try AdminInput.proof(request.rootProof, "rootProof")
        try await done(AdminEndpoints.setTeeAuthoringPolicy, groupId, body: .encoding(request))
    }

    /// Lets no trusted environment write as a namespace's authority any more.
    public func disableTeeAuthoringPolicy(
        _ groupId: String, request: RootGuardedOpRequest = RootGuardedOpRequest()
    ) async throws {
        try AdminInput.proof(request.rootProof, "rootProof")
        try await done(
            AdminEndpoints.disableTeeAuthoringPolicy, groupId,
            body: request.rootProof == nil ? nil : .encoding(request))
    }
}

// MARK: - Ownership proofs

extension AdminApi {
    /// A proof, for somebody else, that the node is an admin of the group that a context is in. Spec: 30, section 9.
    public func issueOwnershipProof(
        _ groupId: String, request: IssueOwnershipProofRequest
    ) async throws -> IssueOwnershipProofResponseData {
        try await proof(AdminEndpoints.issueOwnershipProof, groupId, body: .encoding(request))
    }

    /// The same with a body of your own, and the answer as it came.
    public func issueOwnershipProof(
        _ groupId: String, request: [String: JSONValue]? = nil
    ) async throws -> JSONValue {
        try await json(AdminEndpoints.issueOwnershipProof, groupId, body: Self.object(request))
    }

    /// A proof, for somebody else, that the node is an admin of a namespace. Spec: 30, section 9.
    public func issueNamespaceOwnershipProof(
        _ groupId: String, request: IssueNamespaceOwnershipProofRequest
    ) async throws -> IssueOwnershipProofResponseData {
        try await proof(AdminEndpoints.issueNamespaceOwnershipProof, groupId, body: .encoding(request))
    }

    /// The same with a body of your own, and the answer as it came.
    public func issueNamespaceOwnershipProof(
        _ groupId: String, request: [String: JSONValue]? = nil
    ) async throws -> JSONValue {
        try await json(AdminEndpoints.issueNamespaceOwnershipProof, groupId, body: Self.object(request))
    }

    private func proof(
        _ endpoint: Endpoint<JSONValue>, _ groupId: String, body: HttpBody
    ) async throws -> IssueOwnershipProofResponseData {
        let request = try endpoint.request([groupId], body: body)
        let (answer, _) = try await http.sendRaw(request)
        guard let reply = try? MeroJSON.decode(FlatReply<IssueOwnershipProofResponseData>.self, from: answer) else {
            throw MeroError.decoding("\(request.path): \(ReplyDecoding.excerpt(of: answer))")
        }
        return reply.payload
    }
}
