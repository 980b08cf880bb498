import Foundation
import MeroDevNode
import MeroKit
import Testing

// The published calls of relays and transports, and both samples of the founding page as printed. This file imports
// nothing `@testable`: what compiles here compiles in an app.

/// What the samples call `connection`.
private struct Connection {
    let relay: RelayClient?
    let nodeKey: String?
}

@Suite struct RelayTests {
    private let id = String(repeating: "1a", count: 32)

    // swift-format-ignore
    @Test func bothSamplesOfTheFoundingPage() async throws {
        var options = DevNodeOptions()
        options.delegatedAccess = true
        let dev = try await DevNode.start(options)
        let account = try DevAccount()
        let namespace = try dev.createNamespace(members: [account.accountId: .member])
        let ctx = try dev.createContext(KeyValueContract(), inGroup: namespace)
        let mero = Mero(config: MeroConfig(baseURL: dev.url))
        let credential = account.credential
        let keys = account.keys
        let connection = Connection(
            relay: RelayClient(
                relayURL: dev.url.absoluteString, authorAccount: account.accountId, authorProof: credential, keys: keys,
                nonces: MemoryWarrantNonceStore()),
            nodeKey: dev.nodeKey)
        _ = try await connection.relay?.execute(contextId: ctx, method: "set", argsJson: ["key": "k", "value": "v"])

// A node: exactly the Mero you already have.
let node = MeroTransportClient(mero: mero)

// A relay: warranted writes, reads and events as the account.
let relayed = try MeroTransportClient(.relay(RelayTransportConfig(
    relay: connection.relay!,
    observe: RelayObserveConfig(nodeKey: connection.nodeKey),     // events through a session
    proof: ProofCredential(credential: credential, keys: keys)))) // admin + events by request proof

let value: String = try await relayed.rpc.execute(contextId: ctx, method: "get", argsJson: ["key": "k"])
if relayed.canSubscribe { relayed.events.connect() }

        #expect(value == "v" && node.transport == .node && relayed.transport == .relay)
        relayed.close()
        node.close()
        await dev.stop()
    }

    /// The two ways to say `events`.
    @Test func eventsThrowWhereThereAreNone() throws {
        let relay = RelayClient(
            relayURL: "https://relay.example", authorAccount: id, authorProof: "02", keys: .generate(),
            nonces: MemoryWarrantNonceStore())
        let client = try MeroTransportClient(.relay(RelayTransportConfig(relay: relay)))
        do {
            let events = try client.events
            events.connect()
            Issue.record("events without a node key")
        } catch let error as MeroTransportError {
            #expect(error == .missingNodeKey(surface: "SSE events"))
        }
        #expect(throws: MeroTransportError.missingNodeKey(surface: "SSE events")) {
            _ = try client.events.events(contextIds: [id])
        }
        client.events.connect()
    }

    @Test func everySurface() async throws {
        let mero = Mero(config: MeroConfig(baseURL: try #require(URL(string: "http://127.0.0.1:9"))))
        let client = MeroTransportClient(mero: mero)
        let rpc: any ExecuteTransport = client.rpc
        let kind: RpcTransportKind = client.transport
        let canSubscribe: Bool = client.canSubscribe
        let node: Mero = try client.node
        let admin: AdminApi = try await client.admin
        let auth: AuthApi = try await client.auth
        let events: SseClient = try client.events
        let ws: WsClient = try client.ws
        let cloud: CloudClient = try client.cloud
        switch try client.ephemeral {
        case .node(let presence): _ = presence as EphemeralClient
        case .relay(let presence): _ = presence as RelayPresenceClient
        }
        _ = (rpc, admin, auth, events, ws, cloud)
        #expect(kind == .node && canSubscribe && node === mero)
        #expect(throws: MeroTransportError.nodeHasNoRelay) { _ = try client.relay as RelayClient }
        client.close()
        func name(_ error: MeroTransportError) -> String {
            switch error {
            case .relayHasNo(let surface, let why): return "\(surface) \(why)"
            case .nodeHasNoRelay: return "nodeHasNoRelay"
            case .noAdminCredential: return "noAdminCredential"
            case .missingNodeKey(let surface): return surface
            case .proofCannotOpenWebSocket: return "proofCannotOpenWebSocket"
            }
        }
        #expect(name(.relayHasNo(surface: "s", why: "w")) == "s w")
    }

    @Test func theTransportsAndTheirCallForms() async throws {
        let mero = Mero(
            config: MeroConfig(
                baseURL: try #require(URL(string: "http://127.0.0.1:9")), timeout: 1, retryPolicy: .never))
        let relay = RelayClient(
            relayURL: "http://127.0.0.1:9", authorAccount: id, authorProof: "02", keys: .generate(),
            nonces: MemoryWarrantNonceStore(), executorAccount: id, ttlSeconds: 300, tokenProvider: { nil },
            session: .shared, timeout: 1, rateLimitRetries: 3)
        func calls(_ rpc: any ExecuteTransport) async -> Int {
            let one: String? = try? await rpc.execute(contextId: id, method: "get", argsJson: ["key": "k"])
            let two: String? = try? await rpc.execute(contextId: id, method: "get")
            let three: ExecuteResult<String>? = try? await rpc.executeWithMetadata(
                contextId: id, method: "get", argsJson: ["key": "k"])
            let four: ExecuteResult<String>? = try? await rpc.executeWithMetadata(contextId: id, method: "get")
            let five: MigrateMyEntriesSummary? = try? await rpc.migrateMyEntries(id)
            let six: Int? = try? await rpc.countMyPending(id)
            return [one == nil, two == nil, three == nil, four == nil, five == nil, six == nil].filter { $0 }.count
        }
        let transport = RelayTransport(relay)
        #expect(transport.client.relayURL == "http://127.0.0.1:9" && !transport.canSubscribe)
        for rpc in [await mero.rpc, MeroRpcTransport(mero), transport] as [any ExecuteTransport] {
            #expect(await calls(rpc) == 6)
        }
        let observer = RelayObserver(relayURL: "http://127.0.0.1:9", nodeKey: id, credential: "02", keys: .generate())
        #expect(RelayTransport(relay, observer: observer).canSubscribe)
        let result = ExecuteResult(returns: 1, transport: .relay, rootHash: nil)
        #expect(result.returns == 1 && result.transport == .relay && result.rootHash == nil)
    }

    private struct Signer: DeviceSigner {
        let keys: DeviceKeys
        var signPublicKey: String { keys.signPublicKey }
        func sign(_ message: Data) async throws -> Data { try keys.sign(message) }
    }

    /// Compiled, not run: every published call of the relay client and its twin with a signer.
    private func everyCall(_ relay: RelayClient) async throws {
        let described: RelayDescription = try await relay.describe(id)
        let result: IntentResult = try await relay.execute(contextId: id, method: "set", argsJson: ["key": "k"])
        let plain: IntentResult = try await relay.execute(contextId: id, method: "set")
        let typed: Int = try await relay.execute(Int.self, contextId: id, method: "len")
        let read: JSONValue? = try await relay.query(contextId: id, method: "get", argsJson: ["key": "k"])
        let number: Int = try await relay.query(Int.self, contextId: id, method: "len")
        let state: RelayWarrantNonceState = try await relay.warrantNonce(contextId: id)
        try await relay.recoverNonce(contextId: id)
        let creation: CreationDescription = try await relay.describeCreation(groupId: id, author: id)
        let made: CreatedRelayContext = try await relay.createContext(
            groupId: id, applicationId: id, initArgs: [:], serviceName: nil, name: "n", seed: nil)
        let governance: GovernanceDescription = try await relay.describeGovernance(groupId: id)
        try await relay.govern(groupId: id, op: GovernanceOps.memberAdded(member: id, role: "Member"))
        let founded: FoundedNamespace = try await relay.foundNamespace(
            executor: RelayExecutor(executorAccount: id, executorKey: id), salt: nil, defaultCapabilities: 231,
            application: FoundingApplication(applicationId: id, package: "p", version: "1"))
        try await relay.presenceIntent(
            contextId: id,
            request: PresenceIntentRequest(state: nil, seq: 1, sentAtMs: 1, signature: "", authorProof: ""))
        _ = (described.executorAccount, described.executorKey, described.canAuthorOnBehalf, described.groupId)
        _ = (described.releaseBytecodeId, described.releaseVersion, result.rootHash, plain.returns, typed, read, number)
        _ = (state.nextNonce, state.highWaterNonce, state.seen, creation.canCreateOnBehalf, creation.authorMayCreate)
        _ = (made.contextId, made.groupId, made.memberPublicKey, governance.canActOnBehalf)
        _ = (founded.namespaceId, founded.salt, founded.teeEnabled, founded.teeError, founded.applicationSet)
        _ = (founded.applicationError, founded.defaultCapabilitiesSet, founded.defaultCapabilitiesError)
        _ = (relay.relayURL, relay.authorAccount, relay.authorProof, relay.executorAccount, relay.ttlSeconds)
    }

    private func everyTwin(_ signer: any DeviceSigner, _ invitation: SignedGroupOpenInvitation, _ url: URL) async throws
    {
        try await everyCall(
            RelayClient(
                relayURL: "r", authorAccount: id, authorProof: "02", signer: signer, nonces: MemoryWarrantNonceStore(),
                executorAccount: nil, ttlSeconds: 300, tokenProvider: { nil }, timeout: 15, rateLimitRetries: 3))
        let tokens: TokenData = try await RelayLogin.login(
            relayURL: "r", nodeKey: id, credential: "02", signer: signer, audience: .current, clientName: nil,
            ttlSeconds: RelayLogin.defaultTTLSeconds, timeout: 10, now: Date())
        await RelayLogin.logout(relayURL: "r", refreshToken: tokens.refreshToken, timeout: 10)
        let observer = RelayObserver(
            relayURL: "r", nodeKey: id, credential: "02", signer: signer, audience: .cli, clientName: nil,
            ttlSeconds: 300)
        let token: String = try await observer.accessToken()
        await observer.invalidate()
        let streams: (SseClient, WsClient, String) = (observer.events, observer.ws, observer.nodeKey)
        observer.close()
        _ = RelayObserveConfig(nodeKey: nil, signer: signer)
        _ = ProofCredential(credential: "02", signer: signer, validForSeconds: 300)
        let joined: Bool = try await AccountJoin.joinWithNode(
            admitURL: url, namespaceId: id, invitation: invitation, account: id, credential: "02", signer: signer,
            nonce: 1)
        let outcome: JoinOutcome = try await AccountJoin.bootstrapFromInvitation(
            namespaceId: id, invitation: invitation, account: id, credential: "02", signer: signer, nonce: 1,
            nodeURL: nil, cloud: CloudClient())
        let sealed = HttpOptions(sealing: .signedRelays())
        _ = try await AccountJoin.joinWithNode(
            admitURL: url, namespaceId: id, invitation: invitation, account: id, credential: "02", signer: signer,
            nonce: 1, session: nil, options: sealed)
        _ = try await AccountJoin.bootstrapFromInvitation(
            namespaceId: id, invitation: invitation, account: id, credential: "02", signer: signer, nonce: 1,
            nodeURL: nil, cloud: CloudClient(), session: nil, options: sealed)
        let relay: InvitationRelay = try await AccountJoin.resolveRelay(
            namespaceId: id, invitation: invitation, cloud: CloudClient())
        let key: String = try await RelayNodeKey.attest(
            relayURL: "r", verifier: TLSRelayKeyVerifier(), session: .shared, timeout: 15)
        let op: String = try await NamespaceOps.signMemberJoinOp(
            namespaceId: id, invitation: invitation, account: id, credential: "02", signer: signer, nonce: 1,
            joinedAt: 1)
        let signed: SignedGroupOpenInvitation = try await GroupInvitations.sign(
            groupId: id, inviterAccount: id, signer: signer, admitters: [id])
        let hosted: JSONValue = try await CloudClient().enableHaAsAccount(
            namespaceId: id, salt: id, accountId: id, credential: "02", signer: signer)
        _ = (
            token, streams, joined, outcome.published, outcome.relayUrl, outcome.relay, relay.admitUrl, key, op, signed
        )
        _ = (hosted, relay.relayUrl, relay.admitterAccount, relay.writable, relay.stale, NamespaceOps.schemaVersion)
        _ = try RecoveringWarrantNonces(
            lookups: [AdminWarrantNonceLookup(admin: AdminApi(http: URLSessionHttpClient(baseURL: url)))],
            contextId: id,
            authorDeviceKey: id, sequence: "r", local: MemoryWarrantNonceStore(), onLookupFailure: .local)
    }

    @Test func storesAndTypes() async throws {
        let stores: [any WarrantNonceStore] = [
            MemoryWarrantNonceStore(),
            UserDefaultsWarrantNonceStore(
                defaults: try #require(UserDefaults(suiteName: "merokit-\(UUID())")), prefix: "calimero.nonce."),
            FileWarrantNonceStore(
                directory: FileManager.default.temporaryDirectory.appendingPathComponent("merokit-\(UUID().uuidString)")
            ),
        ]
        for store in stores {
            store.advance(relay: "https://relay.example/", to: 5)
            let next: UInt64 = store.next(relay: "https://relay.example")
            #expect(next == 5)
        }
        let state = try RelayWarrantNonceState.parse(
            Data(#"{"data":{"seen":true,"nextNonce":8,"highWaterNonce":7}}"#.utf8))
        #expect(state.nextNonce == 8 && state.highWaterNonce == 7 && state.seen)
        let config = MeroTransportConfig.node(
            NodeTransportConfig(
                mero: Mero(config: MeroConfig(baseURL: try #require(URL(string: "http://127.0.0.1:9"))))))
        #expect(try MeroTransportClient(config).transport == .node)
        let observe = RelayObserveConfig(
            nodeKey: nil, relayURL: nil, credential: nil, keys: nil, audience: .cli, clientName: nil, ttlSeconds: 300)
        #expect(observe.nodeKey == nil)
        #expect(GroupInvitations.maxValiditySeconds == 86_400 && GroupInvitations.InvitedRole.readOnly.rawValue == 2)
        let signer = Signer(keys: .generate())
        let invitation = try GroupInvitations.sign(
            groupId: id, inviterAccount: id, keys: signer.keys, admitters: [id], members: nil, invitedRole: .member,
            validForSeconds: 60, now: 1, nonce: Data(count: 32), applicationId: id, appKey: id, admitterAddrs: ["x"])
        #expect(try GroupInvitations.hash(invitation.invitation).count == 32)
        #expect(try NamespaceOps.encodeGroupInvitation(invitation.invitation).count > 100)
        #expect(try NamespaceOps.encodeSignedInvitation(invitation).count > 200)
        _ = (everyTwin, everyCall)
    }

    /// The presence client as published.
    @Test func presence() async throws {
        let relay = RelayClient(
            relayURL: "http://127.0.0.1:9", authorAccount: id, authorProof: "02", keys: .generate(),
            nonces: MemoryWarrantNonceStore(), timeout: 1)
        let presence = RelayPresenceClient(
            relay: relay, events: { throw MeroTransportError.missingNodeKey(surface: "SSE events") }, heartbeat: 2.5,
            now: { Date() })
        // Nobody answers: no error, the next repetition would make up for it.
        try await presence.set(id, state: nil)
        try await presence.set(id, state: Data([1]), codec: .bytes)
        #expect(throws: MeroTransportError.self) {
            let entries: AsyncThrowingStream<EphemeralEntry<Data>, Error> = try presence.subscribe(id, codec: .bytes)
            _ = entries
        }
        #expect(throws: MeroTransportError.self) { _ = try presence.subscribe(id) }
        presence.close()
    }
}
