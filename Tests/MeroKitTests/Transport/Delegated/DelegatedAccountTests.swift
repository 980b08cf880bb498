import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Accounts without a node, as a whole. Spec: 60, section 10.
@Suite("Delegated accounts") struct DelegatedAccountTests {
    static func session(_ account: DevAccount, _ relayURL: String? = nil) -> DelegatedSession {
        DelegatedSession(
            credential: DelegatedCredential(
                account: account.accountId, credential: account.credential, deviceKey: account.keys.signPublicKey),
            relayURL: relayURL)
    }

    static func account(
        _ fixture: RelayNodeFixture, _ who: DevAccount? = nil, pinned: Bool = true, relayURL: String? = nil,
        map: RelayMap = RelayMap(), cloud: CloudClient? = nil
    ) throws -> DelegatedAccount {
        let who = who ?? fixture.ada
        let url = relayURL ?? fixture.node.url.absoluteString
        let pins = RelayKeyPins()
        if pinned { try pins.pin(fixture.node.nodeKey, for: url) }
        return try DelegatedAccount(
            session: session(who, url.isEmpty ? nil : url), keys: who.keys, nonces: fixture.nonces,
            pins: pins,
            map: map, cloud: cloud, audience: .cli)
    }

    // MARK: Records

    @Test func aSessionOutranksACredentialAndHalvesAreNothing() throws {
        let ada = try DevAccount()
        let credentials = AnyValueStore<DelegatedCredential>.memory()
        let sessions = AnyValueStore<DelegatedSession>.memory()
        let store = DelegatedAccountStore(credentials: credentials, sessions: sessions)
        #expect(store.load() == nil)
        let session = Self.session(ada)
        store.save(session.credential)
        #expect(store.load() == session)
        let connected = session.moved(to: "https://relay.example/", executorAccount: ada.accountId)
        store.save(connected)
        #expect(store.load() == connected && connected.relayURL == "https://relay.example")
        credentials.clear()
        #expect(store.load() == connected)
        for half in [
            DelegatedCredential(account: "ab", credential: ada.credential, deviceKey: ada.keys.signPublicKey),
            DelegatedCredential(account: ada.accountId, credential: "", deviceKey: ada.keys.signPublicKey),
            DelegatedCredential(account: ada.accountId, credential: "zz", deviceKey: ada.keys.signPublicKey),
            DelegatedCredential(account: ada.accountId, credential: ada.credential, deviceKey: ""),
        ] {
            store.save(DelegatedSession(credential: half, relayURL: "https://relay.example"))
            #expect(store.load() == nil)
            #expect(throws: AccountError.self) {
                try DelegatedAccount(
                    session: DelegatedSession(credential: half), keys: ada.keys, nonces: MemoryWarrantNonceStore())
            }
        }
        store.clear()
        #expect(store.load() == nil)
        // The executor stays only where the relay does.
        #expect(connected.moved(to: "https://RELAY.example:443/").executorAccount == ada.accountId)
        #expect(connected.moved(to: "https://other.example").executorAccount == nil)
        #expect(connected.moved(to: nil).relayURL == nil)
        let other = try DevAccount()
        #expect(throws: AccountError.self) {
            try DelegatedAccount(session: session, keys: other.keys, nonces: MemoryWarrantNonceStore())
        }
    }

    @Test func withoutARelayThereIsNoClientAndListingsAreEmpty() async throws {
        let ada = try DevAccount()
        let account = try DelegatedAccount(
            session: Self.session(ada), keys: ada.keys, nonces: MemoryWarrantNonceStore())
        #expect(try account.client() == nil)
        #expect(try await account.admin.listNamespaces().isEmpty)
        #expect(try await account.admin.listNamespacesForApplication("x").isEmpty)
        #expect(try await account.admin.getContexts().contexts.isEmpty)
        let identity = try await account.admin.getNodeIdentity()
        #expect(identity.accountId == ada.accountId && identity.deviceId == nil && identity.deviceCertified)
        let id = String(repeating: "ab", count: 32)
        for error in [
            await failure(of: { try await account.admin.leaveGroup(id) }),
            await failure(of: { try await account.admin.createGroupInNamespace(id) }),
            await failure(of: { try await account.admin.getContextIdentitiesOwned(id) }),
        ] {
            guard case AccountError.notSignedIn(let text)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.contains("needs a relay"))
        }
    }

    @Test func aMapKnowsEachRelayOnce() {
        let store = AnyValueStore<RelayMap.Record>.memory()
        let map = RelayMap(store: store)
        map.learn(namespace: "AB", relay: "https://a.example/")
        map.learn(listedNamespaces: ["ab", "cd"], listedContexts: ["ef"], relay: "https://b.example")
        #expect(
            map.relay(ofNamespace: "ab") == "https://a.example" && map.relay(ofNamespace: "CD") == "https://b.example")
        #expect(map.relay(ofContext: "ef") == "https://b.example" && map.relay(ofContext: "x") == nil)
        #expect(
            RelayMap(store: store).relays(besides: "https://B.example:443/")
                == ["https://B.example:443", "https://a.example"])
        #expect(map.relays(besides: nil) == ["https://a.example", "https://b.example"])
        map.clear()
        #expect(map.relays(besides: nil).isEmpty)
    }

    // MARK: Clients

    /// View: one query. Write: a query and a warrant, then a warrant alone.
    @Test func readsAreQueriesAndWritesAreWarrants() async throws {
        let fixture = try await RelayNodeFixture.start()
        let account = try Self.account(fixture)
        let client = try #require(try account.client())
        let query = "/admin-api/contexts/\(fixture.keyValue)/query"
        let intents = fixture.intents(fixture.keyValue)
        func counts() -> [Int] {
            [fixture.node.requestCount("POST", query), fixture.node.requestCount("POST", intents)]
        }
        let length: ExecuteResult<Int> = try await client.rpc.executeWithMetadata(
            contextId: fixture.keyValue, method: "len")
        #expect(length.returns == 0 && length.transport == .relay && length.rootHash == nil)
        #expect(counts() == [1, 0])
        let body = try #require(fixture.node.requests.last { $0.path == query }?.body)
        #expect(try MeroJSON.decode(JSONValue.self, from: body) == ["method": "len", "argsJson": [:]])
        let first: ExecuteResult<Empty> = try await client.rpc.executeWithMetadata(
            contextId: fixture.keyValue, method: "set", argsJson: ["key": "k", "value": "v"])
        #expect(first.rootHash.map(Hex.is32) == true && counts() == [2, 1])
        let _: Empty = try await client.rpc.execute(
            contextId: fixture.keyValue, method: "set", argsJson: ["key": "k", "value": "w"])
        #expect(counts() == [2, 2])
        // What was learned outlives the client.
        let rebuilt = try #require(try Self.account(fixture).client())
        let _: Empty = try await rebuilt.rpc.execute(
            contextId: fixture.keyValue, method: "set", argsJson: ["key": "x", "value": "y"])
        #expect(counts() == [2, 3])
        // 503 teaches nothing: a warrant goes out, and the next call asks again.
        fixture.node.inject(.status(503), on: DevRouteMatch("POST", query))
        let value: String? = try await client.rpc.execute(
            contextId: fixture.keyValue, method: "get", argsJson: ["key": "k"])
        #expect(value == "w" && counts() == [3, 4])
        let again: String? = try await client.rpc.execute(
            contextId: fixture.keyValue, method: "get", argsJson: ["key": "k"])
        #expect(again == "w" && counts() == [4, 4])
        let failed = await meroError {
            let _: String = try await client.rpc.execute(
                contextId: fixture.keyValue, method: "get_result", argsJson: ["key": "none"])
        }
        #expect(failed?.errorType == "FunctionCallError" && counts() == [5, 4])
        await fixture.stop()
    }

    /// Without the relay's key every call is a warrant, and a relay on this machine is shown proofs.
    @Test func aClientIsBuiltAnewOnceTheKeyIsKnown() async throws {
        let fixture = try await RelayNodeFixture.start()
        let account = try Self.account(fixture, pinned: false)
        let unpinned = try #require(try account.client())
        #expect(unpinned.canSubscribe && !unpinned.rpc.canSubscribe)
        #expect(throws: MeroTransportError.proofCannotOpenWebSocket) { _ = try unpinned.ws }
        let length: Int = try await unpinned.rpc.execute(contextId: fixture.keyValue, method: "len")
        #expect(length == 0 && fixture.node.requestCount("POST", fixture.intents(fixture.keyValue)) == 1)
        #expect(try account.client() === unpinned)
        #expect(try await account.learnKey(of: fixture.node.url.absoluteString) == fixture.node.nodeKey)
        let pinned = try #require(try account.client())
        #expect(pinned !== unpinned && pinned.rpc.canSubscribe)
        _ = try pinned.ws
        #expect(try account.client() === pinned)
        account.close()
        await fixture.stop()
    }

    /// A hosted relay takes no proofs: its stream waits, and raises nothing.
    @Test func aHostedRelayWithoutAKeyHasADormantStream() async throws {
        let ada = try DevAccount()
        let account = try DelegatedAccount(
            session: Self.session(ada, "https://relay.invalid"), keys: ada.keys, nonces: MemoryWarrantNonceStore())
        let client = try #require(try account.client())
        #expect(!client.canSubscribe)
        #expect(throws: MeroTransportError.missingNodeKey(surface: "WebSocket events")) { _ = try client.ws }
        let events: SseClient = try client.events
        let problems = Locked(0)
        let listener = events.onError { _ in problems.withLock { $0 += 1 } }
        try await events.subscribe(contextIds: [RelayRig.context])
        events.connect()
        try await eventually { events.status.connection == .waiting }
        #expect(events.status.contexts.keys.sorted() == [RelayRig.context] && problems.withLock { $0 } == 0)
        client.close()
        try await eventually { events.status.connection == .idle }
        listener.cancel()
    }

    /// A session that cannot be had is no error of its own: the request goes out bare.
    @Test func tokensAreSharedKeptAndNeverInvented() async throws {
        let logins = Locked(0)
        let opaque = DelegatedToken {
            logins.withLock { $0 += 1 }
            return TokenData(accessToken: "opaque", refreshToken: "", expiresAt: Date())
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { #expect((try? await opaque.token()) == "opaque") } }
        }
        #expect(logins.withLock { $0 } == 1)
        let failing = DelegatedToken { throw MeroError.network("down") }
        #expect(try await failing.token() == nil)
        let clock = RelayRig.TestClock()
        let count = Locked(0)
        let login: @Sendable () async throws -> TokenData = {
            count.withLock { $0 += 1 }
            let claims = #"{"exp":\#(Int(clock.now.timeIntervalSince1970) + 60)}"#
            return TokenData(
                accessToken: "h.\(Base64URL.encode(Array(claims.utf8))).s", refreshToken: "", expiresAt: Date())
        }
        let short = DelegatedToken(now: { clock.now }, login: login)
        _ = try await short.token()
        clock.pass(20)
        _ = try await short.token()
        #expect(count.withLock { $0 } == 1)
        clock.pass(15)
        _ = try await short.token()
        #expect(count.withLock { $0 } == 2)
    }
}
