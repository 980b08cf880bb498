import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// One application over both transports. Spec: 60, section 8.5.
@Suite("Transport conformance") struct TransportConformanceTests {
    /// A node that is a relay as well, a client of each kind, and what was asked of it.
    private struct Both {
        let fixture: RelayNodeFixture
        let mero: Mero
        let clients: [MeroTransportClient]

        static func start() async throws -> Both {
            let fixture = try await RelayNodeFixture.start()
            let mero = Mero(config: MeroConfig(baseURL: fixture.node.url))
            let tokens = fixture.node.mintTokens()
            await mero.setTokenData(
                TokenData(
                    accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                    expiresAt: Date(timeIntervalSince1970: 0)))
            let relayed = try MeroTransportClient(.relay(RelayTransportConfig(relay: fixture.relay())))
            return Both(fixture: fixture, mero: mero, clients: [MeroTransportClient(mero: mero), relayed])
        }
    }

    /// T1, T2, T5: the same function, the same values, the same bodies.
    @Test func theSameFunctionRunsOnBoth() async throws {
        let both = try await Both.start()
        let context = both.fixture.keyValue
        func app(_ rpc: any ExecuteTransport) async throws -> [String?] {
            let _: Empty = try await rpc.execute(
                contextId: context, method: "set", argsJson: ["key": "k", "value": "v"])
            let value: String? = try await rpc.execute(contextId: context, method: "get", argsJson: ["key": "k"])
            let absent: String? = try await rpc.execute(contextId: context, method: "get", argsJson: ["key": "none"])
            let entries: [String: String] = try await rpc.execute(contextId: context, method: "entries")
            return [value, absent, entries["k"]]
        }
        var bodies: [[JSONValue?]] = []
        for client in both.clients {
            both.fixture.node.clearRequests()
            #expect(try await app(client.rpc) == ["v", nil, "v"])
            let posts = both.fixture.node.requests.filter { $0.method == "POST" }
            bodies.append(
                posts.map { post in
                    let body = try? MeroJSON.decode(JSONValue.self, from: post.body)
                    let call = body?["params"] ?? body
                    return ["method": call?["method"] ?? .null, "argsJson": call?["argsJson"] ?? .null]
                })
        }
        #expect(bodies[0] == bodies[1] && bodies[0].count == 4)
        #expect(bodies[0].last == ["method": "entries", "argsJson": [:]])
        let onNode: ExecuteResult<Int> = try await both.clients[0].rpc.executeWithMetadata(
            contextId: both.fixture.probe, method: "increment")
        #expect(onNode.returns == 1 && onNode.transport == .node && onNode.rootHash == nil)
        let onRelay: ExecuteResult<Int> = try await both.clients[1].rpc.executeWithMetadata(
            contextId: both.fixture.probe, method: "increment")
        #expect(onRelay.returns == 2 && onRelay.transport == .relay)
        #expect(onRelay.rootHash.map(Hex.is32) == true)
        await both.fixture.stop()
    }

    /// T3, and what else a method can come to.
    @Test func nullAndErrorsAreTheSameOnBoth() async throws {
        let both = try await Both.start()
        let probe = both.fixture.probe
        for client in both.clients {
            let nothing: String? = try await client.rpc.execute(contextId: probe, method: "nothing")
            #expect(nothing == nil)
            let null: JSONValue = try await client.rpc.execute(contextId: probe, method: "nothing")
            #expect(null == .null)
            let _: Empty = try await client.rpc.execute(contextId: probe, method: "nothing")
            guard
                case MeroError.emptyResponse? = await meroError({
                    let _: String = try await client.rpc.execute(contextId: probe, method: "nothing")
                })
            else {
                Issue.record("null became a String over \(client.transport)")
                continue
            }
            let failed = await meroError {
                let _: Empty = try await client.rpc.execute(
                    contextId: probe, method: "fail", argsJson: ["message": "bad nonce"])
            }
            #expect(failed?.errorType == "FunctionCallError")
            guard
                case MeroError.decoding? = await meroError({
                    let _: Int = try await client.rpc.execute(contextId: probe, method: "executor")
                })
            else {
                Issue.record("a text became an Int over \(client.transport)")
                continue
            }
        }
        // A method's error is no refusal, whatever its words: one warrant, and its number is free.
        #expect(both.fixture.node.requestCount("POST", both.fixture.intents(probe)) == 6)
        await both.fixture.stop()
    }

    @Test func everyDigitSurvivesOnBoth() async throws {
        let both = try await Both.start()
        struct Big: Codable, Equatable {
            let a: UInt64
            let b: Int64
        }
        let big = Big(a: .max, b: 9_007_199_254_740_993)
        let relay = RelayTransport(try both.clients[1].relay)
        let node = MeroRpcTransport(both.mero)
        #expect(try await relay.execute(contextId: both.fixture.probe, method: "echo", argsJson: big) as Big == big)
        #expect(try await node.execute(contextId: both.fixture.probe, method: "echo", argsJson: big) as Big == big)
        let text = try RawJSON(#"{"x":18446744073709551615,"y":[1.5,"é"]}"#)
        let back: RawJSON = try await relay.execute(contextId: both.fixture.probe, method: "echo", argsJson: text)
        #expect(back.text.contains("18446744073709551615"))
        await both.fixture.stop()
    }

    private struct MigratingContract: DevContract {
        let name = "migrating"
        let methods: [String: DevMethod] = [
            "migrate_my_entries": .mutate { call in
                let old = call.state["pending"]?.intValue ?? 3
                call.state["pending"] = 0
                return ["converted": .number(Double(old)), "remaining": 0]
            },
            "count_my_pending": .read { $0.state["pending"] ?? 3 },
        ]
    }

    /// T4.
    @Test func migrationsRunOnBoth() async throws {
        let both = try await Both.start()
        for client in both.clients {
            let group = try both.fixture.node.createNamespace(
                members: [both.fixture.ada.accountId: .member], contract: MigratingContract())
            let context = try both.fixture.node.createContext(MigratingContract(), inGroup: group)
            #expect(try await client.rpc.countMyPending(context) == 3)
            #expect(
                try await client.rpc.migrateMyEntries(context) == MigrateMyEntriesSummary(converted: 3, remaining: 0))
            #expect(try await client.rpc.countMyPending(context) == 0)
        }
        await both.fixture.stop()
    }

    // MARK: Surfaces

    private func error(of work: () async throws -> Void) async -> MeroTransportError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? MeroTransportError
        }
    }

    /// T6 and T7: a relay and nothing else.
    @Test(arguments: [false, true]) func aBareRelaySaysWhatIsMissing(observesNobody: Bool) async throws {
        let fixture = try await RelayNodeFixture.start()
        let client = try MeroTransportClient(
            .relay(
                RelayTransportConfig(
                    relay: try fixture.relay(), observe: observesNobody ? RelayObserveConfig(nodeKey: nil) : nil)))
        #expect(client.transport == .relay && !client.canSubscribe && !client.rpc.canSubscribe)
        #expect(await error { _ = try client.events as SseClient } == .missingNodeKey(surface: "SSE events"))
        #expect(await error { _ = try client.ws } == .missingNodeKey(surface: "WebSocket events"))
        #expect(await error { _ = try await client.admin } == .noAdminCredential)
        for surface in [
            await error { _ = try client.node }, await error { _ = try await client.auth },
            await error { _ = try client.cloud },
        ] {
            guard case .relayHasNo(let name, let why)? = surface else {
                Issue.record("\(String(describing: surface))")
                continue
            }
            let text = surface?.localizedDescription ?? ""
            #expect(text.contains("relay transport") && text.contains(name) && text.contains(why))
        }
        guard case .relay(let presence) = try client.ephemeral, case .relay(let again) = try client.ephemeral else {
            Issue.record("no presence")
            return
        }
        #expect(presence === again)
        #expect(throws: MeroTransportError.missingNodeKey(surface: "SSE events")) {
            _ = try presence.subscribe(fixture.keyValue)
        }
        #expect(try client.relay.relayURL == fixture.node.url.absoluteString.trimmingSuffix("/"))
        client.connectEvents()
        client.close()
        client.close()
        #expect(fixture.node.requests.isEmpty)
        await fixture.stop()
    }

    @Test func everyErrorNamesWhatItIsAbout() {
        let phrases: [(MeroTransportError, [String])] = [
            (.noNodeConnection, ["relay transport", "node connection", "signing key", "node client", "not chosen"]),
            (.noAuthApi, ["auth API", "no node credential"]),
            (.noCloudClient, ["bundled cloud client", "cloud connection"]),
            (.nodeHasNoRelay, ["node transport", "no relay"]),
            (
                .noAdminCredential,
                ["relay-transport", "session token", "proof", "not a reading credential", "sessionToken"]
            ),
            (
                .missingNodeKey(surface: "SSE events"),
                [
                    "SSE events", "no relay node key", "does serve /sse and /ws", "out of band",
                    "never derived from its peerId", "RelayObserveConfig(nodeKey:)",
                ]
            ), (.proofCannotOpenWebSocket, ["WsClient", "bearer token only", "header", "events"]),
        ]
        for (error, words) in phrases {
            for word in words { #expect(error.localizedDescription.contains(word), "\(error)") }
        }
    }

    /// T8: requests signed one by one.
    @Test func aProofReadsAndListens() async throws {
        let fixture = try await RelayNodeFixture.start()
        let client = try MeroTransportClient(
            .relay(RelayTransportConfig(relay: try fixture.relay(), proof: fixture.proof)))
        #expect(client.canSubscribe && !client.rpc.canSubscribe)
        #expect(await error { _ = try client.ws } == .proofCannotOpenWebSocket)
        let admin = try await client.admin
        let answer = try await admin.queryContext(fixture.keyValue, request: QueryContextRequest(method: "len"))
        #expect(answer.returns == 0)
        let request = try #require(fixture.node.requests.last)
        #expect(request.headers["x-calimero-proof"] != nil && request.headers["authorization"] == nil)
        // A base path, a query and a body are signed as they go; a repetition is signed anew.
        fixture.node.inject(.status(503), on: "GET /admin-api/namespaces")
        let listing: JSONValue = try await admin.http.get("/admin-api/namespaces?limit=5")
        #expect(listing["data"]?.arrayValue?.count == 1)
        let events: SseClient = try client.events
        let same: SseClient = try client.events
        #expect(events === same)
        try await follow(events, fixture)
        let signed = fixture.node.requests.filter { $0.path.hasPrefix("/sse") }
        #expect(signed.count >= 2 && signed.allSatisfy { $0.headers["x-calimero-proof"] != nil })
        #expect(signed.allSatisfy { $0.headers["authorization"] == nil })
        client.close()
        try await eventually { fixture.openStreams == 0 }
        await fixture.stop()
    }

    /// T9: the token alone, since two credentials would be two identities.
    @Test func aTokenWinsOverAProof() async throws {
        let fixture = try await RelayNodeFixture.start()
        let token = try await fixture.token()
        let asked = Locked(0)
        let client = try MeroTransportClient(
            .relay(
                RelayTransportConfig(
                    relay: try fixture.relay(),
                    sessionToken: {
                        asked.withLock { $0 += 1 }
                        return token
                    }, proof: fixture.proof)))
        let admin = try await client.admin
        for _ in 0..<2 {
            _ = try await admin.queryContext(fixture.keyValue, request: QueryContextRequest(method: "len"))
        }
        for request in fixture.node.requests.suffix(2) {
            #expect(request.headers["authorization"] == "Bearer \(token)")
            #expect(request.headers["x-calimero-proof"] == nil)
        }
        #expect(asked.withLock { $0 } == 2)
        // No token: the request goes out bare, and what throws is thrown.
        let bare = try MeroTransportClient(
            .relay(RelayTransportConfig(relay: try fixture.relay(), sessionToken: { nil })))
        let refused = await meroError {
            _ = try await bare.admin.queryContext(fixture.keyValue, request: .init(method: "len"))
        }
        #expect(refused?.httpStatus == 401)
        #expect(fixture.node.requests.last?.headers["authorization"] == nil)
        let failing = try MeroTransportClient(
            .relay(
                RelayTransportConfig(relay: try fixture.relay(), sessionToken: { throw AccountError.notSignedIn("x") }))
        )
        await #expect(throws: AccountError.notSignedIn("x")) {
            try await failing.admin.queryContext(fixture.keyValue, request: .init(method: "len"))
        }
        await fixture.stop()
    }

    /// T10 and T12: one login for both streams, when the first one connects.
    @Test func theObserversSessionServesBothStreams() async throws {
        let fixture = try await RelayNodeFixture.start()
        let client = try MeroTransportClient(
            .relay(RelayTransportConfig(relay: try fixture.relay(), observe: fixture.observe, proof: fixture.proof)))
        #expect(client.canSubscribe && client.rpc.canSubscribe)
        let events: SseClient = try client.events
        let ws = try client.ws
        #expect(fixture.node.requests.isEmpty)
        events.connect()
        ws.connect()
        try await eventually { fixture.openStreams == 1 && fixture.node.webSockets.count == 1 }
        let login = fixture.routes.prefix(2)
        #expect(Array(login) == ["GET /auth/challenge", "POST /auth/token"])
        #expect(fixture.node.requestCount("POST", "/auth/token") == 1)
        let body = try MeroJSON.decode(
            JSONValue.self, from: try #require(fixture.node.requests.first { $0.path == "/auth/token" }).body)
        #expect(body["permissions"] == nil && body["auth_method"] == "account_proof")
        #expect(body["client_name"]?.stringValue == (try client.relay).relayURL)
        for request in fixture.node.requests where request.path == "/sse" {
            #expect(request.headers["authorization"]?.hasPrefix("Bearer ") == true)
            #expect(request.headers["x-calimero-proof"] == nil)
        }
        try await follow(events, fixture)
        client.close()
        try await eventually { fixture.openStreams == 0 && fixture.node.webSockets.count == 0 }
        await fixture.stop()
    }

    /// T11.
    @Test func aNodeIsTheMeroThatWasGiven() async throws {
        let mero = Mero(config: MeroConfig(baseURL: try #require(URL(string: "http://127.0.0.1:9"))))
        let cloud = CloudClient(baseURL: try #require(URL(string: "http://127.0.0.1:9/cloud")))
        let client = try MeroTransportClient(.node(NodeTransportConfig(mero: mero, cloud: cloud)))
        #expect(client.transport == .node && client.canSubscribe && client.rpc.canSubscribe)
        #expect(try client.node === mero)
        #expect(await error { _ = try client.relay } == .nodeHasNoRelay)
        let events: SseClient = try client.events
        #expect(events === mero.sse)
        #expect(try client.ws === mero.ws)
        guard case .node(let presence) = try client.ephemeral else {
            Issue.record("no presence")
            return
        }
        #expect(presence === mero.ephemeral)
        #expect(try client.cloud.baseURL.absoluteString == "http://127.0.0.1:9/cloud")
        #expect(try MeroTransportClient(mero: mero).cloud.baseURL == CloudClient.defaultBaseURL)
        #expect(try MeroTransportClient(mero: mero, cloud: cloud).cloud.baseURL == cloud.baseURL)
        _ = try await client.admin
        _ = try await client.auth
        client.close()
    }

    /// Waits until an event of the context arrives.
    private func follow(_ events: SseClient, _ fixture: RelayNodeFixture) async throws {
        let seen = Locked(0)
        let listener = events.on { event in if event.contextId == fixture.probe { seen.withLock { $0 += 1 } } }
        events.connect()
        try await events.subscribe(contextIds: [fixture.probe])
        try await eventually { events.status.isComplete }
        let relay = try fixture.relay()
        _ = try await relay.execute(contextId: fixture.probe, method: "increment")
        try await eventually { seen.withLock { $0 } > 0 }
        listener.cancel()
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
