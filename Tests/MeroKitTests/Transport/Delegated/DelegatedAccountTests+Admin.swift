import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// What a delegated account administers through its relay.
extension DelegatedAccountTests {
    // MARK: Admin

    @Test func listsWhatTheAccountMaySee() async throws {
        let fixture = try await RelayNodeFixture.start()
        _ = try fixture.node.createNamespace()
        let second = try await RelayNodeFixture.start()
        let map = RelayMap()
        try second.node.addMember(fixture.ada.accountId, group: second.namespace)
        map.learn(namespace: second.namespace, relay: second.node.url.absoluteString)
        map.learn(namespace: String(repeating: "ee", count: 32), relay: "http://127.0.0.1:1")
        let account = try Self.account(fixture, map: map)
        #expect(
            try await Set(account.admin.listNamespaces().map(\.namespaceId)) == [fixture.namespace, second.namespace])
        let application = DevNode.applicationId(of: KeyValueContract())
        #expect(try await account.admin.listNamespacesForApplication(application.uppercased()).count == 2)
        #expect(try await account.admin.listNamespacesForApplication(RelayRig.group).isEmpty)
        #expect(
            try await Set(account.admin.getContextsForApplication(application.uppercased()).contexts.map(\.id))
                == [fixture.keyValue, second.keyValue])
        #expect(
            try await Set(account.admin.getContexts().contexts.map(\.id))
                == [fixture.keyValue, fixture.probe, second.keyValue, second.probe])
        #expect(
            map.relay(ofContext: second.probe).map(RelayOrigin.trimmed)
                == RelayOrigin.trimmed(second.node.url.absoluteString))
        #expect(try await account.admin.getContextIdentitiesOwned(fixture.probe).identities == [fixture.ada.accountId])
        // Changes to a namespace go to the relay that serves it.
        try await account.admin.leaveNamespace(second.namespace)
        #expect(second.node.members(group: second.namespace)?[fixture.ada.accountId] == nil)
        await second.stop()
        await fixture.stop()
    }

    /// A node tells of a hundred rows at most, and does not say that there are more.
    @Test func listsMoreThanOnePage() async throws {
        let fixture = try await RelayNodeFixture.start()
        let more = try (0..<205).map { _ in
            try fixture.node.createContext(KeyValueContract(), inGroup: fixture.namespace)
        }
        let contexts = try await Self.account(fixture).admin.getContexts().contexts.map(\.id)
        #expect(contexts.count == 207 && Set(contexts).isSuperset(of: more))
        await fixture.stop()
    }

    /// From founding to a private context: every change is a warrant that the relay carries out.
    @Test func foundsAndGoverns() async throws {
        let fixture = try await RelayNodeFixture.start()
        let account = try Self.account(fixture)
        let admin = account.admin
        let bob = try DevAccount()
        let application = FoundingApplication(
            applicationId: DevNode.applicationId(of: KeyValueContract()), package: "kv-store", version: "1.0.0")
        let founding = try await admin.createNamespace(
            application: application, name: "home", executorAccount: fixture.node.accountId)
        let namespace = founding.namespace.namespaceId
        #expect(founding.nameError == nil && founding.hostingError == nil && founding.namespace.applicationSet == true)
        #expect(fixture.node.name(ofGroup: namespace) == "home")
        #expect(account.map.relay(ofNamespace: namespace) != nil)
        try await admin.addGroupMembers(
            namespace,
            request: AddGroupMembersRequest(members: [GroupMemberInput(identity: bob.accountId, role: "Member")]))
        try await admin.updateMemberRole(
            namespace, identity: bob.accountId, request: UpdateMemberRoleRequest(role: "ReadOnly"))
        #expect(fixture.node.members(group: namespace)?[bob.accountId] == .readOnly)
        try await admin.setMemberCapabilities(
            namespace, identity: bob.accountId, request: SetMemberCapabilitiesRequest(capabilities: 3))
        #expect(fixture.node.capabilities(of: bob.accountId, group: namespace) == 3)
        try await admin.setDefaultCapabilities(
            namespace, request: SetDefaultCapabilitiesRequest(defaultCapabilities: 7))
        try await admin.setGroupMetadata(namespace, request: SetGroupMetadataRequest(name: "house"))
        #expect(fixture.node.name(ofGroup: namespace) == "house")
        try await admin.setMemberMetadata(
            namespace, identity: bob.accountId, request: SetMemberMetadataRequest(name: "Bob"))
        try await admin.removeGroupMembers(namespace, request: RemoveGroupMembersRequest(members: [bob.accountId]))
        #expect(fixture.node.members(group: namespace)?[bob.accountId] == nil)
        // Subgroups are restricted unless told otherwise.
        let closed = try await admin.createGroupInNamespace(namespace).groupId
        let open = try await admin.createGroupInNamespace(
            namespace, request: CreateGroupInNamespaceRequest(groupName: "open one", visibility: "open")
        ).groupId
        #expect(
            Set(fixture.node.subgroups(of: namespace)) == [closed, open]
                && fixture.node.name(ofGroup: open) == "open one")
        try await admin.setSubgroupVisibility(closed, request: SetSubgroupVisibilityRequest(subgroupVisibility: "open"))
        #expect(try await admin.joinSubgroupInheritance(closed).wasInherited == false)
        #expect(try await admin.reparentGroup(open, request: ReparentGroupRequest(newParentId: closed)).reparented)
        #expect(fixture.node.subgroups(of: closed) == [open])
        #expect(try await admin.deleteGroup(closed).isDeleted)
        #expect(fixture.node.subgroups(of: namespace).isEmpty)
        let made = try await admin.createContext(
            CreateContextRequest(applicationId: application.applicationId, groupId: namespace, name: "notes"))
        #expect(
            made.memberPublicKey == fixture.ada.accountId
                && fixture.node.contexts(ofGroup: namespace) == [made.contextId])
        try await admin.setContextMetadata(
            namespace, contextId: made.contextId, request: SetContextMetadataRequest(name: "renamed"))
        let secret = try await admin.createPrivateContext(
            namespaceId: namespace, applicationId: application.applicationId, members: [bob.accountId], name: "secret")
        #expect(fixture.node.members(group: secret.groupId)?[bob.accountId] == .member)
        #expect(fixture.node.subgroups(of: namespace) == [secret.groupId])
        let client = try #require(try account.client())
        let _: Empty = try await client.rpc.execute(
            contextId: secret.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
        #expect(fixture.node.contextState(secret.contextId)?["k"] == "v")
        try await admin.detachContextFromGroup(namespace, contextId: made.contextId)
        #expect(fixture.node.contexts(ofGroup: namespace) == [])
        // Everything here went out as a warrant: no change was asked of the admin API.
        let changes = fixture.node.requests.filter { request in
            !["GET", "HEAD"].contains(request.method) && !request.path.hasSuffix("-intents")
                && !request.path.hasSuffix("/intents") && !request.path.hasSuffix("/query")
        }
        #expect(Set(changes.map(\.path)).isSubset(of: ["/auth/token", "/admin-api/tee/attest"]))
        for bad in [
            await failure(of: {
                try await admin.setDefaultCapabilities(namespace, request: .init(defaultCapabilities: 512))
            }),
            await failure(of: {
                try await admin.setDefaultCapabilities(namespace, request: .init(defaultCapabilities: -1))
            }),
            await failure(of: {
                _ = try await admin.createGroupInNamespace(namespace, request: .init(visibility: "odd"))
            }),
        ] {
            guard case AccountError.invalidInput? = bad else {
                Issue.record("\(String(describing: bad))")
                continue
            }
        }
        account.close()
        await fixture.stop()
    }

    /// Invited by one account, joined by another that has no relay yet.
    @Test func invitesAndJoins() async throws {
        let fixture = try await RelayNodeFixture.start()
        let account = try Self.account(fixture)
        let application = FoundingApplication(
            applicationId: DevNode.applicationId(of: KeyValueContract()), package: "kv-store", version: "1.0.0")
        let namespace = try await account.admin.createNamespace(
            application: application, executorAccount: fixture.node.accountId
        ).namespace.namespaceId
        let engine = ScriptedEngine { _, _ in .status(200, [:], #"{"admitters":[],"servable":false,"writable":false}"#)
        }
        let cloud = CloudClient(
            baseURL: try #require(URL(string: "https://cloud.example")), routingCredential: nil, engine: engine)
        let inviting = try Self.account(fixture, map: account.map, cloud: cloud)
        let invitation = try await inviting.admin.createNamespaceInvitation(
            namespace, applicationId: application.applicationId)
        // The cloud routes it to nobody: the relay itself is named as the way in.
        #expect(invitation.admitterAddrs == [RelayOrigin.trimmed(fixture.node.url.absoluteString)])
        #expect(invitation.invitation.admitters == [fixture.node.accountId])
        let bob = try DevAccount()
        let moved = Locked<DelegatedSession?>(nil)
        let joining = try DelegatedAccount(
            session: Self.session(bob), keys: bob.keys, nonces: MemoryWarrantNonceStore(), audience: .cli,
            onSessionChange: { session in moved.withLock { $0 = session } })
        let outcome = try await joining.admin.joinNamespace(
            namespace, request: JoinNamespaceRequest(invitation: invitation))
        #expect(outcome.published && joining.session.relayURL == outcome.relayUrl)
        #expect(moved.withLock { $0?.relayURL } == outcome.relayUrl)
        #expect(joining.map.relay(ofNamespace: namespace) == outcome.relayUrl)
        #expect(try await joining.admin.listNamespaces().map(\.namespaceId) == [namespace])
        // Nobody can honour an invitation that names none of the nodes that serve.
        let elsewhere = ScriptedEngine { _, _ in
            .status(
                200, [:],
                #"{"admitters":[{"account":"\#(RelayRig.executor)","relay_url":"https://x"}],"servable":true}"#)
        }
        let strange = try Self.account(
            fixture, map: account.map,
            cloud: CloudClient(
                baseURL: try #require(URL(string: "https://cloud.example")), routingCredential: nil, engine: elsewhere))
        let error = await failure(of: { try await strange.admin.createNamespaceInvitation(namespace) })
        #expect(error as? AccountError == .invitationNotClaimable(namespaceId: namespace, reason: "no-named-node"))
        await fixture.stop()
    }
}
