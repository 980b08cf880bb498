import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

extension LiveStory {
    static let delegatedStories = [
        LiveStory("for an account", isRelay: true, delegated),
        LiveStory("an account's presence", isRelay: true, presence),
    ]

    /// A member without a node, what it may sign, and its session.
    private struct Author {
        let account: DevAccount
        let namespace: String
        let context: String
        let relay: AdminApi
        let session: AdminApi

        /// The node's account serves the namespace for its members.
        init(_ world: LiveWorld) async throws {
            let node = world.ada.node
            account = try DevAccount()
            namespace = try node.createNamespace(
                members: [account.accountId: .member], memberCapabilities: 231, contract: KeyValueContract())
            context = try node.createContext(KeyValueContract(), inGroup: namespace)
            // Where the warrant is the credential, nothing else is shown.
            relay = try LiveNode.admin(of: node, token: nil)
            let token = try await RelayLogin.login(
                relayURL: node.url.absoluteString, nodeKey: node.nodeKey, credential: account.credential,
                keys: account.keys, audience: .cli
            ).accessToken
            session = try LiveNode.admin(of: node, token: token)
        }

        var soon: UInt64 { UInt64(Date().timeIntervalSince1970) + 120 }

        func write(
            _ method: String, _ args: JSONValue, nonce: UInt64, about told: IntentRelayInfo, sent: JSONValue? = nil
        ) async throws -> PerformIntentResponseData {
            let warrant = try Warrants.signWarrant(
                Warrants.WarrantInput(
                    context: context, authorAccount: account.accountId, executor: told.executorAccount,
                    executorKey: told.executorKey, releaseBytecodeId: told.releaseBytecodeId,
                    releaseVersion: told.releaseVersion, method: method, argsJson: args, nonce: nonce, notAfter: soon),
                keys: account.keys)
            return try await relay.performIntent(
                context,
                request: PerformIntentRequest(
                    method: method, argsJson: sent ?? args, warrant: warrant, authorProof: account.credential))
        }

        func govern(_ op: Warrants.GovernanceOp, nonce: UInt64, by told: GovernanceIntentRelayInfo) async throws
            -> GovernanceIntentResponseData
        {
            let warrant = try Warrants.signGovernanceWarrant(
                Warrants.GovernanceInput(
                    scope: namespace, op: op, authorAccount: account.accountId, executor: told.executorAccount,
                    executorKey: told.executorKey, nonce: nonce, notAfter: soon),
                keys: account.keys)
            return try await relay.governanceIntent(
                namespace,
                request: GovernanceIntentRequest(
                    warrant: warrant, authorProof: account.credential, op: Hex.encode(op.bytes)))
        }

        func create(nonce: UInt64, by told: ContextIntentRelayInfo, application: String) async throws
            -> CreateContextIntentResponseData
        {
            let warrant = try Warrants.signCreationWarrant(
                Warrants.CreationInput(
                    group: namespace, authorAccount: account.accountId, executor: told.executorAccount,
                    executorKey: told.executorKey, applicationId: application, nonce: nonce, notAfter: soon),
                keys: account.keys)
            return try await relay.createContextIntent(
                namespace, request: CreateContextIntentRequest(warrant: warrant, authorProof: account.credential))
        }
    }

    static func delegated(_ world: LiveWorld) async throws {
        let author = try await Author(world)
        let (context, relay, session) = (author.context, author.relay, author.session)
        let told = try await relay.getIntentRelay(context)
        #expect(told.executorAccount == world.ada.account && told.canAuthorOnBehalf)
        #expect(told.groupId == author.namespace && told.grantedOnGroupId == author.namespace)
        let args: JSONValue = ["key": "k", "value": "v"]
        let written = try await author.write("set", args, nonce: 1, about: told)
        #expect(Hex.is32(written.rootHash) && world.ada.node.contextState(context) == ["k": "v"])
        await refused(403, "nonce") { _ = try await author.write("set", args, nonce: 1, about: told) }
        await refused(403) { _ = try await author.write("set", args, nonce: 2, about: told, sent: ["key": "k"]) }
        await refused(400, "FunctionCallError") {
            _ = try await author.write("get_result", ["key": "none"], nonce: 2, about: told)
        }
        await refused(404) { _ = try await relay.getIntentRelay(LiveWorld.unknown) }
        // Reads are the session's.
        let read = try await session.queryContext(
            context, request: QueryContextRequest(method: "get", argsJson: ["key": "k"]))
        #expect(read.returns == "v")
        await refused(401) { _ = try await relay.queryContext(context, request: QueryContextRequest(method: "len")) }
        await refused(401, "account-authenticated") {
            _ = try await world.ada.admin.queryContext(context, request: QueryContextRequest(method: "len"))
        }
        await refused(409) {
            _ = try await session.queryContext(context, request: QueryContextRequest(method: "set", argsJson: args))
        }
        await refused(404) {
            _ = try await session.queryContext(LiveWorld.unknown, request: QueryContextRequest(method: "len"))
        }
        // Numbers of warrants, where a node tells them.
        let seen = try await session.getWarrantNonceAsAuthor(context, authorProof: author.account.credential)
        let byAdmin = try await world.ada.admin.getWarrantNonce(
            context, authorDeviceKey: author.account.keys.signPublicKey)
        #expect(seen.seen && seen == byAdmin && seen.highWaterNonce == 1 && seen.nextNonce == 2)
        #expect(seen.contextId == context && seen.authorDeviceKey == author.account.keys.signPublicKey)
        await refused(401) {
            _ = try await relay.getWarrantNonceAsAuthor(context, authorProof: author.account.credential)
        }

        let creator = try await relay.getContextIntentRelay(author.namespace, author: author.account.accountId)
        #expect(creator.canCreateOnBehalf && creator.authorMayCreate == true)
        #expect(try await relay.getContextIntentRelay(author.namespace).authorMayCreate == nil)
        let made = try await author.create(nonce: 1, by: creator, application: LiveWorld.application)
        #expect(made.groupId == author.namespace && world.ada.node.contexts.contains(made.contextId))
        let other = try world.ada.node.applications.install(ProbeContract(), package: "com.example.probe")
        await refused(409) { _ = try await author.create(nonce: 2, by: creator, application: other) }
        await refused(404) { _ = try await author.create(nonce: 2, by: creator, application: LiveWorld.unknown) }
        await refused(404) { _ = try await relay.getContextIntentRelay(LiveWorld.unknown) }
        await refused(400) { _ = try await relay.getContextIntentRelay("x") }

        let governor = try await relay.getGovernanceIntentRelay(author.namespace)
        #expect(governor.executorKey == world.ada.node.nodeKey && governor.groupId == author.namespace)
        let named = try GovernanceOps.memberMetadataSet(member: author.account.accountId, name: "Ada", data: [:])
        #expect(try await author.govern(named, nonce: 1, by: governor).groupId == author.namespace)
        let metadata = try await session.getMemberMetadata(author.namespace, identity: author.account.accountId)
        #expect(metadata?.name == "Ada" && metadata?.updatedBy == author.account.accountId)
        await refused(403) {
            _ = try await author.govern(
                GovernanceOps.memberAdded(member: LiveWorld.unknown, role: "Member"), nonce: 2, by: governor)
        }
        await refused(404) { _ = try await relay.getGovernanceIntentRelay(LiveWorld.unknown) }
    }

    static func presence(_ world: LiveWorld) async throws {
        let author = try await Author(world)
        let now = UInt64(world.ada.node.clock.now.timeIntervalSince1970 * 1000)
        func show(_ state: String?, at time: UInt64, in context: String) async throws {
            let statement = try PresenceStatement(
                context: context, author: author.account.keys.signPublicKeyBytes, sequence: time, sentAt: time,
                state: state.map { Data($0.utf8) })
            try await author.relay.postPresenceIntent(
                context,
                request: PresenceIntentRequest(
                    state: state.map { Hex.encode(Data($0.utf8)) }, seq: time, sentAtMs: time,
                    signature: Hex.encode(try author.account.keys.sign(statement.bytes)),
                    authorProof: author.account.credential))
        }
        try await show("{}", at: now, in: author.context)
        try await show(nil, at: now + 1, in: author.context)
        await refused(400) { try await show("{}", at: now - 60_000, in: author.context) }
        let elsewhere = try world.ada.node.createContext(
            KeyValueContract(), inGroup: try world.ada.node.createNamespace(contract: KeyValueContract()))
        await refused(403) { try await show("{}", at: now + 2, in: elsewhere) }
    }
}
