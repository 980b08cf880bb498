import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

extension LiveStory {
    static let governance = [
        LiveStory("namespaces", namespaces), LiveStory("joining", joining), LiveStory("groups", groups),
        LiveStory("members", members), LiveStory("settings", settings), LiveStory("upgrades", upgrades),
    ]

    static func namespaces(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let made = try await ada.admin.createNamespace(
            CreateNamespaceRequest(applicationId: LiveWorld.application, name: "home"))
        let id = made.namespaceId
        let founding = try #require(made.founding)
        #expect(founding.founderAccountId == ada.account)
        #expect(try GovernanceOps.foundedNamespaceId(founder: ada.account, salt: founding.salt) == id)
        let row = try await ada.admin.getNamespace(id)
        #expect(row.name == "home" && row.memberCount == 1 && row.founding == founding && row.appVersion == "1.0.0")
        #expect(row.createdAt > 1_600_000_000 && row.targetApplicationId == LiveWorld.application)
        #expect(try await ada.admin.listNamespaces().map(\.namespaceId) == [id])
        #expect(try await ada.admin.listNamespaces(offset: 1, limit: 5).isEmpty)
        #expect(try await ada.admin.listNamespacesForApplication(LiveWorld.application).count == 1)
        #expect(try await ada.admin.listNamespacesForApplication(unknown).isEmpty)
        let room = try await ada.admin.createGroupInNamespace(id, request: .init(groupName: "room")).groupId
        #expect(try await ada.admin.listNamespaceGroups(id).map(\.groupId) == [room])
        #expect(try await ada.admin.listNamespaceGroups(id).first?.name == "room")

        await refused(400, "applicationId") {
            _ = try await ada.admin.createNamespace(CreateNamespaceRequest(applicationId: "x"))
        }
        await refused(400, "Invalid appKey") {
            _ = try await ada.admin.createNamespace(
                CreateNamespaceRequest(applicationId: LiveWorld.application, appKey: "x"))
        }
        await refused(404) { _ = try await ada.admin.createNamespace(CreateNamespaceRequest(applicationId: unknown)) }
        await refused(400, "Invalid group id format") { _ = try await ada.admin.getNamespace("x") }
        await refused(404) { _ = try await ada.admin.getNamespace(unknown) }
        await refused(404) { _ = try await ada.admin.getNamespace(room) }
        let shared = try await world.shared()
        for (group, status) in [(shared, 403), (unknown, 404), ("x", 400)] {
            await refused(status) { _ = try await bob.admin.createGroupInNamespace(group) }
            await refused(status) { _ = try await bob.admin.createNamespaceInvitation(group) }
            await refused(status) { _ = try await bob.admin.deleteNamespace(group) }
        }
        await refused(422) {
            _ = try await ada.admin.createGroupInNamespace(id, request: .init(visibility: "odd"))
        }
        await refused(400, "must reference a root") { try await ada.admin.leaveNamespace(room) }
        await refused(403, "owner") { try await ada.admin.leaveNamespace(id) }
        await refused(404) { try await ada.admin.leaveNamespace(unknown) }
        try await bob.admin.leaveNamespace(shared)
        #expect(ada.node.members(group: shared)?[bob.account] == nil)
        #expect(try await ada.admin.deleteNamespace(id).isDeleted)
        await refused(404) { _ = try await ada.admin.getNamespace(id) }
        await refused(404) { _ = try await ada.admin.getGroupInfo(room) }
    }

    static func joining(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let id = try await world.namespace(named: "home")
        let room = try await ada.admin.createGroupInNamespace(id, request: .init(groupName: "room")).groupId
        func join(
            _ invitation: SignedGroupOpenInvitation, _ namespace: String
        ) async throws -> JoinNamespaceResponseData {
            try await bob.admin.joinNamespace(namespace, request: JoinNamespaceRequest(invitation: invitation))
        }
        let invitation = try await world.invitation(to: id)
        #expect(invitation.inviterAccount == ada.account && invitation.invitation.invitedRole == 1)
        #expect(invitation.invitation.admitters == [ada.account])
        let now = Int(Date().timeIntervalSince1970)
        #expect((now...(now + 86_400 + 60)).contains(invitation.invitation.expirationTimestamp))
        await refused(400, "does not match") { _ = try await join(invitation, room) }
        var edited = invitation
        edited.invitation.expirationTimestamp += 1
        await refused(400, "invalid invitation") { _ = try await join(edited, id) }
        world.network.isolate(bob.node)
        await refused(504) { _ = try await join(invitation, id) }
        await refused(504) { _ = try await bob.admin.joinGroup(JoinGroupRequest(invitation: invitation)) }
        world.network.heal()
        world.network.setKeyDelivery(false)
        await refused(503, "key delivery") { _ = try await join(invitation, id) }
        await refused(503) { _ = try await bob.admin.joinGroup(JoinGroupRequest(invitation: invitation)) }
        world.network.setKeyDelivery(true)
        let joined = try await join(invitation, id)
        #expect(joined.namespaceId == id && joined.memberAccount == bob.account)
        #expect(joined.memberIdentity == bob.node.nodeKey)
        #expect(try await bob.admin.listNamespaces().map(\.namespaceId) == [id])
        // To a room of it, the old way.
        guard case .single(let toRoom) = try await ada.admin.createGroupInvitation(room) else {
            return #expect(Bool(false), "not a single invitation")
        }
        #expect(toRoom.groupName == "room")
        let inRoom = try await bob.admin.joinGroup(JoinGroupRequest(invitation: toRoom.invitation))
        #expect(inRoom.groupId == room && inRoom.memberAccount == bob.account)
        guard
            case .recursive(let all) = try await ada.admin.createNamespaceInvitation(
                id, request: CreateNamespaceInvitationRequest(recursive: true))
        else { return #expect(Bool(false), "not for all groups") }
        #expect(Set(all.invitations.map(\.groupId)) == [id, room])
        // An invitation that was used does not let one in again, nor one in who was removed.
        try await bob.admin.leaveNamespace(id)
        await refused(409) { _ = try await join(invitation, id) }
        await refused(409) { _ = try await bob.admin.joinGroup(JoinGroupRequest(invitation: toRoom.invitation)) }
        await refused(400, "does not match") {
            _ = try await bob.admin.joinNamespace(
                LiveWorld.unknown, request: JoinNamespaceRequest(invitation: invitation))
        }
        var unsigned = toRoom.invitation
        unsigned.inviterSignature = String(repeating: "00", count: 64)
        await refused(400) { _ = try await bob.admin.joinGroup(JoinGroupRequest(invitation: unsigned)) }
        for (group, status) in [(room, 403), (LiveWorld.unknown, 404), ("x", 400)] {
            await refused(status) { _ = try await bob.admin.createGroupInvitation(group) }
        }
        try await admitting(world, id, try await world.invitation(to: id))
    }

    /// Somebody without a node, let in by ada's.
    private static func admitting(
        _ world: LiveWorld, _ id: String, _ invitation: SignedGroupOpenInvitation
    ) async throws {
        let cleo = try DevAccount()
        let op = try NamespaceOps.signMemberJoinOp(
            namespaceId: id, invitation: invitation, account: cleo.accountId, credential: cleo.credential,
            keys: cleo.keys, nonce: 1, joinedAt: UInt64(Date().timeIntervalSince1970))
        let request = AdmitJoinRequest(invitation: invitation, signedOp: op)
        await refused(400, "hex") {
            _ = try await world.ada.admin.admitJoin(
                id, request: AdmitJoinRequest(invitation: invitation, signedOp: "zz"))
        }
        await refused(403) { _ = try await world.bob.admin.admitJoin(id, request: request) }
        #expect(try await world.ada.admin.admitJoin(id, request: request).published)
        #expect(world.ada.node.members(group: id)?[cleo.accountId] == .member)
    }

    static func groups(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let id = try await world.shared()
        let other = try await world.namespace(named: "other")
        let closed = try await ada.admin.createGroup(
            CreateGroupRequest(applicationId: LiveWorld.application, name: "closed", parentGroupId: id)
        ).groupId
        let byHand = try await ada.admin.createGroup(["applicationId": .string(LiveWorld.application)]).groupId
        #expect(try await ada.admin.getNamespace(byHand).memberCount == 1)
        let open = try await ada.admin.createGroupInNamespace(
            id, request: .init(groupName: "open", visibility: "open")
        ).groupId
        let info = try await ada.admin.getGroupInfo(closed)
        #expect(info.namespaceId == id && info.metadata?.name == "closed" && info.ownerOpCounter == 0)
        #expect(info.subgroupVisibility == "restricted" && info.memberCount == 1 && info.activeUpgrade == nil)
        #expect(try await ada.admin.getSubgroupVisibility(open) == "open")
        #expect(try await Set(ada.admin.listSubgroups(id).map(\.groupId)) == [closed, open])
        let context = try await world.context(in: open, name: "lobby")
        #expect(try await ada.admin.listGroupContexts(open).map(\.name) == ["lobby"])
        #expect(try await ada.admin.listGroupContexts(open, offset: 1, limit: 1).isEmpty)
        let synced = try await bob.admin.syncGroup(id)
        #expect(synced.groupId == id && synced.memberCount == 2)
        // bob belongs to the open one by inheritance, then directly.
        await refused(409, "inheritance") { try await bob.admin.leaveGroup(open) }
        #expect(try await bob.admin.joinSubgroupInheritance(open).wasInherited)
        #expect(try await bob.admin.joinSubgroupInheritance(open).wasInherited == false)
        try await bob.admin.leaveGroup(open)
        await refused(403, "may not join") { _ = try await bob.admin.joinSubgroupInheritance(closed) }
        await refused(404) { _ = try await bob.admin.joinSubgroupInheritance(unknown) }
        await refused(400, "/leave") { try await bob.admin.leaveGroup(id) }
        await refused(403, "owner") { try await ada.admin.leaveGroup(closed) }

        func move(_ group: String, _ parent: String, by who: LiveNode = ada) async throws -> Bool {
            try await who.admin.reparentGroup(group, request: ReparentGroupRequest(newParentId: parent)).reparented
        }
        #expect(try await move(closed, open))
        #expect(try await ada.admin.listSubgroups(open).map(\.groupId) == [closed])
        #expect(try await move(closed, open) == false)
        await refused(409, "cycle") { _ = try await move(open, closed) }
        await refused(400, "own parent") { _ = try await move(open, open) }
        await refused(400) { _ = try await move(open, other) }
        await refused(400) { _ = try await move(open, "x") }
        await refused(404) { _ = try await move(open, unknown) }
        await refused(403) { _ = try await move(open, id, by: bob) }

        await refused(404) {
            try await ada.admin.detachContextFromGroup(open, contextId: unknown)
        }
        await refused(403) { try await bob.admin.detachContextFromGroup(open, contextId: context) }
        try await ada.admin.detachContextFromGroup(open, contextId: context)
        #expect(try await ada.admin.getContextGroup(context) == nil)
        await refused(403, "not a member") { _ = try await bob.admin.getGroupInfo(closed) }
        await refused(403) { _ = try await bob.admin.listGroupMembers(closed) }
        await refused(403) { _ = try await bob.admin.listMemberDevices(closed) }
        await refused(403) { _ = try await bob.admin.listGroupContexts(closed) }
        await refused(403) { _ = try await bob.admin.listSubgroups(closed) }
        await refused(403) { _ = try await bob.admin.syncGroup(closed) }
        await refused(400, "Invalid group id: must be exactly") { _ = try await ada.admin.getGroupInfo("00") }
        await refused(404) { _ = try await ada.admin.getGroupInfo(unknown) }
        await refused(404) { _ = try await ada.admin.listGroupMembers(unknown) }
        await refused(404) { _ = try await ada.admin.listMemberDevices(unknown) }
        await refused(404) { _ = try await ada.admin.listGroupContexts(unknown) }
        await refused(404) { _ = try await ada.admin.listSubgroups(unknown) }
        await refused(404) { _ = try await ada.admin.syncGroup(unknown) }
        func create(_ request: [String: JSONValue], by who: LiveNode = ada) async throws {
            _ = try await who.admin.createGroup(request)
        }
        let application = JSONValue.string(LiveWorld.application)
        await refused(400, "unknown field") {
            try await create(["applicationId": application, "groupId": .string(unknown)])
        }
        await refused(404) { try await create(["applicationId": .string(unknown)]) }
        await refused(404) { try await create(["applicationId": application, "parentGroupId": .string(unknown)]) }
        await refused(403) { try await create(["applicationId": application, "parentGroupId": .string(id)], by: bob) }
        await refused(400, "not deleted as a group") { _ = try await ada.admin.deleteGroup(id) }
        await refused(404) { _ = try await ada.admin.deleteGroup(unknown) }
        await refused(403) { _ = try await bob.admin.deleteGroup(open) }
        #expect(try await ada.admin.deleteGroup(open).isDeleted)
        await refused(404) { _ = try await ada.admin.getGroupInfo(closed) }
    }

    static func members(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let id = try await world.shared()
        let cleo = try DevAccount()
        try await world.add(cleo, to: id)
        let list = try await ada.admin.listGroupMembers(id)
        #expect(list.selfIdentity == nil && list.data == nil)
        let roles = Dictionary(list.members.map { ($0.identity, $0.role) }, uniquingKeysWith: { $1 })
        #expect(roles == [ada.account: "Admin", bob.account: "Member", cleo.accountId: "Member"])
        #expect(try await ada.admin.listGroupMembers(id, offset: 2, limit: 5).members.count == 1)
        let devices = try await ada.admin.listMemberDevices(id)
        #expect(devices.first { $0.account == bob.account }?.devices.map(\.signingKey) == [bob.node.nodeKey])
        #expect(try await bob.admin.listGroupMemberDevices(id).map(\.account) == [bob.account], "only itself")
        #expect(try await bob.admin.listGroupMemberDevices(id, offset: 1, limit: 1).isEmpty)
        func setRole(_ role: String, _ account: String, by who: LiveNode = ada) async throws {
            try await who.admin.updateMemberRole(id, identity: account, request: UpdateMemberRoleRequest(role: role))
        }
        try await setRole("ReadOnly", cleo.accountId)
        #expect(ada.node.members(group: id)?[cleo.accountId] == .readOnly)
        await refused(400, "TEE roles") { try await setRole("RelayTee", cleo.accountId) }
        await refused(400) { try await setRole("admin", cleo.accountId) }
        await refused(403) { try await setRole("Member", cleo.accountId, by: bob) }
        await refused(404) { try await setRole("Member", unknown) }
        await refused(409, "last admin") { try await setRole("Member", ada.account) }
        let follows: [String: JSONValue] = ["autoFollowContexts": false, "autoFollowSubgroups": true]
        try await bob.admin.setMemberAutoFollow(id, identity: bob.account, request: follows)
        await refused(403) { try await bob.admin.setMemberAutoFollow(id, identity: cleo.accountId, request: follows) }
        await refused(404) { try await ada.admin.setMemberAutoFollow(id, identity: unknown, request: follows) }
        await refused(400, "missing field") {
            try await ada.admin.setMemberAutoFollow(id, identity: bob.account, request: ["autoFollowContexts": true])
        }
        func add(_ account: String, _ role: String, to group: String = id, by who: LiveNode = ada) async throws {
            try await who.admin.addGroupMembers(
                group, request: AddGroupMembersRequest(members: [GroupMemberInput(identity: account, role: role)]))
        }
        await refused(400, "TEE roles") { try await add(unknown, "ReadOnlyTee") }
        await refused(400, "'members' is required") {
            try await ada.admin.addGroupMembers(id, request: AddGroupMembersRequest(members: []))
        }
        await refused(403) { try await add(unknown, "Member", by: bob) }
        await refused(404) { try await add(unknown, "Member", to: unknown) }
        func remove(_ account: String, from group: String = id, by who: LiveNode = ada) async throws {
            try await who.admin.removeGroupMembers(group, request: RemoveGroupMembersRequest(members: [account]))
        }
        await refused(400, "'members' is required") {
            try await ada.admin.removeGroupMembers(id, request: RemoveGroupMembersRequest(members: []))
        }
        await refused(403, "owner") { try await remove(ada.account) }
        await refused(403) { try await remove(cleo.accountId, by: bob) }
        await refused(404) { try await remove(unknown) }
        // The last admin of a room that somebody else owns.
        let room = try await ada.admin.createGroupInNamespace(id).groupId
        try await add(bob.account, "Admin", to: room)
        try await ada.admin.transferOwnership(room, request: TransferOwnershipRequest(newOwner: bob.account))
        await refused(409, "still owns") { try await remove(bob.account) }
        try await bob.admin.updateMemberRole(
            room, identity: ada.account, request: UpdateMemberRoleRequest(role: "Member"))
        #expect(ada.node.members(group: room)?[ada.account] == .member)
        try await remove(cleo.accountId)
        #expect(ada.node.members(group: id)?[cleo.accountId] == nil)
    }

    static func settings(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let id = try await world.shared()
        let room = try await ada.admin.createGroupInNamespace(id).groupId
        let context = try await world.context(in: id)
        func mask(_ account: String) async throws -> Int {
            let held = try await ada.admin.getMemberCapabilities(id, identity: account)
            return held.capabilities
        }
        try await ada.admin.setMemberCapabilities(
            id, identity: bob.account, request: SetMemberCapabilitiesRequest(capabilities: 519))
        #expect(try await mask(bob.account) == 519)
        let granted = try await ada.admin.grantAuthorship(id, account: bob.account)
        #expect(granted == DelegatedExecutionChange(changed: false, capabilities: 519))
        await refused(404) { _ = try await mask(unknown) }
        await refused(400) { _ = try await mask("x") }
        func set(_ who: LiveNode, _ group: String, _ account: String) async throws {
            try await who.admin.setMemberCapabilities(
                group, identity: account, request: SetMemberCapabilitiesRequest(capabilities: 1))
        }
        await refused(403) { try await set(bob, id, ada.account) }
        await refused(404) { try await set(ada, id, unknown) }
        await refused(400, "Invalid account format") { try await set(ada, id, "x") }
        try await ada.admin.setDefaultCapabilities(id, request: .init(defaultCapabilities: 231))
        #expect(try await ada.admin.getDefaultCapabilities(id) == 231)
        #expect(try await ada.admin.openToDelegatedExecution(id).capabilities == 743)
        await refused(403) { try await bob.admin.setDefaultCapabilities(id, request: .init(defaultCapabilities: 1)) }
        await refused(404) {
            try await ada.admin.setDefaultCapabilities(unknown, request: .init(defaultCapabilities: 1))
        }
        func show(_ word: String, _ group: String, by who: LiveNode = ada) async throws {
            try await who.admin.setSubgroupVisibility(group, request: .init(subgroupVisibility: word))
        }
        try await show("open", room)
        #expect(try await bob.admin.getSubgroupVisibility(room) == "open")
        await refused(400, "must be 'open' or 'restricted'") { try await show("hidden", room) }
        await refused(403) { try await show("restricted", room, by: bob) }
        await refused(404) { try await show("open", unknown) }
        // Metadata: three records of the same kind.
        let ways = [
            MetadataWay(
                set: { try await $0.admin.setGroupMetadata($1, request: $2) },
                get: { try await ada.admin.getGroupMetadata($0) }),
            MetadataWay(
                set: { try await $0.admin.setMemberMetadata($1, identity: ada.account, request: $2) },
                get: { try await ada.admin.getMemberMetadata($0, identity: ada.account) }),
            MetadataWay(
                set: { try await $0.admin.setContextMetadata($1, contextId: context, request: $2) },
                get: { try await ada.admin.getContextMetadata($0, contextId: context) }),
        ]
        for (index, way) in ways.enumerated() {
            if index > 0 { #expect(try await way.get(id) == nil) }
            try await way.set(ada, id, SetMetadataRequest(name: "n", data: ["k/é": "v"]))
            try await way.set(ada, id, SetMetadataRequest(data: ["k": "w"]))
            let record = try #require(try await way.get(id))
            #expect(record.name == "n" && record.data == ["k": "w"] && record.updatedBy == ada.node.nodeKey)
            #expect(record.updatedAt > 1_600_000_000_000)
            await refused(400, "metadata") { try await way.set(ada, id, SetMetadataRequest(name: "")) }
            await refused(400, "metadata") {
                try await way.set(ada, id, SetMetadataRequest(data: ["k": String(repeating: "x", count: 4097)]))
            }
            await refused(403) { try await way.set(bob, id, SetMetadataRequest(name: "m")) }
            await refused(404) { try await way.set(ada, unknown, SetMetadataRequest(name: "m")) }
        }
    }

    private struct MetadataWay {
        let set: (LiveNode, String, SetMetadataRequest) async throws -> Void
        let get: (String) async throws -> MetadataRecord?
    }
}
