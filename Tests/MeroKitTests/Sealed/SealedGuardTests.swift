import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// What is refused before it is sent, and what nobody on the way can bring about. Spec: 80, sections 1.3, 1.6, 1.7 and 1.10.
@Suite("Sealed guards") struct SealedGuardTests {
    // MARK: Before anything is sent

    @Test func aHeadThatNoNodeReadsIsNotSent() async throws {
        let fixture = try await SealedFixture.start()
        let engine = Sealing(key: fixture.fixed).engine(
            over: try EngineUnderTest.allCases[0].make(), baseURL: fixture.node.url)
        let path = "/admin-api/health?x="
        let room = SealedRequestHead.limit - (try SealedRequestHead(method: "GET", path: path, headers: []).json.count)
        func ask(_ count: Int) async throws -> Int {
            let url = fixture.node.url.absoluteString + path + String(repeating: "a", count: count)
            return try await engine.perform(
                EngineRequest(
                    url: url, method: "GET", headers: [], inactivityTimeout: 20, sink: .memory(limit: 1 << 20))
            ).status
        }
        let error = await failure(of: { _ = try await ask(room + 1) })
        #expect(error as? SealedTransportError == .headTooLarge(limit: 65_536))
        #expect(fixture.node.requests.isEmpty)
        #expect(try await ask(room) == 200)
        await fixture.stop()
    }

    @Test(arguments: ["", "a b", "a:b", "ümlaut", "a\n", "a\u{0}", "(x)", "a,b"])
    func namesThatAreNoneAreNotSealed(_ name: String) {
        #expect(throws: SealedTransportError.invalidHeader(name: name)) {
            _ = try SealedRequestHead(method: "GET", path: "/", headers: [(name, "v")])
        }
    }

    @Test(arguments: ["", "/", "//", "///"]) func theBaseEndsInAnySlashes(_ slashes: String) async throws {
        let fixture = try await SealedFixture.start { $0.pathPrefix = "/n" }
        let url = try #require(URL(string: fixture.node.url.absoluteString + "/n" + slashes))
        let http = URLSessionHttpClient(baseURL: url, options: HttpOptions(sealing: Sealing(key: fixture.fixed)))
        let alive: JSONValue = try await http.get("/admin-api/health")
        #expect(alive["data"]?["status"] == "alive")
        #expect(fixture.node.requests.map(\.path) == ["/n/sealed/v2/handshake", "/n/sealed/v2"])
        #expect(fixture.node.handlerRuns("GET", "/n/admin-api/health") == 1)
        await fixture.stop()
    }

    /// Only what lies below the base is sealed, and nothing else is sent at all.
    @Test(arguments: ["/elsewhere/admin-api/health", "/node12/admin-api/health", "/node1", "/"])
    func whatLiesBesideTheBaseIsRefused(_ path: String) async throws {
        let fixture = try await SealedFixture.start { $0.pathPrefix = "/node1" }
        let base = fixture.node.url.absoluteString + "/node1"
        let http = URLSessionHttpClient(
            baseURL: RelayOrigin.url(base), options: HttpOptions(sealing: Sealing(key: fixture.fixed)))
        let target = fixture.node.url.absoluteString + path
        let error = await failure(of: { let _: JSONValue = try await http.get(target) })
        #expect(error as? SealedTransportError == .outsideBase(url: target, base: base))
        #expect(error?.localizedDescription == "Refusing to send \(target) outside the sealed node at \(base)")
        #expect(fixture.node.requests.isEmpty)
        await fixture.stop()
    }

    @Test func webSocketsEndAtOnce() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn()
        let error = await failure(of: { for try await _ in mero.ws.events(contextIds: [fixture.context]) {} })
        #expect(error as? SealedTransportError == .webSocket)
        await fixture.stop()
    }

    @Test func anAppSignsInSealed() async throws {
        let fixture = try await SealedFixture.start()
        let app = AppSession(
            AppSession.Setup(
                suspensionDelay: 0, httpOptions: HttpOptions(sealing: Sealing(key: fixture.fixed))))
        await app.login(nodeURL: fixture.node.url.absoluteString, username: "dev", password: "dev-password")
        #expect(await app.state.phase == .signedIn)
        let contexts = try await app.admin(for: .aliases).getContexts().contexts
        #expect(contexts.map(\.id) == [fixture.context])
        await app.logout()
        try await eventually { fixture.node.handlerRuns("POST", "/auth/logout") == 1 }
        #expect(fixture.inTheClear == [])
        await fixture.stop()
    }

    // MARK: What comes in the clear

    /// An attestation is asked for in the clear: what stands in its place neither ends a session nor answers a call.
    @Test(arguments: [401, 403, 409, 500, 501]) func whatStandsForAnAttestationDecidesNothing(status: Int) async throws
    {
        let fixture = try await SealedFixture.start()
        let revoked = Locked(false)
        let url = fixture.node.url
        let mero = Mero(
            config: MeroConfig(
                baseURL: url, onAuthRevoked: { _ in revoked.withLock { $0 = true } },
                httpOptions: HttpOptions(sealing: Sealing(key: fixture.attested))))
        _ = try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
        fixture.node.sealed.renewTransportKey()
        let fault = fixture.node.inject(
            .status(
                status, body: Data(#"{"error":{"code":"busy","message":"nonce already used"}}"#.utf8),
                headers: ["x-auth-error": "token_revoked", "location": "http://127.0.0.1:1/"]),
            on: "POST /admin-api/tee/attest", times: nil)
        let error = await failure(of: {
            let _: JSONValue = try await mero.http.get("/admin-api/contexts")
        })
        guard case MeroError.http(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.status == status && answer.cameInTheClear && answer.refusal == nil)
        #expect(answer.headers["x-auth-error"] == nil && answer.headers["location"] == nil)
        #expect(!revoked.withLock { $0 })
        #expect(await mero.isAuthenticated)
        fault.remove()
        let _: JSONValue = try await mero.http.get("/admin-api/contexts")
        await fixture.stop()
    }

    /// A pinned key is the one that counts: a node with another one is not spoken to.
    @Test func anotherKeyThanThePinnedOneIsRefused() async throws {
        let fixture = try await SealedFixture.start()
        let other = try X25519.publicKey(secret: randomBytes(32))
        let mero = fixture.mero(Sealing(key: .fixed(other)))
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect(clearCode(error) == "stale_transport_key")
        #expect(fixture.node.requestCount("POST", "/sealed/v2") == 0)
        // A pinned key is shown once: there is no other to try.
        #expect(fixture.node.requestCount("POST", "/sealed/v2/handshake") == 1)
        // One who takes part in the handshake without the key that is pinned.
        let impostor = try ScriptedServer.answering { _ in
            "HTTP/1.1 200 OK\r\nContent-Type: \(SealedSessions.contentType)\r\nContent-Length: 69\r\n\r\n"
                + "\u{2}" + String(repeating: "A", count: 68)
        }
        defer { impostor.stop() }
        let fooled = fixture.mero(Sealing(key: .fixed(other)), at: RelayOrigin.url(impostor.url))
        let refusal = await failure(of: { let _: JSONValue = try await fooled.http.get("/admin-api/health") })
        #expect(refusal as? SealedTransportError == .handshake)
        #expect(impostor.requests.count == 1)
        await fixture.stop()
    }

    /// A refusal of a method's own can only come out of the seal.
    @Test func aClearAnswerIsNoMethodsRefusal() async throws {
        let fixture = try await SealedFixture.start()
        let mero = fixture.mero(Sealing(key: fixture.fixed))
        let body = #"{"error":"no","type":"ExecutionError","data":{}}"#
        fixture.node.inject(.status(409, body: Data(body.utf8)), on: "POST /sealed/v2")
        guard
            case MeroError.http(let answer)? = await failure(of: {
                let _: JSONValue = try await mero.http.get("/admin-api/contexts")
            })
        else {
            Issue.record("another error")
            return
        }
        #expect(answer.cameInTheClear && answer.refusal == nil && answer.bodyText == body)
        await fixture.stop()
    }

    @Test func aHandshakeAnsweredInTheClearIsNamedSo() async throws {
        let fixture = try await SealedFixture.start()
        let fault = fixture.node.inject(
            .answer(Data(repeating: 2, count: 69)), on: "POST /sealed/v2/handshake", times: nil)
        let error = await failure(of: {
            let _: JSONValue = try await fixture.mero(Sealing(key: fixture.fixed)).http.get("/admin-api/health")
        })
        #expect(error as? SealedTransportError == .notSealed(status: 200))
        #expect(fault.hits == 1 && fixture.node.requestCount("POST", "/sealed/v2") == 0)
        await fixture.stop()
    }

    /// `Retry-After` of a clear answer is heeded for `busy` alone, and for no other is anything sent again.
    @Test func busyOnTheExchangeIsAnOrdinaryRetry() async throws {
        let fixture = try await SealedFixture.start()
        let busy = Data(#"{"error":{"code":"busy","message":"later"}}"#.utf8)
        let mero = fixture.mero(Sealing(key: fixture.fixed))
        let fault = fixture.node.inject(.status(503, retryAfter: "0", body: busy), on: "POST /sealed/v2", times: 1)
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        #expect(fault.hits == 1 && fixture.node.requestCount("POST", "/sealed/v2") == 2)
        let other = fixture.node.inject(.status(503), on: "POST /sealed/v2", times: nil)
        _ = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect(other.hits == 1)
        await fixture.stop()
    }

    /// A second `unknown_session` is thrown.
    @Test func aSessionIsReplacedOnce() async throws {
        let fixture = try await SealedFixture.start()
        let body = Data(#"{"error":{"code":"unknown_session","message":"who?"}}"#.utf8)
        let fault = fixture.node.inject(.status(409, body: body), on: "POST /sealed/v2", times: nil)
        let mero = fixture.mero()
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect(clearCode(error) == "unknown_session")
        #expect(fault.hits == 2 && fixture.handshakes == 2)
        await fixture.stop()
    }

    /// A handshake refused as stale leads to one more attestation, not to many.
    @Test func aStaleKeyIsAttestedOnce() async throws {
        let fixture = try await SealedFixture.start()
        let body = Data(#"{"error":{"code":"stale_transport_key","message":"gone"}}"#.utf8)
        let fault = fixture.node.inject(.status(409, body: body), on: "POST /sealed/v2/handshake", times: nil)
        let error = await failure(of: {
            let _: JSONValue = try await fixture.mero().http.get("/admin-api/health")
        })
        #expect(clearCode(error) == "stale_transport_key")
        #expect(fault.hits == 2 && fixture.attestations.withLock { $0 } == 2)
        await fixture.stop()
    }

    /// A failed opening is forgotten: the next request tries again.
    @Test func nothingOfAFailureIsRemembered() async throws {
        let fixture = try await SealedFixture.start()
        let mero = fixture.mero(policy: .never)
        fixture.node.inject(.status(403), on: "POST /admin-api/tee/attest")
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect((error as? MeroError)?.httpStatus == 403)
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        await fixture.stop()
    }

    // MARK: What the node holds to

    @Test func aNodeHoldsSoManySessions() async throws {
        let fixture = try await SealedFixture.start { $0.sealing.sessionLimit = 2 }
        let clients = (0..<3).map { _ in fixture.mero(Sealing(key: fixture.fixed)) }
        for mero in clients { let _: JSONValue = try await mero.http.get("/admin-api/health") }
        #expect(fixture.node.sealed.sessionCount == 2 && fixture.handshakes == 3)
        // The first one's was used longest ago. To its client that is a session like any other that is gone.
        for mero in clients[1...] { let _: JSONValue = try await mero.http.get("/admin-api/health") }
        #expect(fixture.handshakes == 3)
        let _: JSONValue = try await clients[0].http.get("/admin-api/health")
        #expect(fixture.handshakes == 4 && fixture.node.sealed.sessionCount == 2)
        await fixture.stop()
    }

    @Test func aNodeTakesSoManyHandshakes() async throws {
        let fixture = try await SealedFixture.start {
            $0.sealing.handshakeBurst = 2
            $0.sealing.handshakesPerSecond = 1
        }
        fixture.node.clock.freeze()
        let time = SealedTestClock()
        let get: @Sendable () async throws -> Void = {
            let sealing = Sealing(key: fixture.fixed, clock: time.clock)
            let _: JSONValue = try await fixture.mero(sealing, policy: .never).http.get("/admin-api/health")
        }
        try await get()
        try await get()
        #expect(time.waits.isEmpty)
        #expect(clearCode(await failure(of: { try await get() })) == "busy")
        #expect(time.waits == [1])
        fixture.node.clock.advance(by: 1)
        try await get()
        #expect(time.waits == [1])
        await fixture.stop()
    }

    @Test func aNodeHoldsSoManyBytes() async throws {
        let fixture = try await SealedFixture.start { $0.sealing.heldLimit = 2000 }
        let http = URLSessionHttpClient(
            baseURL: fixture.node.url, retryPolicy: .never, options: HttpOptions(sealing: Sealing(key: fixture.fixed)))
        let _: JSONValue = try await http.get("/admin-api/health")
        let error = await failure(of: {
            let _: JSONValue = try await http.post("/jsonrpc", json: ["x": String(repeating: "a", count: 3000)])
        })
        #expect(clearCode(error) == "busy")
        let _: JSONValue = try await http.get("/admin-api/health")
        await fixture.stop()
    }

    /// A refused HEAD has a body in its seal, without which nobody would know of which kind it is.
    @Test func aRefusedHeadSaysWhy() async throws {
        let fixture = try await SealedFixture.start { $0.sealing.reach = .unguarded }
        let whole = URLSessionHttpClient(
            baseURL: fixture.node.url, options: HttpOptions(sealing: Sealing(key: fixture.fixed)))
        guard
            case MeroError.http(let answer)? = await failure(of: {
                _ = try await whole.head("/admin-api/contexts", headers: [:])
            })
        else {
            Issue.record("another error")
            return
        }
        #expect(answer.status == 403 && !answer.cameInTheClear)
        #expect(fixture.inTheClear == [])
        let relay = URLSessionHttpClient(
            baseURL: fixture.node.url,
            options: HttpOptions(sealing: Sealing(key: fixture.fixed, isForRelays: true, sparesLoopback: false)))
        _ = await failure(of: { _ = try await relay.head("/admin-api/contexts", headers: [:]) })
        #expect(fixture.inTheClear == ["HEAD /admin-api/contexts"])
        await fixture.stop()
    }

    // MARK: What stays in memory

    /// The secret of a handshake goes with the handshake, its keys with the session.
    @Test func secretsAreLetGoOf() throws {
        let vector = try #require(try SealedVectors.load("handshake").items("cases").first)
        weak var ephemeral: SecretBytes?
        weak var key: SecretBytes?
        do {
            let outcome: NoiseHandshake.Outcome
            do {
                let secret = SecretBytes(try vector.bytes("clientEphemeralSecret"))
                ephemeral = secret
                let handshake = try NoiseHandshake(
                    transportKey: Array(vector.bytes("transportPublic")), ephemeral: secret)
                outcome = try handshake.finish(Array(vector.bytes("handshakeReply")))
            }
            #expect(ephemeral == nil)
            key = outcome.requestKey
            let session = SealedSession(outcome, now: 0)
            #expect(try session.seal(head: [], body: Data()).envelope.count == 45)
            #expect(key != nil)
        }
        #expect(key == nil)
    }

    @Test func whatIsWrittenOnceIsThere() {
        let secret = SecretBytes(count: 5) { room in
            #expect(room.allSatisfy { $0 == 0 })
            room[4] = 9
        }
        #expect(secret.withUnsafeBytes { Array($0) } == [0, 0, 0, 0, 9])
        var memory: [UInt8] = [1, 2, 3]
        memory.withUnsafeMutableBytes { SecretBytes.wipe($0) }
        #expect(memory == [0, 0, 0])
    }
}
