/// Spec: 30, sections 7 to 9.
extension AdminEndpoints {
    static let changeNamespaceAdmin = Endpoint<Empty>(.post, "/admin-api/namespaces/{namespaceId}/admin")
    static let transferOwnership = Endpoint<Empty>(.post, "/admin-api/groups/{groupId}/transfer-ownership")
    static let ownerDeleteGroup = Endpoint<Empty>(.post, "/admin-api/groups/{groupId}/owner-delete")
    static let setTeeAdmissionPolicy = Endpoint<Empty>(
        .put, "/admin-api/groups/{groupId}/settings/tee-admission-policy")
    static let teeAdmissionPolicy = Endpoint<FlatReply<GetTeeAdmissionPolicyResponseData>>(
        .get, "/admin-api/groups/{groupId}/settings/tee-admission-policy")
    static let setTeeAuthoringPolicy = Endpoint<Empty>(
        .put, "/admin-api/groups/{groupId}/settings/tee-authoring-policy")
    static let disableTeeAuthoringPolicy = Endpoint<Empty>(
        .delete, "/admin-api/groups/{groupId}/settings/tee-authoring-policy")
    static let issueOwnershipProof = Endpoint<JSONValue>(.post, "/admin-api/groups/{groupId}/issue-ownership-proof")
    static let issueNamespaceOwnershipProof = Endpoint<JSONValue>(
        .post, "/admin-api/groups/{groupId}/issue-namespace-ownership-proof")

    static let ownerOps: [any EndpointDescription] = [
        changeNamespaceAdmin, transferOwnership, ownerDeleteGroup, setTeeAdmissionPolicy, teeAdmissionPolicy,
        setTeeAuthoringPolicy, disableTeeAuthoringPolicy, issueOwnershipProof, issueNamespaceOwnershipProof,
    ]
}
