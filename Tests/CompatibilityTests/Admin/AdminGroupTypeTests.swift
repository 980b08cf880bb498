import MeroKit
import Testing

// Values of the published types, as programs make and read them.

@Suite struct AdminGroupTypeTests {
    @Test func namespaces() {
        let founding = NamespaceFounding(founderAccountId: "a", salt: "s")
        let held = NamespaceHeldOps(ops: [NamespaceHeldOp(deltaId: "d", groupId: "g")], untracked: 1)
        let namespace = Namespace(
            namespaceId: "n", appKey: "k", targetApplicationId: "a", upgradePolicy: nil, createdAt: 1, name: "x",
            memberCount: 1, contextCount: 2, subgroupCount: 3, appVersion: "v", founding: founding, heldOps: held)
        let list: ListNamespacesResponseData = [namespace]
        #expect(list.first?.founding == founding && list.first?.heldOps == held)
        var request = CreateNamespaceRequest(applicationId: "a", name: "n", appKey: "k")
        request.name = nil
        #expect(request.appKey == "k" && CreateNamespaceRequest(applicationId: "a").appKey == nil)
        #expect(CreateNamespaceResponseData(namespaceId: "n", founding: founding).founding == founding)
        #expect(DeleteNamespaceResponseData(isDeleted: true).isDeleted)
        #expect(CreateGroupInNamespaceRequest.defaultVisibility == "restricted")
        let group = CreateGroupInNamespaceRequest(groupName: "g", visibility: "open")
        #expect(group.visibility == "open" && CreateGroupInNamespaceRequest(groupName: "g").visibility == nil)
        #expect(CreateGroupInNamespaceResponseData(groupId: "g").groupId == "g")
        #expect(SubgroupEntry(groupId: "g").name == nil && SubgroupEntry(groupId: "g", name: "n").name == "n")
        #expect(ChangeNamespaceAdminRequest(newAdmin: "a", rootProof: "p").rootProof == "p")
    }

    @Test func invitations() {
        let inner = GroupInvitationFromAdmin(
            inviterIdentity: [1], groupId: [2], expirationTimestamp: 3, secretSalt: [4], invitedRole: 1,
            admitters: ["a"], passthrough: ["x": 1])
        let invitation = SignedGroupOpenInvitation(
            invitation: inner, inviterSignature: "s", inviterAccount: "a", admitterAddrs: ["d"], applicationId: [1],
            appKey: [2], passthrough: ["y": nil])
        #expect(invitation.invitation.passthrough["x"] == 1 && invitation.passthrough["y"] == .null)
        let terms = CreateNamespaceInvitationRequest(
            expirationTimestamp: 1, recursive: true, admitters: ["a"], admitterAddrs: ["d"])
        #expect(terms.recursive == true && CreateGroupInvitationRequest().admitters.isEmpty)
        let single = CreateNamespaceInvitationResult.single(
            CreateNamespaceInvitationResponseData(invitation: invitation, groupName: "g"))
        let entry = RecursiveInvitationEntry(groupId: "g", invitation: invitation)
        let many = CreateNamespaceInvitationResult.recursive(
            CreateRecursiveInvitationResponseData(invitations: [entry]))
        for result in [single, many] {
            switch result {
            case .single(let data): #expect(data.groupName == "g")
            case .recursive(let data): #expect(data.invitations.first?.groupName == nil)
            }
        }
        for result: CreateGroupInvitationResult in [
            .single(CreateGroupInvitationResponseData(invitation: invitation)),
            .recursive(CreateRecursiveGroupInvitationResponseData(invitations: [])),
        ] {
            switch result {
            case .single(let data): #expect(data.groupName == nil)
            case .recursive(let data): #expect(data.invitations.isEmpty)
            }
        }
        #expect(JoinNamespaceRequest(invitation: invitation, groupName: "g").groupName == "g")
        let joined = JoinNamespaceResponseData(namespaceId: "n", memberIdentity: "k", memberAccount: "a")
        #expect(joined.memberAccount == "a")
        #expect(AdmitJoinRequest(invitation: invitation, signedOp: "00").signedOp == "00")
        #expect(AdmitJoinResponseData(published: true).published)
        #expect(JoinGroupRequest(invitation: invitation).groupName == nil)
        #expect(JoinGroupResponseData(groupId: "g", memberIdentity: "k", memberAccount: "a").groupId == "g")
        let inherited = JoinSubgroupInheritanceResponseData(groupId: "g", memberPublicKey: "k", wasInherited: true)
        #expect(inherited.wasInherited)
    }

    @Test func groups() {
        #expect(CreateGroupRequest(applicationId: "a", appKey: "k", name: "n", parentGroupId: "p").parentGroupId == "p")
        let record = MetadataRecord(name: "n", data: ["k": "v"], updatedAt: 1, updatedBy: "d")
        let info: GroupInfoResponseData = GroupInfo(
            groupId: "g", appKey: "k", targetApplicationId: "a", upgradePolicy: nil, memberCount: 1, contextCount: 2,
            activeUpgrade: nil, defaultCapabilities: 3, subgroupVisibility: "open", metadata: record,
            groupStateHash: "h", namespaceId: "n", ownerOpCounter: UInt64.max)
        #expect(info.ownerOpCounter == .max && info.metadata?.data == ["k": "v"])
        let member = GroupMember(identity: "a", role: "Admin", name: nil)
        let members = ListGroupMembersResponseData(members: [member], selfIdentity: nil, data: nil)
        #expect(members.members.first?.role == "Admin" && members.data == nil)
        #expect(
            CreateGroupResponseData(groupId: "g").groupId == "g"
                && DeleteGroupResponseData(isDeleted: false).isDeleted == false)
        #expect(MemberCapabilities(capabilities: 1).capabilities == 1)
        let shared: SetGroupMetadataRequest = SetMetadataRequest(name: "n")
        let other: SetMemberMetadataRequest = shared
        let third: SetContextMetadataRequest = other
        #expect(third.data == nil && GetMetadataResponseData(data: nil).data == nil)
        let synced = SyncGroupResponseData(
            groupId: "g", appKey: "k", targetApplicationId: "a", memberCount: 1, contextCount: 2)
        #expect(synced.contextCount == 2 && ReparentGroupResponseData(reparented: true).reparented)
        let devices = MemberDevicesEntry(account: "a", devices: [MemberDeviceEntry(deviceId: "d", signingKey: "k")])
        #expect(ListMemberDevicesResponseData(members: [devices]).members.first?.devices.first?.deviceId == "d")
        #expect(
            DelegatedExecutionChange(changed: true, capabilities: 1)
                != DelegatedExecutionChange(changed: false, capabilities: 1))
        #expect(Capabilities.hasCap(3, Capabilities.canCreateContext) && Capabilities.withCap(0, 512) == 512)
        #expect(Capabilities.withoutCap(0xffff_ffff, 1 << 31) == 0x7fff_ffff)
    }

    @Test func upgrades() {
        #expect(UpgradeGroupRequest(targetApplicationId: "a", cascade: true).cascade == true)
        let started: RetryGroupUpgradeResponseData = UpgradeGroupResponseData(
            groupId: "g", status: "s", total: 1, completed: 2, failed: 3)
        #expect(started.completed == 2)
        let status: GroupUpgradeStatusResponseData = GroupUpgradeStatus(
            fromVersion: "1", toVersion: "2", initiatedAt: 1, initiatedBy: "k", status: "s", total: 1, completed: 2,
            failed: 3, completedAt: 4)
        #expect(status?.completedAt == 4)
        if let status { #expect(CascadeStatusEntry(groupId: "g", upgrade: status, cascadeHlc: "h").cascadeHlc == "h") }
        let report = MemberMigrationReport(
            schemaVersion: 1, residueAuto: 2, residueIdentity: 3, syncedUpToHlc: 4, reportedAt: 5, authoredRemaining: 6,
            migrationFailed: .checkAborted)
        let entry = MemberMigrationStatusEntry(peer: "p", report: report, state: .inProgress)
        let rollup = MigrationStatusRollup(
            migrated: 1, inProgress: 2, unknown: 3, failed: 4, total: 5, allMigrated: false,
            membersPendingSignature: 6)
        let migration = MigrationStatus(
            targetVersion: 1, expectedMembers: 2, cohortPinnedAtHlc: "h", rollup: rollup, members: [entry])
        #expect(migration.members.first?.report?.migrationFailed == .checkAborted)
        #expect(MemberMigrationState(rawValue: "in_progress") == .inProgress)
        #expect(
            [MigrationFailureReason.checkAborted, .applyFailed, .noMigrationPath].map(\.rawValue) == [
                "check_aborted", "apply_failed", "no_migration_path",
            ])
        #expect(
            [MemberMigrationState.migrated, .inProgress, .unknown, .failed].map(\.rawValue) == [
                "migrated", "in_progress", "unknown", "failed",
            ])
    }

    @Test func policiesAndProofs() {
        let release = SignedReleaseTeePolicy(allowedProfiles: ["p"], minReleaseVersion: "1.0.0")
        let request: SetTeeAdmissionPolicyRequest = .measurement(
            allowedMrtd: ["m"], allowedRtmr0: [], allowedRtmr1: ["1"], allowedRtmr2: ["2"], allowedRtmr3: ["3"],
            allowedTcbStatuses: [], acceptMock: true, mode: .replica, rootProof: nil)
        #expect(request.signedRelease == nil && request.mode == TeeAdmissionMode(rawValue: "replica"))
        let whole = SetTeeAdmissionPolicyRequest(
            allowedMrtd: [], allowedRtmr0: [], allowedRtmr1: [], allowedRtmr2: [], allowedRtmr3: [],
            allowedTcbStatuses: [], acceptMock: false, signedRelease: release, mode: .relay, rootProof: "00")
        #expect(whole.signedRelease == release)
        let answer = GetTeeAdmissionPolicyResponseData(
            allowedMrtd: [], allowedRtmr0: [], allowedRtmr1: [], allowedRtmr2: [], allowedRtmr3: [],
            allowedTcbStatuses: [], acceptMock: false, enabled: true, signedRelease: release, mode: .relay)
        #expect(answer.enabled == true && answer.mode == .relay)
        #expect(SetTeeAuthoringPolicyRequest(allowedMrtd: ["m"], rootProof: "00").rootProof == "00")
        let delete: OwnerDeleteGroupRequest = RootGuardedOpRequest(rootProof: "00")
        #expect(delete.rootProof == "00" && RootGuardedOpRequest().rootProof == nil)
        #expect(TransferOwnershipRequest(newOwner: "a", rootProof: "00").newOwner == "a")
        let proof = IssueOwnershipProofResponseData(
            signerPublicKey: "k", signedPayload: "p", signature: "s",
            founding: NamespaceFounding(founderAccountId: "a", salt: "s"), credential: "c")
        #expect(proof != IssueOwnershipProofResponseData(signerPublicKey: "k", signedPayload: "p", signature: "s"))
        let envelope = SealedEnvelope(accountRootEpoch: 1, ephemeralPublicKey: "e", nonce: "n", ciphertext: "c")
        #expect(envelope == envelope && envelope.accountRootEpoch == 1)
        let domains = [
            AccountSignWithRootRequest.linkDomain, AccountSignWithRootRequest.loginDomain,
            AccountSignWithRootRequest.recoveryDomain,
        ]
        #expect(domains == ["mdma.account-link", "mdma.account-login", "mdma.account-recovery"])
        #expect(AccountSignWithRootRequest(domain: "d", payload: "00").payload == "00")
        let signed = AccountSignWithRootResponseData(rootPublicKey: "k", signature: "s", accountId: "a")
        #expect(signed == signed)
        let linked = LinkAccountDeviceResponseData(accountId: "a", deviceId: "d", alreadyBound: true)
        #expect(linked.alreadyBound && linked == linked)
    }

    @Test func accounts() {
        let device = AccountDeviceEntry(
            deviceId: "d", signingKey: "k", isSelf: true, revoked: false, applications: [], namespaces: [], label: "l")
        #expect(AccountDevicesResponse(devices: [device]).devices.first?.label == "l")
        let application = AccountApplicationEntry(applicationId: "a", namespaces: ["n"])
        #expect(AccountApplicationsResponse(applications: [application]).applications.first?.namespaces == ["n"])
        #expect(
            AccountPairInitRequest(accountRootPublicKey: "r", namespaces: ["n"], accountNamespace: "m").namespaces == [
                "n"
            ])
        let begun = PairDeviceInitResponseData(
            accountId: "a", deviceId: "d", kemPublicKey: "e", signPublicKey: "k", statement: "s", confirmationCode: "c")
        let complete = AccountPairCompleteRequest(
            deviceId: begun.deviceId, kemPublicKey: begun.kemPublicKey, signPublicKey: begun.signPublicKey,
            statement: begun.statement, confirmationCode: begun.confirmationCode, applications: ["a"])
        #expect(complete.applications == ["a"])
        let completed = PairDeviceCompleteResponseData(
            accountId: "a", deviceId: "d", keyDelivered: true, confirmationCode: "c", credential: "02")
        #expect(completed.keyDelivered)
        #expect(RelinkDeviceRequest(applications: ["a"]).applications == ["a"])
        let (outcome, skip) = (
            RelinkOutcomeEntry(namespaceId: "n", keyDelivered: true),
            RelinkSkipEntry(namespaceId: "n", reason: "failed")
        )
        let relinked = RelinkDeviceResponseData(
            accountId: "a", deviceId: "d", applications: [], linkedIn: [outcome], skipped: [skip])
        #expect(relinked.skipped.first?.reason == "failed")
        let scopes: [DeviceScope] = [.all, .only(["a"])]
        #expect(scopes[0] != scopes[1] && RescopeDeviceRequest(scope: .all).scope == .all)
        let rescoped = RescopeDeviceResponseData(
            accountId: "a", deviceId: "d", applications: [],
            descoped: [RescopeDescopeEntry(namespaceId: "n", keyRotated: false)], linkedIn: [], skipped: [])
        #expect(rescoped.descoped.first?.keyRotated == false)
        let labelled = LabelDeviceResponseData(accountId: "a", deviceId: "d", label: "l", labelEpoch: 1)
        #expect(labelled.labelEpoch == 1 && LabelDeviceRequest(label: "l").label == "l")
        #expect(RevokeDeviceRequest(deviceId: "d", proof: "00").proof == "00")
        let revoked = RevokeDeviceResponseData(
            accountId: "a", deviceId: "d", keyRotated: true,
            revokedIn: [RevocationOutcomeEntry(namespaceId: "n", keyRotated: true)])
        #expect(revoked.revokedIn.first?.keyRotated == true)
    }

    /// What nodes have no use for any more still compiles, and is not sent.
    @Test func deprecatedSpellings() throws {
        try (Old() as any OldSpellings).check()
    }
}

private protocol OldSpellings {
    func check() throws
}

private struct Old: OldSpellings {
    @available(*, deprecated)
    func check() throws {
        #expect(
            UpgradePolicy.automatic.rawValue == "Automatic" && UpgradePolicy.lazyOnAccess.rawValue == "LazyOnAccess")
        let namespace = CreateNamespaceRequest(
            applicationId: "a", upgradePolicy: UpgradePolicy.automatic.rawValue, name: "n", appKey: "k")
        #expect(try object(namespace) == ["applicationId": "a", "name": "n", "appKey": "k"])
        let group = CreateGroupRequest(
            applicationId: "a", upgradePolicy: "Automatic", appKey: "k", name: "n", parentGroupId: "p")
        #expect(try object(group) == ["applicationId": "a", "appKey": "k", "name": "n", "parentGroupId": "p"])
        let named = CreateGroupInNamespaceRequest(groupId: "g", name: "n")
        #expect(try object(named) == ["groupName": "n", "visibility": "restricted"])
        #expect(JoinNamespaceResponseData(namespaceId: "n", memberIdentity: "k", memberAccount: nil).groupId == "n")
    }

    private func object(_ value: some Encodable) throws -> [String: JSONValue] {
        try MeroJSON.decode([String: JSONValue].self, from: MeroJSON.encode(value))
    }
}
