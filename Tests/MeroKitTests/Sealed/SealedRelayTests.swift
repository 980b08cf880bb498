import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Sealing towards relays. Spec: 80, section 1.10; 60, section 4.3.
@Suite("Sealed transport to a relay") struct SealedRelayTests {
    private func relay(_ fixture: RelayNodeFixture, _ sealing: Sealing, token: String? = nil) -> RelayClient {
        RelayClient(
            relayURL: fixture.node.url.absoluteString, authorAccount: fixture.ada.accountId,
            authorProof: fixture.ada.credential, keys: fixture.ada.keys, nonces: fixture.nonces,
            tokenProvider: { token }, options: HttpOptions(sealing: sealing))
    }

    /// The fixture's account, which seals everything.
    private static func delegated(_ fixture: RelayNodeFixture) throws -> DelegatedAccount {
        let url = fixture.node.url.absoluteString
        let pins = RelayKeyPins()
        try pins.pin(fixture.node.nodeKey, for: url)
        return try DelegatedAccount(
            session: DelegatedSession(
                credential: DelegatedCredential(
                    account: fixture.ada.accountId, credential: fixture.ada.credential,
                    deviceKey: fixture.ada.keys.signPublicKey), relayURL: url),
            keys: fixture.ada.keys, nonces: fixture.nonces, pins: pins, audience: .cli,
            options: HttpOptions(sealing: Sealing(key: .fixed(fixture.node.sealed.transportKey))))
    }

    @Test func aRelayOnThisMachineIsNotSealedTo() async throws {
        let fixture = try await RelayNodeFixture.start()
        let sealing = Sealing.relays { _ in throw SealedTransportError.transportKey }
        _ = try await relay(fixture, sealing).execute(contextId: fixture.probe, method: "increment")
        #expect(fixture.node.requestCount("POST", "/sealed/v2") == 0)
        await fixture.stop()
    }

    /// Intents go sealed; what needs a session goes in the clear once the relay has said, sealed, that it must.
    @Test func onlyWhatARelayCannotTakeSealedGoesInTheClear() async throws {
        let fixture = try await RelayNodeFixture.start { $0.sealing.reach = .unguarded }
        let sealing = Sealing(
            key: .fixed(fixture.node.sealed.transportKey), isForRelays: true, sparesLoopback: false)
        let observer = RelayObserver(
            relayURL: fixture.node.url.absoluteString, nodeKey: fixture.node.nodeKey,
            credential: fixture.ada.credential,
            keys: fixture.ada.keys, audience: .cli, options: HttpOptions(sealing: sealing))
        let token = try await observer.accessToken()
        #expect(!token.isEmpty)
        #expect(fixture.node.requestCount("POST", "/sealed/v2") == 1)
        let client = relay(fixture, sealing, token: token)
        for _ in 0..<3 { _ = try await client.execute(contextId: fixture.probe, method: "increment") }
        #expect(fixture.node.requestCount("POST", fixture.intents(fixture.probe)) == 0)
        #expect(fixture.node.handlerRuns("POST", fixture.intents(fixture.probe)) == 3)
        // Nothing of the first kind is tried sealed again.
        #expect(fixture.node.requestCount("POST", "/auth/token") == 1)
        await fixture.stop()
    }

    /// A clear answer, whatever it says, opens no way into the clear and leads to no second warrant.
    @Test(arguments: [
        #"{"error":{"code":"sealed_route_unguarded","message":"come here"}}"#, #"{"error":"nonce already used"}"#,
    ]) func nobodyOnTheWayCanForceAnything(body: String) async throws {
        let fixture = try await RelayNodeFixture.start()
        let sealing = Sealing(
            key: .fixed(fixture.node.sealed.transportKey), isForRelays: true, sparesLoopback: false)
        let client = relay(fixture, sealing)
        _ = try await client.execute(contextId: fixture.probe, method: "increment")
        // The describing goes through, then the answer to the intent is another's.
        let fault = fixture.node.inject(.status(403, body: Data(body.utf8)), on: "POST /sealed/v2", times: nil)
        let error = await failure(of: { _ = try await client.execute(contextId: fixture.probe, method: "increment") })
        guard case MeroError.http(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.status == 403 && answer.cameInTheClear)
        fault.remove()
        #expect(fixture.node.handlerRuns("POST", fixture.intents(fixture.probe)) == 1)
        #expect(fixture.node.requests.allSatisfy { $0.path.hasPrefix("/sealed/v2") })
        await fixture.stop()
    }

    /// The relay ran the intent; somebody swallows the answer and says that the session is unknown. The second copy is
    /// refused as spent, and no second warrant is signed.
    @Test func aForgedLossOfTheSessionIsNoSecondWrite() async throws {
        let fixture = try await RelayNodeFixture.start()
        let sealing = Sealing(key: .fixed(fixture.node.sealed.transportKey))
        let client = relay(fixture, sealing)
        #expect(try await client.execute(Int.self, contextId: fixture.probe, method: "increment") == 1)
        let path = fixture.intents(fixture.probe)
        let tap = try Wiretap(to: fixture.node.port)
        let nonces = MemoryWarrantNonceStore()
        nonces.advance(relay: tap.url.absoluteString, to: 10)
        let tapped = RelayClient(
            relayURL: tap.url.absoluteString, authorAccount: fixture.ada.accountId,
            authorProof: fixture.ada.credential, keys: fixture.ada.keys, nonces: nonces,
            options: HttpOptions(sealing: sealing))
        _ = try await tapped.describe(fixture.probe)
        let forged = Locked(false)
        let body = #"{"error":{"code":"unknown_session","message":"who?"}}"#
        let answer = Data(
            "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        let node = fixture.node
        tap.change { bytes, _ in
            guard node.handlerRuns("POST", path) == 2,
                forged.withLock({ forged in
                    defer { forged = true }
                    return !forged
                })
            else { return }
            bytes = answer
        }
        let error = await failure(of: { _ = try await tapped.execute(contextId: fixture.probe, method: "increment") })
        guard case AccountError.intentRefused(_, false, 403)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(forged.withLock { $0 })
        #expect(fixture.node.contextState(fixture.probe)?["count"] == 2)
        #expect(fixture.node.delegatedWrites.count == 2)
        await fixture.stop()
        tap.stop()
    }

    /// Login, reads and writes of a delegated account: none of it goes in the clear.
    @Test func aDelegatedAccountIsSealedWhole() async throws {
        let fixture = try await RelayNodeFixture.start()
        let account = try Self.delegated(fixture)
        let client = try #require(try account.client())
        let _: Int = try await client.rpc.execute(contextId: fixture.probe, method: "increment")
        #expect(try await account.admin.listNamespaces().count == 1)
        #expect(fixture.node.handlerRuns("POST", "/auth/token") == 1)
        client.close()
        #expect(fixture.node.requests.allSatisfy { $0.path.hasPrefix("/sealed/v2") })
        await fixture.stop()
    }

    /// One clear answer in the place of an intent's: whatever its status, the write is neither repeated nor called retryable.
    @Test(arguments: [400, 403, 409, 429, 500, 502, 503]) func oneClearAnswerIsNoSecondIntent(status: Int) async throws
    {
        let fixture = try await RelayNodeFixture.start()
        let sealing = Sealing(key: .fixed(fixture.node.sealed.transportKey))
        let client = relay(fixture, sealing)
        _ = try await client.describe(fixture.probe)
        let path = fixture.intents(fixture.probe)
        let tap = try Wiretap(to: fixture.node.port)
        let tapped = RelayClient(
            relayURL: tap.url.absoluteString, authorAccount: fixture.ada.accountId,
            authorProof: fixture.ada.credential, keys: fixture.ada.keys, nonces: MemoryWarrantNonceStore(),
            options: HttpOptions(sealing: sealing))
        _ = try await tapped.describe(fixture.probe)
        let body = #"{"error":"warrant nonce already used"}"#
        let answer = Data(
            "HTTP/1.1 \(status) No\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
        let node = fixture.node
        tap.change { bytes, _ in if node.handlerRuns("POST", path) > 0 { bytes = answer } }
        let error = await failure(of: { _ = try await tapped.execute(contextId: fixture.probe, method: "increment") })
        guard case MeroError.http(let refusal)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.cameInTheClear && refusal.status == status)
        #expect(fixture.node.handlerRuns("POST", path) == 1)
        #expect(fixture.node.delegatedWrites.count == 1)
        await fixture.stop()
        tap.stop()
    }

    /// The words with which a relay says that the account is a member already, in the clear: it is none for that.
    @Test func nobodyOnTheWayMakesAMember() async throws {
        let fixture = try await RelayNodeFixture.start()
        let account = try Self.delegated(fixture)
        let body = #"{"error":"signer \#(fixture.ada.accountId) is a direct member"}"#
        fixture.node.inject(.status(409, body: Data(body.utf8)), on: "POST /sealed/v2", times: nil)
        let error = await failure(of: {
            _ = try await account.admin.joinSubgroupInheritance(String(repeating: "ab", count: 32))
        })
        guard case MeroError.http(let answer)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(answer.status == 409 && answer.cameInTheClear)
        await fixture.stop()
    }

    /// Carries what is meant for a host that does not exist to a node of this machine.
    private final class Rewriting: HttpEngine {
        private let engine: any HttpEngine
        private let from: String
        private let to: String

        init(_ engine: any HttpEngine, from: String, to: String) {
            self.engine = engine
            self.from = from
            self.to = to
        }

        func perform(_ request: EngineRequest) async throws -> EngineResponse {
            var request = request
            request.url = to + request.url.dropFirst(from.count)
            return try await engine.perform(request)
        }
    }

    /// What a relay takes only unsealed goes over TLS, or it does not go.
    @Test(arguments: ["http", "https"]) func onlyTLSCarriesWhatIsNotSealed(scheme: String) async throws {
        let fixture = try await SealedFixture.start { $0.sealing.reach = .unguarded }
        let base = "\(scheme)://relay.example"
        let carrier = Rewriting(
            try EngineUnderTest.allCases[0].make(), from: base, to: fixture.node.url.absoluteString)
        let url = RelayOrigin.url(base)
        let http = URLSessionHttpClient(
            baseURL: url, engine: Sealing(key: fixture.fixed, isForRelays: true).engine(over: carrier, baseURL: url))
        let error = await failure(of: { let _: JSONValue = try await http.get("/admin-api/contexts") })
        // The node's own 403 in its seal, or what it says to a request without a token.
        #expect((error as? MeroError)?.httpStatus == (scheme == "http" ? 403 : 401))
        #expect(fixture.inTheClear == (scheme == "http" ? [] : ["GET /admin-api/contexts"]))
        await fixture.stop()
    }
}
