import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

extension LiveStory {
    static func contexts(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let namespace = try await world.shared()
        let made = try await ada.admin.createContext(
            CreateContextRequest(
                applicationId: LiveWorld.application, groupId: namespace,
                contextSeed: String(repeating: "0d", count: 32), name: "lobby"))
        let id = made.contextId
        #expect(made.groupId == namespace && made.groupCreated == false && Hex.is32(made.memberPublicKey))
        let listed = try #require(try await ada.admin.getContexts().contexts.first { $0.id == id })
        #expect(listed.groupId == namespace && listed.applicationId == LiveWorld.application)
        #expect(try await ada.admin.getContexts(offset: 1, limit: 10).contexts.isEmpty)
        let one = try await ada.admin.getContext(id)
        #expect(one.id == id && one.name == "lobby" && Hex.is32(one.contextStateHash))
        #expect(try await ada.admin.getContextsForApplication(LiveWorld.application).contexts.map(\.id) == [id])
        #expect(try await ada.admin.getContextsForApplication(LiveWorld.unknown).contexts.isEmpty)
        let executors = try await ada.admin.getContextsWithExecutorsForApplication(LiveWorld.application)
        #expect(executors.map(\.contextId) == [id] && executors[0].executors == [made.memberPublicKey])
        let everyone = try await ada.admin.getContextIdentities(id)
        #expect(everyone.identitiesOf == .members && everyone.identities.contains(made.memberPublicKey))
        let own = try await ada.admin.getContextIdentitiesOwned(id)
        #expect(own.identitiesOf == .node && own.identities == [made.memberPublicKey])
        #expect(try await ada.admin.getContextGroup(id) == namespace)
        #expect(try await ada.admin.getContextStorage(id).sizeInBytes >= 0)
        #expect(try await ada.admin.getContextStorage(LiveWorld.unknown).sizeInBytes == 0)
        let fresh = try await ada.admin.generateContextIdentity().publicKey
        #expect(Hex.is32(fresh) && fresh != made.memberPublicKey)
        // The other node leaves, hears nothing, comes back, and knows what it missed.
        try await bob.admin.leaveContext(id)
        #expect(bob.node.contextState(id) == nil)
        let joined = try await bob.admin.joinContext(id)
        #expect(joined.contextId == id && Hex.is32(joined.memberPublicKey))
        #expect(bob.node.contextState(id) == [:])
        try await bob.admin.syncContext(id)
        try await bob.admin.syncContext()
        #expect(try await bob.admin.syncGroupContexts(namespace).map(\.contextId) == [id])
        #expect(try await ada.admin.resyncContext(id, request: ResyncContextRequest(force: true)).resyncStarted)
        try ada.node.applications.install(ProbeContract(), package: "com.example.probe")
        let probe = try #require(ada.node.applications.ids.last)
        try await ada.admin.updateContextApplication(
            id,
            request: UpdateContextApplicationRequest(applicationId: probe, executorPublicKey: made.memberPublicKey))
        #expect(try await ada.admin.getContext(id).applicationId == probe)
        #expect(try await ada.admin.deleteContext(id).isDeleted)
        await refused(404, "Context not found") { _ = try await ada.admin.getContext(id) }
    }

    static func contextsRefused(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let namespace = try await world.shared()
        let unknown = LiveWorld.unknown
        func create(
            _ group: String, application: String = LiveWorld.application, seed: String? = nil, secret: String? = nil,
            by who: LiveNode
        ) async throws -> CreateContextResponseData {
            try await who.admin.createContext(
                CreateContextRequest(
                    applicationId: application, groupId: group, contextSeed: seed, identitySecret: secret))
        }
        await refused(400, "Invalid group_id: expected hex-encoded") { _ = try await create("zz", by: ada) }
        await refused(400, "Invalid group_id: must be exactly") { _ = try await create("00", by: ada) }
        await refused(400, "Invalid identity_secret") { _ = try await create(namespace, secret: "0", by: ada) }
        await refused(403) { _ = try await create(namespace, by: bob) }
        await refused(404) { _ = try await create(unknown, by: ada) }
        await refused(404, "Application not found") {
            _ = try await create(namespace, application: unknown, by: ada)
        }
        let id = try await create(namespace, seed: unknown, by: ada).contextId
        await refused(409, "seed") { _ = try await create(namespace, seed: unknown, by: ada) }
        ada.node.setReadiness(.starting)
        await refused(503, "not ready") { _ = try await create(namespace, by: ada) }
        ada.node.setReadiness(.ready)
        await refused(400) { _ = try await ada.admin.getContext("x") }
        await refused(400, "Invalid context id") { _ = try await ada.admin.deleteContext("x") }
        await refused(404) { _ = try await ada.admin.deleteContext(unknown) }
        await refused(400, "Invalid context ID format") { _ = try await ada.admin.getContextStorage("x") }
        await refused(404) { _ = try await ada.admin.getContextIdentities(unknown) }
        await refused(404) { _ = try await ada.admin.getContextIdentitiesOwned(unknown) }
        await refused(404) { try await ada.admin.leaveContext(unknown) }
        await refused(404) { try await ada.admin.syncContext(unknown) }
        await refused(404) { _ = try await ada.admin.resyncContext(unknown) }
        await refused(409, "resync refused") { _ = try await ada.admin.resyncContext(id) }
        func run(_ application: String, _ key: String, in context: String) async throws {
            try await ada.admin.updateContextApplication(
                context, request: UpdateContextApplicationRequest(applicationId: application, executorPublicKey: key))
        }
        await refused(400) { try await run("x", unknown, in: id) }
        await refused(403) { try await run(LiveWorld.application, unknown, in: id) }
        await refused(404) { try await run(unknown, unknown, in: id) }
        // Joining.
        await refused(404) { _ = try await ada.admin.joinContext(unknown) }
        try await bob.admin.setMemberAutoFollow(
            namespace, identity: bob.account,
            request: ["autoFollowContexts": false, "autoFollowSubgroups": false])
        let later = try await create(namespace, by: ada).contextId
        #expect(bob.node.contextState(later) == nil)
        world.network.isolate(bob.node)
        await refused(503, "reached") { _ = try await bob.admin.joinContext(later) }
        world.network.heal()
        #expect(try await bob.admin.joinContext(later).contextId == later)
        try await ada.admin.removeGroupMembers(
            namespace, request: RemoveGroupMembersRequest(members: [bob.account]))
        await refused(403) { _ = try await bob.admin.joinContext(id) }
    }
}
