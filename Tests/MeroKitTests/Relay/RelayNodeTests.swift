import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// The relay client against a relay, over HTTP. Spec: 60.
@Suite("Relay client over HTTP") struct RelayNodeTests {
    @Test(arguments: EngineUnderTest.allCases) func writesReadsAndDescribes(engine: EngineUnderTest) async throws {
        let fixture = try await RelayNodeFixture.start()
        let relay = try fixture.relay(engine)
        let described = try await relay.describe(fixture.keyValue)
        #expect(described.executorAccount == fixture.node.accountId && described.canAuthorOnBehalf)
        #expect(described.groupId == fixture.namespace)
        #expect(described.releaseBytecodeId == fixture.node.releaseBytecodeId(group: fixture.namespace))
        let written = try await relay.execute(
            contextId: fixture.keyValue, method: "set", argsJson: ["key": "colour", "value": "blå"])
        #expect(written.returns == nil && written.rootHash.map(Hex.is32) == true)
        #expect(fixture.node.contextState(fixture.keyValue)?["colour"] == "blå")
        let read: String? = try await relay.execute(
            String?.self, contextId: fixture.keyValue, method: "get", argsJson: ["key": "colour"])
        #expect(read == "blå")
        #expect(
            try await relay.execute(
                UInt64.self, contextId: fixture.probe, method: "increment",
                argsJson: RawJSON(#"{"by":18446744073709551615}"#)) == .max)
        let log = try #require(fixture.node.delegatedWrites.first)
        #expect(
            log.account == fixture.ada.accountId && log.deviceKey == fixture.ada.keys.signPublicKey && log.nonce == 1)
        for request in fixture.node.requests where request.path.hasSuffix("/intents") {
            #expect(request.headers["authorization"] == nil && request.headers["x-calimero-proof"] == nil)
        }
        await fixture.stop()
    }

    /// The warrant covers whatever JSON an app can have: the relay makes the same text of it.
    @Test func oddArgumentsAreCovered() async throws {
        let fixture = try await RelayNodeFixture.start()
        let relay = try fixture.relay()
        let arguments: JSONValue = [
            "": "", "é": "e\u{301}", "a\"\\\u{1}\u{7f}": "\u{2028}/😀",
            "n": [0, -0.0, 1.5, 1e300, .number(.leastNonzeroMagnitude), 1e21, 0.1, 9_007_199_254_740_993],
            "deep": [[["x": [nil, true, false]]]], "B": 1, "b": 2,
        ]
        let echoed = try await relay.execute(contextId: fixture.probe, method: "echo", argsJson: arguments)
        #expect(echoed.returns == arguments)
        await fixture.stop()
    }

    /// The answer is cut after the method ran, on a connection that was used before: nothing is sent a second time.
    @Test(arguments: EngineUnderTest.allCases) func aLostAnswerIsNoSecondWrite(engine: EngineUnderTest) async throws {
        let fixture = try await RelayNodeFixture.start()
        let relay = try fixture.relay(engine, timeout: 2)
        let path = fixture.intents(fixture.probe)
        #expect(try await relay.execute(Int.self, contextId: fixture.probe, method: "increment") == 1)
        for _ in 0..<3 { _ = try await relay.describe(fixture.probe) }
        fixture.node.inject(.cutAfterHandler, on: DevRouteMatch("POST", path))
        let runs = fixture.node.handlerRuns("POST", path)
        guard
            case MeroError.network? = await failure(of: {
                try await relay.execute(contextId: fixture.probe, method: "increment")
            })
        else {
            Issue.record("the lost answer was hidden")
            return
        }
        #expect(fixture.node.handlerRuns("POST", path) == runs + 1)
        // Nothing comes late, either: the next write is the next one.
        #expect(try await relay.execute(Int.self, contextId: fixture.probe, method: "increment") == 3)
        #expect(fixture.node.contextState(fixture.probe)?["count"] == 3)
        await fixture.stop()
    }

    /// A store that lost its numbers finds its way back by itself, on old relays and on new ones.
    @Test(arguments: [false, true]) func aLostStoreRecovers(older: Bool) async throws {
        let fixture = try await RelayNodeFixture.start { $0.relay.servesWarrantNonce = older }
        let token = try await fixture.token()
        let first = try fixture.relay(token: { token })
        for _ in 0..<70 { _ = try await first.execute(contextId: fixture.probe, method: "increment") }
        let fresh = MemoryWarrantNonceStore()
        let relay = try fixture.relay(nonces: fresh, token: { token })
        #expect(try await relay.execute(Int.self, contextId: fixture.probe, method: "increment") == 71)
        let nonce = try #require(fixture.node.delegatedWrites.last?.nonce)
        if older {
            #expect(nonce == 71)
            let state = try await relay.warrantNonce(contextId: fixture.probe)
            #expect(state == RelayWarrantNonceState(nextNonce: 72, highWaterNonce: 71, seen: true))
            let untouched = try await relay.warrantNonce(contextId: fixture.keyValue)
            #expect(untouched == RelayWarrantNonceState(nextNonce: 0, highWaterNonce: nil, seen: false))
            let recovering = try RecoveringWarrantNonces(
                lookups: [relay], contextId: fixture.probe, authorDeviceKey: fixture.ada.keys.signPublicKey,
                sequence: relay.relayURL, local: MemoryWarrantNonceStore())
            #expect(try await recovering.next() == 72)
        } else {
            #expect(nonce > 1_000_000_000_000)
            #expect(
                (await failure(of: { try await relay.recoverNonce(contextId: fixture.probe) }) as? MeroError)?
                    .httpStatus == 404)
        }
        #expect(try await relay.execute(Int.self, contextId: fixture.probe, method: "increment") == 72)
        await fixture.stop()
    }

    @Test func aDeviceWithoutNumbersMustBeReplaced() async throws {
        let fixture = try await RelayNodeFixture.start { $0.relay.servesWarrantNonce = true }
        let token = try await fixture.token()
        try fixture.node.spend(.max, ofDeviceKey: fixture.ada.keys.signPublicKey, context: fixture.probe)
        let relay = try fixture.relay(token: { token })
        // The first number may still lie... nowhere: it is far below the window.
        guard
            case AccountError.intentRefused(let reason, false, 409)? = await failure(of: {
                try await relay.execute(contextId: fixture.probe, method: "increment")
            })
        else {
            Issue.record("no refusal")
            return
        }
        #expect(reason.contains("must re-key"))
        #expect(fixture.node.contextState(fixture.probe)?["count"] == nil)
        await fixture.stop()
    }

    /// Many writers over one store: every write lands once, whatever order the numbers arrive in.
    @Test func concurrentWritesAllLand() async throws {
        let fixture = try await RelayNodeFixture.start()
        let folder = try TemporaryFolder()
        let store = FileWarrantNonceStore(directory: folder.file("nonces"))
        let relays = try (0..<4).map { _ in try fixture.relay(nonces: store) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<40 {
                group.addTask { _ = try await relays[index % 4].execute(contextId: fixture.probe, method: "increment") }
            }
            try await group.waitForAll()
        }
        #expect(fixture.node.contextState(fixture.probe)?["count"] == 40)
        await fixture.stop()
    }

    @Test func refusalsKeepTheirType() async throws {
        let fixture = try await RelayNodeFixture.start()
        let relay = try fixture.relay()
        func refusal(_ client: RelayClient? = nil) async -> AccountError? {
            await failure(of: {
                try await (client ?? relay).execute(
                    contextId: fixture.keyValue, method: "set", argsJson: ["key": "k", "value": "v"])
            }) as? AccountError
        }
        // A stranger, and somebody who may only read.
        let stranger = try DevAccount()
        guard
            case .intentRefused(let reason, false, 403)? = await refusal(
                try fixture.relay(nonces: MemoryWarrantNonceStore(), account: stranger))
        else {
            Issue.record("a stranger wrote")
            return
        }
        #expect(reason.contains("not a member"))
        let reader = try DevAccount()
        try fixture.node.addMember(reader.accountId, role: .readOnly, group: fixture.namespace)
        guard
            case .intentRefused(_, false, 403)? = await refusal(
                try fixture.relay(nonces: MemoryWarrantNonceStore(), account: reader))
        else {
            Issue.record("a reader wrote")
            return
        }
        // A certificate of somebody else's: 400.
        let mixed = RelayClient(
            relayURL: fixture.node.url.absoluteString, authorAccount: fixture.ada.accountId,
            authorProof: stranger.credential, keys: fixture.ada.keys, nonces: MemoryWarrantNonceStore())
        guard case .intentRefused(_, false, 400)? = await refusal(mixed) else {
            Issue.record("somebody else's certificate was taken")
            return
        }
        // The relay lost its standing.
        try fixture.node.setAuthorship(false, group: fixture.namespace)
        #expect(try await relay.describe(fixture.keyValue).canAuthorOnBehalf == false)
        guard case .intentRefused(let text, false, 403)? = await refusal() else {
            Issue.record("a relay without standing wrote")
            return
        }
        #expect(text.contains("CAN_AUTHOR_ON_BEHALF"))
        try fixture.node.setAuthorship(true, group: fixture.namespace)
        // The device was revoked.
        try fixture.node.setRevoked(true, device: fixture.ada.deviceId, namespace: fixture.namespace)
        guard case .intentRefused(_, false, 403)? = await refusal() else {
            Issue.record("a revoked device wrote")
            return
        }
        try fixture.node.setRevoked(false, device: fixture.ada.deviceId, namespace: fixture.namespace)
        // No release, no context, still catching up.
        try fixture.node.removeRelease(group: fixture.namespace)
        #expect((await failure(of: { try await relay.describe(fixture.keyValue) }) as? MeroError)?.httpStatus == 404)
        let unknown = String(repeating: "00", count: 32)
        #expect((await failure(of: { try await relay.describe(unknown) }) as? MeroError)?.httpStatus == 404)
        await fixture.stop()
    }

    /// A method's error is thrown as on a node, costs no number at the relay, and is never repeated.
    @Test func aMethodsErrorLeavesTheNumberUnspent() async throws {
        let fixture = try await RelayNodeFixture.start()
        let relay = try fixture.relay()
        let error = await meroError {
            _ = try await relay.execute(
                contextId: fixture.probe, method: "increment_and_fail", argsJson: ["message": "bad nonce"])
        }
        #expect(
            error?.httpStatus == 400 && error?.errorType == "FunctionCallError" && error?.refusal?.data == "bad nonce")
        #expect(fixture.node.requestCount("POST", fixture.intents(fixture.probe)) == 1)
        #expect(!fixture.node.isSpent(1, ofDeviceKey: fixture.ada.keys.signPublicKey, context: fixture.probe))
        // The client goes on all the same.
        #expect(try await relay.execute(Int.self, contextId: fixture.probe, method: "increment") == 1)
        #expect(fixture.node.delegatedWrites.last?.nonce == 2)
        await fixture.stop()
    }

    @Test func olderRelaysAnswerInTheirOwnWay() async throws {
        let fixture = try await RelayNodeFixture.start { $0.relay = .older }
        let relay = try fixture.relay()
        let silent = try await relay.execute(contextId: fixture.probe, method: "fail", argsJson: ["message": "x"])
        #expect(silent.returns == nil)
        await fixture.stop()
        let oldest = try await RelayNodeFixture.start { $0.relay.describesExecutorKey = false }
        let client = try oldest.relay()
        #expect(try await client.describe(oldest.probe).executorKey == "")
        guard
            case AccountError.protocolViolation? = await failure(of: {
                try await client.execute(contextId: oldest.probe, method: "increment")
            })
        else {
            Issue.record("a relay without a key was signed for")
            return
        }
        #expect(oldest.nonces.next(relay: client.relayURL) == 1)
        await oldest.stop()
        let base58 = try await RelayNodeFixture.start { $0.relay.spellsExecutorKeyInBase58 = true }
        #expect(try await base58.relay().execute(Int.self, contextId: base58.probe, method: "increment") == 1)
        await base58.stop()
    }

    /// Reads ask once, writes are found out once.
    @Test func queriesAskAsTheAccount() async throws {
        let fixture = try await RelayNodeFixture.start()
        let token = try await fixture.token()
        let relay = try fixture.relay(token: { token })
        let query = "/admin-api/contexts/\(fixture.keyValue)/query"
        #expect(try await relay.query(Int.self, contextId: fixture.keyValue, method: "len") == 0)
        #expect(fixture.node.requestCount("POST", query) == 1)
        for value in ["1", "2"] {
            _ = try await relay.query(
                contextId: fixture.keyValue, method: "set", argsJson: ["key": "k", "value": .string(value)])
        }
        #expect(fixture.node.requestCount("POST", query) == 2)
        #expect(fixture.node.requestCount("POST", fixture.intents(fixture.keyValue)) == 2)
        #expect(try await relay.query(contextId: fixture.keyValue, method: "get", argsJson: ["key": "k"]) == "2")
        let failed = await meroError {
            _ = try await relay.query(contextId: fixture.keyValue, method: "get_result", argsJson: ["key": "none"])
        }
        #expect(failed?.errorType == "FunctionCallError")
        #expect(fixture.node.requestCount("POST", fixture.intents(fixture.keyValue)) == 2)
        await fixture.stop()
    }

    // MARK: Groups

    @Test func foundsGovernsAndMakesAContext() async throws {
        let fixture = try await RelayNodeFixture.start()
        let relay = try fixture.relay()
        let key = try await RelayNodeKey.attest(relayURL: relay.relayURL)
        let executor = RelayExecutor(executorAccount: fixture.node.accountId, executorKey: key)
        let application = FoundingApplication(
            applicationId: DevNode.applicationId(of: KeyValueContract()), package: "kv-store", version: "1.0.0")
        let founded = try await relay.foundNamespace(
            executor: executor, defaultCapabilities: 231, application: application)
        #expect(founded.applicationSet == true && founded.defaultCapabilitiesSet == true)
        #expect(founded.applicationError == nil && founded.defaultCapabilitiesError == nil)
        #expect(founded.teeEnabled)
        #expect(fixture.node.members(group: founded.namespaceId)?[fixture.ada.accountId] == .admin)
        // The same salt founds the same namespace, which is there already.
        let again = await failure(of: { try await relay.foundNamespace(executor: executor, salt: founded.salt) })
        #expect((again as? MeroError)?.httpStatus == 409)
        let bob = try DevAccount()
        try await relay.govern(
            groupId: founded.namespaceId, op: GovernanceOps.memberAdded(member: bob.accountId, role: "Member"))
        #expect(fixture.node.members(group: founded.namespaceId)?[bob.accountId] == .member)
        let (subgroup, op) = try GovernanceOps.subgroupCreation(
            admin: fixture.ada.accountId, parentId: founded.namespaceId, restricted: false)
        #expect(try await relay.govern(groupId: founded.namespaceId, op: op) == subgroup)
        #expect(fixture.node.subgroups(of: founded.namespaceId) == [subgroup])
        let described = try await relay.describeCreation(groupId: founded.namespaceId, author: fixture.ada.accountId)
        #expect(described.canCreateOnBehalf && described.authorMayCreate == true)
        #expect(try await relay.describeCreation(groupId: founded.namespaceId).authorMayCreate == nil)
        let made = try await relay.createContext(
            groupId: founded.namespaceId, applicationId: application.applicationId, name: "notes")
        #expect(fixture.node.contexts(ofGroup: founded.namespaceId) == [made.contextId])
        // The creation spent its number in the new context's ledger, and the next write there goes on behind it.
        _ = try await relay.execute(contextId: made.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
        #expect(fixture.node.contextState(made.contextId)?["k"] == "v")
        // A replayed warrant is refused in words without "nonce": not retryable.
        let last = try #require(
            fixture.node.requests.last { $0.method == "POST" && $0.path.hasSuffix("/governance-intents") })
        let admin = AdminApi(http: URLSessionHttpClient(baseURL: fixture.node.url))
        let replay = await meroError {
            _ = try await admin.governanceIntent(
                founded.namespaceId, request: MeroJSON.decode(GovernanceIntentRequest.self, from: last.body))
        }
        #expect(replay?.httpStatus == 403 && replay?.refusal?.message?.contains("already been spent") == true)
        await fixture.stop()
    }

    /// The bare routes: every refusal is `MeroError.http`, and the intents are sent once whatever the policy.
    @Test func theBareRoutesOfTheAdminApi() async throws {
        let fixture = try await RelayNodeFixture.start { $0.relay.servesWarrantNonce = true }
        let admin = AdminApi(http: URLSessionHttpClient(baseURL: fixture.node.url))
        let info = try await admin.getIntentRelay(fixture.keyValue)
        #expect(info.executorAccount == fixture.node.accountId && info.grantedOnGroupId == fixture.namespace)
        #expect(
            try await admin.getContextIntentRelay(fixture.namespace, author: fixture.ada.accountId).authorMayCreate
                == true)
        #expect(try await admin.getGovernanceIntentRelay(fixture.namespace).canActOnBehalf)
        let warrant = try Warrants.signWarrant(
            .init(
                context: fixture.keyValue, authorAccount: fixture.ada.accountId, executor: info.executorAccount,
                executorKey: info.executorKey, releaseBytecodeId: info.releaseBytecodeId,
                releaseVersion: info.releaseVersion, method: "set", argsJson: ["key": "k", "value": "v"], nonce: 1,
                notAfter: UInt64(Date().timeIntervalSince1970) + 60), keys: fixture.ada.keys)
        let request = PerformIntentRequest(
            method: "set", argsJson: ["key": "k", "value": "v"], warrant: warrant, authorProof: fixture.ada.credential)
        let done = try await admin.performIntent(fixture.keyValue, request: request)
        #expect(Hex.is32(done.rootHash) && done.returns == nil)
        let spent = await meroError { _ = try await admin.performIntent(fixture.keyValue, request: request) }
        #expect(spent?.httpStatus == 403)
        #expect(spent?.refusal?.message == RelayRig.spent, "\(String(describing: spent))")
        let routes: [DevRouteMatch] = [
            DevRouteMatch("POST", fixture.intents(fixture.keyValue)),
            DevRouteMatch("POST", "/admin-api/contexts/\(fixture.keyValue)/presence-intents"),
            DevRouteMatch("POST", "/admin-api/groups/\(fixture.namespace)/context-intents"),
            DevRouteMatch("POST", "/admin-api/groups/\(fixture.namespace)/governance-intents"),
        ]
        for route in routes { fixture.node.inject(.status(503), on: route) }
        fixture.node.clearRequests()
        #expect(
            await meroError { _ = try await admin.performIntent(fixture.keyValue, request: request) }?.httpStatus == 503
        )
        let presence = PresenceIntentRequest(state: nil, seq: 1, sentAtMs: 1, signature: "", authorProof: "")
        #expect(
            await meroError { try await admin.postPresenceIntent(fixture.keyValue, request: presence) }?.httpStatus
                == 503)
        let creation = CreateContextIntentRequest(warrant: "", authorProof: "")
        #expect(
            await meroError { _ = try await admin.createContextIntent(fixture.namespace, request: creation) }?
                .httpStatus == 503)
        let governance = GovernanceIntentRequest(warrant: "", authorProof: "", op: "")
        #expect(
            await meroError { _ = try await admin.governanceIntent(fixture.namespace, request: governance) }?.httpStatus
                == 503)
        #expect(fixture.node.requests.count == 4)
        let token = try await fixture.token()
        var hooks = TransportHooks()
        hooks.getAuthToken = { token }
        let asAuthor = AdminApi(http: URLSessionHttpClient(baseURL: fixture.node.url, hooks: hooks))
        let state = try await asAuthor.getWarrantNonceAsAuthor(fixture.keyValue, authorProof: fixture.ada.credential)
        #expect(state.nextNonce == 2 && state.windowWidth == 64 && !state.isExhausted)
        let owner = fixture.node.mintTokens()
        var ownerHooks = TransportHooks()
        ownerHooks.getAuthToken = { owner.accessToken }
        let asOwner = AdminApi(http: URLSessionHttpClient(baseURL: fixture.node.url, hooks: ownerHooks))
        let seen = try await AdminWarrantNonceLookup(admin: asOwner).warrantNonce(
            contextId: fixture.keyValue, authorDeviceKey: fixture.ada.keys.signPublicKey)
        #expect(seen == RelayWarrantNonceState(nextNonce: 2, highWaterNonce: 1, seen: true))
        await fixture.stop()
    }
}
