extension TransferOwnershipRequest {
    /// What its `rootProof` has to cover. Spec: 50, section 14.
    public var ownerOp: OwnerOp { .transferOwnership(newOwner: newOwner) }
}

extension ChangeNamespaceAdminRequest {
    /// What its `rootProof` has to cover. Spec: 50, section 14.
    public var ownerOp: OwnerOp { .adminChanged(newAdmin: newAdmin) }
}

extension SetTeeAuthoringPolicyRequest {
    /// What its `rootProof` has to cover. Spec: 50, section 14.
    public var ownerOp: OwnerOp { .teeAuthoringPolicy(allowedMrtd: allowedMrtd) }
}

extension SetTeeAdmissionPolicyRequest {
    /// What its `rootProof` has to cover. Spec: 50, section 14.
    public var ownerOp: OwnerOp {
        let mode: OwnerOp.TeeMode = mode == .relay ? .relay : .replica
        if let signedRelease {
            return .teeReleaseAdmissionPolicy(
                OwnerOp.TeeReleaseAdmission(
                    allowedProfiles: signedRelease.allowedProfiles,
                    minReleaseVersion: signedRelease.minReleaseVersion, allowedTcbStatuses: allowedTcbStatuses,
                    acceptMock: acceptMock, mode: mode))
        }
        return .teeAdmissionPolicy(
            OwnerOp.TeeAdmission(
                allowedMrtd: allowedMrtd, allowedRtmr0: allowedRtmr0, allowedRtmr1: allowedRtmr1,
                allowedRtmr2: allowedRtmr2, allowedRtmr3: allowedRtmr3, allowedTcbStatuses: allowedTcbStatuses,
                acceptMock: acceptMock, mode: mode))
    }
}

extension AccountRoot {
    /// The `rootProof` of an owner op over a group as it is now: asks the node for the group's namespace and counter, and
    /// signs.
    ///
    /// ```swift
    /// var request = TransferOwnershipRequest(newOwner: account)
    /// request.rootProof = try await root.rootProof(for: request.ownerOp, groupId: group, admin: admin)
    /// try await admin.transferOwnership(group, request: request)
    /// ```
    ///
    /// A proof works once, and only until another owner op applies: after a 409, make a new one.
    ///
    /// Throws `MeroError`: what `getGroupInfo` throws, and `.emptyResponse` for a node that has no such counter;
    /// `AccountError.invalidInput` for an op that names no account. Spec: 50, section 14.
    public func rootProof(for op: OwnerOp, groupId: String, admin: AdminApi) async throws -> String {
        let info = try await admin.getGroupInfo(groupId)
        guard let namespaceId = info.namespaceId, let counter = info.ownerOpCounter else {
            throw MeroError.emptyResponse("getGroupInfo: the node tells no namespaceId and ownerOpCounter")
        }
        return try authorize(op, namespaceId: namespaceId, groupId: groupId, counter: counter)
    }
}
