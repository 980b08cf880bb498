import Foundation
import MeroKit
import Testing

// Programs written for the published package, as they stand: namespaces, groups, members, upgrades, accounts.

@Suite struct AdminGroupTests {
    private let invitation = SignedGroupOpenInvitation(
        invitation: GroupInvitationFromAdmin(
            inviterIdentity: [1], groupId: [2], expirationTimestamp: 3, secretSalt: [4]), inviterSignature: "s")

    @Test func namespaces() async {
        let invitation = invitation
        let calls: [(AdminApi) async throws -> Void] = [
            { let _: ListNamespacesResponseData = try await $0.listNamespaces() },
            { let _: [Namespace] = try await $0.listNamespaces(offset: 0, limit: 1) },
            { let _: Namespace = try await $0.getNamespace("n") },
            { let _: ListNamespacesResponseData = try await $0.listNamespacesForApplication("a") },
            {
                let _: CreateNamespaceResponseData = try await $0.createNamespace(
                    CreateNamespaceRequest(applicationId: "a"))
            },
            { let _: DeleteNamespaceResponseData = try await $0.deleteNamespace("n") },
            {
                let _: DeleteNamespaceResponseData = try await $0.deleteNamespace(
                    "n", request: DeleteNamespaceRequest())
            },
            { let _: CreateNamespaceInvitationResult = try await $0.createNamespaceInvitation("n") },
            {
                let _: CreateNamespaceInvitationResult = try await $0.createNamespaceInvitation(
                    "n", request: CreateNamespaceInvitationRequest())
            },
            {
                let _: JoinNamespaceResponseData = try await $0.joinNamespace(
                    "n", request: JoinNamespaceRequest(invitation: invitation))
            },
            {
                let _: AdmitJoinResponseData = try await $0.admitJoin(
                    "n", request: AdmitJoinRequest(invitation: invitation, signedOp: "00"))
            },
            { try await $0.leaveNamespace("n") },
            { try await $0.leaveNamespace("n", request: [:]) },
            { let _: CreateGroupInNamespaceResponseData = try await $0.createGroupInNamespace("n") },
            {
                let _: CreateGroupInNamespaceResponseData = try await $0.createGroupInNamespace(
                    "n", request: CreateGroupInNamespaceRequest())
            },
            { let _: [SubgroupEntry] = try await $0.listNamespaceGroups("n") },
            { try await $0.changeNamespaceAdmin("n", request: ChangeNamespaceAdminRequest(newAdmin: "a")) },
            {
                let _: RevokeDeviceResponseData = try await $0.revokeDevice(
                    "n", request: RevokeDeviceRequest(deviceId: "d"))
            },
            {
                let _: LinkAccountDeviceResponseData = try await $0.linkAccountDevice(
                    "n", request: LinkAccountDeviceRequest(credential: "c", scope: "s"))
            },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
    }

    @Test func groups() async {
        let invitation = invitation
        let calls: [(AdminApi) async throws -> Void] = [
            { let _: CreateGroupResponseData = try await $0.createGroup(CreateGroupRequest(applicationId: "a")) },
            { let _: CreateGroupResponseData = try await $0.createGroup(["applicationId": "a"]) },
            { let _: GroupInfoResponseData = try await $0.getGroupInfo("g") },
            { let _: Int = try await $0.getDefaultCapabilities("g") },
            { let _: String = try await $0.getSubgroupVisibility("g") },
            { let _: DeleteGroupResponseData = try await $0.deleteGroup("g") },
            { let _: DeleteGroupResponseData = try await $0.deleteGroup("g", request: DeleteGroupRequest()) },
            { let _: ListGroupMembersResponseData = try await $0.listGroupMembers("g") },
            { let _: ListGroupMembersResponseData = try await $0.listGroupMembers("g", offset: 0, limit: 1) },
            { let _: [MemberDevicesEntry] = try await $0.listMemberDevices("g") },
            { let _: [MemberDevicesEntry] = try await $0.listMemberDevices("g", offset: 1, limit: 2) },
            { let _: [MemberDevicesEntry] = try await $0.listMemberDevices("g", limit: 2) },
            { let _: [MemberDevicesEntry] = try await $0.listGroupMemberDevices("g") },
            { let _: [MemberDevicesEntry] = try await $0.listGroupMemberDevices("g", offset: 1) },
            { let _: ListGroupContextsResponseData = try await $0.listGroupContexts("g") },
            {
                try await $0.addGroupMembers(
                    "g", request: AddGroupMembersRequest(members: [GroupMemberInput(identity: "a", role: "Member")]))
            },
            { try await $0.removeGroupMembers("g", request: RemoveGroupMembersRequest(members: ["a"])) },
            { try await $0.updateMemberRole("g", identity: "a", request: UpdateMemberRoleRequest(role: "Admin")) },
            { try await $0.setMemberAutoFollow("g", identity: "a", request: ["autoFollowContexts": true]) },
            { try await $0.leaveGroup("g") },
            { try await $0.leaveGroup("g", request: [:]) },
            { let _: [SubgroupEntry] = try await $0.listSubgroups("g") },
            {
                let _: ReparentGroupResponseData = try await $0.reparentGroup(
                    "g", request: ReparentGroupRequest(newParentId: "p"))
            },
            { try await $0.detachContextFromGroup("g", contextId: "c") },
            {
                try await $0.detachContextFromGroup("g", contextId: "c", request: DetachContextFromGroupRequest())
            },
            { let _: CreateGroupInvitationResult = try await $0.createGroupInvitation("g") },
            {
                let _: CreateGroupInvitationResult = try await $0.createGroupInvitation(
                    "g", request: CreateGroupInvitationRequest())
            },
            { let _: JoinGroupResponseData = try await $0.joinGroup(JoinGroupRequest(invitation: invitation)) },
            { let _: JoinSubgroupInheritanceResponseData = try await $0.joinSubgroupInheritance("g") },
            { let _: SyncGroupResponseData = try await $0.syncGroup("g") },
            { let _: SyncGroupResponseData = try await $0.syncGroup("g", request: SyncGroupRequest()) },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
        // Ignores that the group could not be synced, so it asks twice.
        let client = RefusingClient()
        await #expect(throws: RefusingClient.Refused.self) { try await AdminApi(http: client).syncGroupContexts("g") }
        #expect(client.requests == ["POST /admin-api/groups/g/sync", "GET /admin-api/groups/g/contexts"])
    }

    @Test func settingsAndUpgrades() async {
        let metadata = SetMetadataRequest(name: "n", data: ["k": "v"])
        let calls: [(AdminApi) async throws -> Void] = [
            { let _: MemberCapabilities = try await $0.getMemberCapabilities("g", identity: "a") },
            {
                try await $0.setMemberCapabilities(
                    "g", identity: "a", request: SetMemberCapabilitiesRequest(capabilities: 1))
            },
            {
                try await $0.setDefaultCapabilities(
                    "g", request: SetDefaultCapabilitiesRequest(defaultCapabilities: 1))
            },
            {
                try await $0.setSubgroupVisibility(
                    "g", request: SetSubgroupVisibilityRequest(subgroupVisibility: "open"))
            },
            { try await $0.setGroupMetadata("g", request: metadata) },
            { let _: MetadataRecord? = try await $0.getGroupMetadata("g") },
            { try await $0.setMemberMetadata("g", identity: "a", request: metadata) },
            { let _: MetadataRecord? = try await $0.getMemberMetadata("g", identity: "a") },
            { try await $0.setContextMetadata("g", contextId: "c", request: metadata) },
            { let _: MetadataRecord? = try await $0.getContextMetadata("g", contextId: "c") },
            { try await $0.openToDelegatedExecution("g") },
            { let _: DelegatedExecutionChange = try await $0.grantAuthorship("g", account: "a") },
            {
                let _: UpgradeGroupResponseData = try await $0.upgradeGroup(
                    "g", request: UpgradeGroupRequest(targetApplicationId: "a"))
            },
            { let _: GroupUpgradeStatus? = try await $0.getGroupUpgradeStatus("g") },
            { let _: GroupUpgradeStatusResponseData = try await $0.getGroupUpgradeStatus("g") },
            { let _: RetryGroupUpgradeResponseData = try await $0.retryGroupUpgrade("g") },
            {
                let _: RetryGroupUpgradeResponseData = try await $0.retryGroupUpgrade(
                    "g", request: RetryGroupUpgradeRequest())
            },
            { let _: MigrationStatus = try await $0.getMigrationStatus("n") },
            { let _: [CascadeStatusEntry] = try await $0.getCascadeStatus("n") },
            { let _: JSONValue = try await $0.abortMigration("n") },
            { let _: JSONValue = try await $0.abortMigration("n", request: [:]) },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
    }

    @Test func ownersAndAccounts() async {
        let policy = SetTeeAdmissionPolicyRequest.signedRelease(
            SignedReleaseTeePolicy(allowedProfiles: ["p"]), allowedTcbStatuses: [])
        let calls: [(AdminApi) async throws -> Void] = [
            { try await $0.transferOwnership("g", request: TransferOwnershipRequest(newOwner: "a")) },
            { try await $0.ownerDeleteGroup("g") },
            { try await $0.ownerDeleteGroup("g", request: RootGuardedOpRequest()) },
            { try await $0.setTeeAdmissionPolicy("g", request: policy) },
            { let _: GetTeeAdmissionPolicyResponseData = try await $0.getTeeAdmissionPolicy("g") },
            { try await $0.setTeeAuthoringPolicy("g", request: SetTeeAuthoringPolicyRequest(allowedMrtd: [])) },
            { try await $0.disableTeeAuthoringPolicy("g") },
            { try await $0.disableTeeAuthoringPolicy("g", request: RootGuardedOpRequest(rootProof: "00")) },
            {
                let _: IssueOwnershipProofResponseData = try await $0.issueOwnershipProof(
                    "g",
                    request: IssueOwnershipProofRequest(
                        audience: "a", contextId: "c", subject: "s", nonce: "n", expiresAtMs: 1))
            },
            { let _: JSONValue = try await $0.issueOwnershipProof("g") },
            { let _: JSONValue = try await $0.issueOwnershipProof("g", request: ["a": 1]) },
            { _ = try await $0.issueOwnershipProof("g") },
            {
                let _: IssueOwnershipProofResponseData = try await $0.issueNamespaceOwnershipProof(
                    "g",
                    request: IssueNamespaceOwnershipProofRequest(
                        audience: "a", subject: "s", nonce: "n", expiresAtMs: 1))
            },
            { let _: JSONValue = try await $0.issueNamespaceOwnershipProof("g") },
            { let _: JSONValue = try await $0.issueNamespaceOwnershipProof("g", request: ["a": 1]) },
            { let _: [AccountDeviceEntry] = try await $0.listAccountDevices() },
            { let _: [AccountApplicationEntry] = try await $0.listAccountApplications() },
            {
                let _: PairDeviceInitResponseData = try await $0.accountPairInit(
                    AccountPairInitRequest(accountRootPublicKey: "r"))
            },
            {
                let _: PairDeviceCompleteResponseData = try await $0.accountPairComplete(
                    AccountPairCompleteRequest(
                        deviceId: "d", kemPublicKey: "e", signPublicKey: "k", statement: "s", confirmationCode: "c"))
            },
            { let _: RelinkDeviceResponseData = try await $0.relinkDevice("d") },
            { let _: RelinkDeviceResponseData = try await $0.relinkDevice("d", request: RelinkDeviceRequest()) },
            {
                let _: RescopeDeviceResponseData = try await $0.rescopeDevice(
                    "d", request: RescopeDeviceRequest(scope: .all))
            },
            {
                let _: LabelDeviceResponseData = try await $0.labelDevice("d", request: LabelDeviceRequest(label: "l"))
            },
            {
                let _: AccountSignWithRootResponseData = try await $0.signWithAccountRoot(
                    AccountSignWithRootRequest(domain: AccountSignWithRootRequest.linkDomain, text: "t"))
            },
            {
                let _: SealedEnvelope = try await $0.sealToAccount(
                    "g", account: "a", request: SealToAccountRequest(plaintext: "00"))
            },
        ]
        #expect(await RefusingClient.count(calls) == calls.count)
    }
}
