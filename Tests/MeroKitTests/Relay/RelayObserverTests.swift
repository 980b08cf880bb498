import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Sessions at a relay. Spec: 60, sections 9.1 and 9.2.
@Suite("Relay observer") struct RelayObserverTests {
    /// A relay that hands out whatever tokens the test wants, and counts its logins.
    private struct Scripted {
        static let nodeKey = String(repeating: "5e", count: 32)
        let device: AccountDevice
        let engine: ScriptedEngine
        let observer: RelayObserver

        /// - Parameter token: Told how many logins came before.
        init(
            now: @escaping @Sendable () -> Date = { Date() },
            wait: @escaping @Sendable () async throws -> Void = {},
            challenge: EngineResponse? = nil, token: @escaping @Sendable (Int) throws -> String
        ) throws {
            device = try AccountDevice()
            let logins = Locked(0)
            engine = ScriptedEngine { request, _ in
                if request.url.hasSuffix("/auth/challenge") {
                    return challenge
                        ?? .status(200, [:], #"{"data":{"challenge":"\#(String(repeating: "cc", count: 32))"}}"#)
                }
                try await wait()
                let number = logins.withLock { logins in
                    logins += 1
                    return logins - 1
                }
                return .status(200, [:], #"{"data":{"access_token":"\#(try token(number))","refresh_token":"r"}}"#)
            }
            observer = RelayObserver(
                relayURL: "https://relay.example/", nodeKey: Self.nodeKey.uppercased(), credential: device.credential,
                signer: device.keys, audience: .cli, clientName: nil, ttlSeconds: 300, engine: engine, now: now
            ) { [engine] in engine }
        }

        var logins: Int { engine.requests.filter { $0.url.hasSuffix("/auth/token") }.count }
    }

    private static func jwt(_ number: Int, expires: TimeInterval?) -> String {
        let claims = expires.map { #"{"n":\#(number),"exp":\#(Int($0))}"# } ?? #"{"n":\#(number)}"#
        return "h.\(Base64URL.encode(Array(claims.utf8))).s"
    }

    @Test func aHundredAskersShareOneLogin() async throws {
        let isOpen = Locked(false)
        let scripted = try Scripted(
            wait: { while !isOpen.withLock({ $0 }) { try await Task.sleep(nanoseconds: 1_000_000) } },
            token: { Self.jwt($0, expires: Date().timeIntervalSince1970 + 3600) })
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await scripted.observer.accessToken() } }
            // One who leaves takes nobody along.
            let quitter = Task { try await scripted.observer.accessToken() }
            try await eventually { scripted.logins == 1 }
            quitter.cancel()
            await #expect(throws: CancellationError.self) { try await quitter.value }
            isOpen.withLock { $0 = true }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1 && scripted.logins == 1)
        _ = try await scripted.observer.accessToken()
        #expect(scripted.logins == 1)
        #expect(scripted.observer.nodeKey == Scripted.nodeKey)
        let token = try #require(scripted.engine.requests.first { $0.url.hasSuffix("/auth/token") })
        #expect(token.sendAtMostOnce)
    }

    @Test func aTokenIsRenewedHalfAMinuteBeforeItEnds() async throws {
        let clock = RelayRig.TestClock()
        let start = clock.now.timeIntervalSince1970.rounded(.down)
        let scripted = try Scripted(
            now: { clock.now }, token: { Self.jwt($0, expires: start + 100 * Double($0 + 1)) })
        let first = try await scripted.observer.accessToken()
        clock.pass(69)
        #expect(try await scripted.observer.accessToken() == first)
        // 30 seconds exactly are too few.
        clock.pass(start + 70 - clock.now.timeIntervalSince1970)
        let second = try await scripted.observer.accessToken()
        #expect(second != first && scripted.logins == 2)
        #expect(try await scripted.observer.accessToken() == second)
        await scripted.observer.invalidate()
        _ = try await scripted.observer.accessToken()
        #expect(scripted.logins == 3)
    }

    @Test(arguments: ["opaque", "a.b", "h.e30.s", "h.!!.s", "h.eyJleHAiOiJzb29uIn0.s", "a.b.c.d"])
    func aTokenThatHidesItsLifetimeIsUsedOnce(token: String) async throws {
        let scripted = try Scripted { _ in token }
        for _ in 0..<3 { #expect(try await scripted.observer.accessToken() == token) }
        #expect(scripted.logins == 3)
    }

    @Test func aFailedLoginIsToldToAllAndForgotten() async throws {
        struct Refused: Error {}
        let scripted = try Scripted { number in
            if number == 0 { throw EngineError(kind: .connectionLost, mayHaveReachedNode: true, message: "cut") }
            return Self.jwt(number, expires: Date().timeIntervalSince1970 + 3600)
        }
        guard case MeroError.network? = await failure(of: { try await scripted.observer.accessToken() }) else {
            Issue.record("the failure was hidden")
            return
        }
        // Sent once: its first success spends the challenge.
        #expect(scripted.logins == 1)
        _ = try await scripted.observer.accessToken()
        #expect(scripted.logins == 2)
    }

    @Test func answersThatAreNoneAreProtocolViolations() async throws {
        for (challenge, token) in [
            ("{}", "t"), (#"{"data":{"challenge":""}}"#, "t"), (#"{"challenge":"abc"}"#, "t"), ("", ""),
        ] {
            let answer: EngineResponse? = challenge.isEmpty ? nil : .status(200, [:], challenge)
            let scripted = try Scripted(challenge: answer) { _ in token }
            guard
                case AccountError.protocolViolation? = await failure(of: { try await scripted.observer.accessToken() })
            else {
                Issue.record("taken: \(challenge) \(token)")
                continue
            }
        }
        // Without an envelope it is an answer all the same.
        let bare = try Scripted(
            challenge: .status(200, [:], #"{"challenge":"\#(String(repeating: "cd", count: 32))"}"#)
        ) {
            Self.jwt($0, expires: nil)
        }
        _ = try await bare.observer.accessToken()
    }

    // MARK: Over HTTP

    @Test func logsInAndOutAtARelay() async throws {
        let fixture = try await RelayNodeFixture.start()
        let url = fixture.node.url.absoluteString
        let tokens = try await RelayLogin.login(
            relayURL: url, nodeKey: fixture.node.nodeKey, credential: fixture.ada.credential, keys: fixture.ada.keys,
            audience: .webOrigin("https://app.example"), clientName: "a client")
        let claims = try #require(SessionClaims(token: tokens.accessToken))
        #expect(claims.subject == fixture.ada.accountId && tokens.expiresAt == claims.expiresAt)
        #expect(!tokens.refreshToken.isEmpty)
        await RelayLogin.logout(relayURL: url, refreshToken: tokens.refreshToken)
        await RelayLogin.logout(relayURL: url, refreshToken: "")
        #expect(fixture.node.requestCount("POST", "/auth/logout") == 1)
        // A wrong node key, and a device of somebody else: the relay says 401, and not why.
        let other = try DevAccount()
        for (key, keys) in [(String(repeating: "ab", count: 32), fixture.ada.keys), (fixture.node.nodeKey, other.keys)]
        {
            let refused = await meroError {
                _ = try await RelayLogin.login(
                    relayURL: url, nodeKey: key, credential: fixture.ada.credential, keys: keys, audience: .cli)
            }
            #expect(refused?.httpStatus == 401)
        }
        let before = fixture.node.requests.count
        await #expect(throws: AccountError.self) {
            try await RelayLogin.login(
                relayURL: url, nodeKey: "ab", credential: fixture.ada.credential, keys: fixture.ada.keys)
        }
        #expect(fixture.node.requests.count == before)
        await fixture.stop()
    }

    private func observer(_ fixture: RelayNodeFixture, nodeKey: String? = nil) -> RelayObserver {
        RelayObserver(
            relayURL: fixture.node.url.absoluteString, nodeKey: nodeKey ?? fixture.node.nodeKey,
            credential: fixture.ada.credential, keys: fixture.ada.keys, audience: .cli)
    }

    /// A 401 to a stream leads to one new login; another one right after is final.
    @Test func aRefusedStreamLogsInOnce() async throws {
        let fixture = try await RelayNodeFixture.start()
        let observer = observer(fixture)
        let events = observer.events
        fixture.node.streams.refuseNext(status: 401)
        events.connect()
        try await eventually { events.status.connection == .open }
        #expect(fixture.node.requestCount("POST", "/auth/token") == 2)
        // The new session is as good as any: the next refusal, much later, is answered in the same way.
        fixture.node.streams.refuseNext(status: 401)
        fixture.node.streams.cutAll()
        try await eventually { fixture.node.requestCount("POST", "/auth/token") == 3 }
        try await eventually { events.status.connection == .open && fixture.openStreams == 1 }
        // Two in a row.
        let ended = Locked<Int?>(nil)
        let listener = events.onEnd { error in ended.withLock { $0 = (error as? MeroError)?.httpStatus } }
        fixture.node.streams.refuseNext(status: 401, times: 2)
        fixture.node.streams.cutAll()
        try await eventually { ended.withLock { $0 } == 401 }
        #expect(fixture.node.requestCount("POST", "/auth/token") == 4)
        #expect(events.status.connection == .ended)
        listener.cancel()
        observer.close()
        await fixture.stop()
    }

    /// A login that can never work ends the stream; one that may work later does not.
    @Test func aHopelessLoginEndsTheStream() async throws {
        let fixture = try await RelayNodeFixture.start()
        let hopeless = observer(fixture, nodeKey: String(repeating: "ab", count: 32))
        let status = Locked<Int?>(nil)
        do {
            for try await _ in hopeless.events.events(contextIds: [fixture.keyValue]) {}
        } catch let error as MeroError {
            status.withLock { $0 = error.httpStatus }
        }
        #expect(status.withLock { $0 } == 401)
        let socketEnded = Locked<Int?>(nil)
        let listener = hopeless.ws.onError { error in socketEnded.withLock { $0 = (error as? MeroError)?.httpStatus } }
        hopeless.ws.connect()
        try await eventually { socketEnded.withLock { $0 } == 401 }
        listener.cancel()
        fixture.node.inject(.status(503), on: "POST /auth/token")
        fixture.node.inject(.status(429), on: "GET /auth/challenge")
        let observer = observer(fixture)
        observer.events.connect()
        try await eventually { observer.events.status.connection == .open }
        observer.close()
        hopeless.close()
        await fixture.stop()
    }

    @Test func aForbiddenStreamEnds() async throws {
        let fixture = try await RelayNodeFixture.start()
        let observer = observer(fixture)
        fixture.node.streams.refuseNext(status: 403)
        observer.events.connect()
        try await eventually { observer.events.status.connection == .ended }
        #expect(fixture.node.requestCount("POST", "/auth/token") == 1)
        await fixture.stop()
    }

    /// Both surfaces are refused with the same token: each comes back with the one that replaced it.
    @Test func bothStreamsComeBackAfterTheSessionIsGone() async throws {
        let fixture = try await RelayNodeFixture.start()
        let observer = observer(fixture)
        observer.events.connect()
        observer.ws.connect()
        try await eventually { fixture.openStreams == 1 && fixture.node.webSockets.count == 1 }
        #expect(fixture.node.requestCount("POST", "/auth/token") == 1)
        await observer.invalidate()
        fixture.node.streams.cutAll()
        fixture.node.webSockets.cutAll()
        try await eventually { fixture.node.requestCount("GET", "/sse") == 2 && fixture.node.webSockets.count == 1 }
        #expect(fixture.node.requestCount("POST", "/auth/token") == 2)
        observer.close()
        await fixture.stop()
    }

    // MARK: The node's key

    @Test func attestationTellsTheKey() async throws {
        let fixture = try await RelayNodeFixture.start()
        let url = fixture.node.url.absoluteString
        #expect(try await RelayNodeKey.attest(relayURL: url) == fixture.node.nodeKey)
        let pinned = PinnedRelayKeyVerifier(nodeKey: String(repeating: "AB", count: 32))
        #expect(try await RelayNodeKey.attest(relayURL: url, verifier: pinned) == String(repeating: "ab", count: 32))
        let strict = try await RelayNodeKey.attempt(relayURL: url, verifier: TLSRelayKeyVerifier(allowMock: false))
        guard case .refused(.relayKeyUnavailable) = strict else {
            Issue.record("\(strict)")
            return
        }
        fixture.node.inject(.status(503), on: "POST /admin-api/tee/attest", times: 2)
        let silent = try await RelayNodeKey.attempt(relayURL: url)
        guard case .unavailable(.relayKeyUnavailable) = silent else {
            Issue.record("\(silent)")
            return
        }
        await #expect(throws: AccountError.self) { try await RelayNodeKey.attest(relayURL: url) }
        fixture.node.inject(.answer(Data(#"{"data":{"quoteB64":"AA=="}}"#.utf8)), on: "POST /admin-api/tee/attest")
        guard case .refused = try await RelayNodeKey.attempt(relayURL: url) else {
            Issue.record("half an attestation was taken")
            return
        }
        #expect((1...6).map(RelayKeyAttempt.delay) == [1, 2, 5, 10, 30, 30])
        await fixture.stop()
    }

    @Test func pinsAreKeptByOrigin() throws {
        let store = AnyValueStore<[String: String]>.memory()
        let pins = RelayKeyPins(store: store)
        let key = String(repeating: "AB", count: 32)
        try pins.pin(key, for: "https://relay.example//")
        #expect(pins["https://relay.example"] == key.lowercased())
        #expect(RelayKeyPins(store: store)["https://relay.example/"] == key.lowercased())
        #expect(throws: AccountError.self) { try pins.pin("ab", for: "https://relay.example") }
        for odd in [key, "ab", "", "zz" + key.lowercased().dropFirst(2)] {
            store.save(["https://relay.example": odd])
            #expect(pins["https://relay.example"] == nil)
        }
        pins.forget("https://relay.example/")
        #expect(store.load() == [:])
    }
}
