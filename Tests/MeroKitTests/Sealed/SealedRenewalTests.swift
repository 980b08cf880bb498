import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Keys and sessions that come to their end, over real HTTP. Spec: 80, sections 1.6 and 1.7.
@Suite("Sealed sessions that end") struct SealedRenewalTests {
    /// Twenty calls at the same time.
    private static func atOnce(_ call: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<20 { group.addTask { try await call(index) } }
            try await group.waitForAll()
        }
    }

    @Test func aRestartedNodeIsAttestedAnew() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn()
        fixture.node.sealed.renewTransportKey()
        try await Self.atOnce { _ in
            let _: String? = try await mero.rpc.execute(
                contextId: fixture.context, method: "get", argsJson: ["key": "k"])
        }
        #expect(fixture.attestations.withLock { $0 } == 2)
        #expect(fixture.handshakes == 2)
        #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 20)
        await fixture.stop()
    }

    @Test func aFixedKeyIsNotReplaced() async throws {
        let fixture = try await SealedFixture.start()
        let mero = fixture.mero(Sealing(key: fixture.fixed))
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        fixture.node.sealed.renewTransportKey()
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect(clearCode(error) == "stale_transport_key")
        #expect(error.flatMap { ($0 as? MeroError)?.httpStatus } == 409)
        await fixture.stop()
    }

    @Test func aForgottenSessionIsOpenedAgainOnce() async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn()
        fixture.node.sealed.forgetSessions()
        try await Self.atOnce { index in
            let _: JSONValue? = try await mero.rpc.execute(
                contextId: fixture.context, method: "set", argsJson: ["key": .string("\(index)"), "value": "x"])
        }
        #expect(fixture.handshakes == 2 && fixture.attestations.withLock { $0 } == 1)
        #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 20)
        await fixture.stop()
    }

    @Test func theSecondSendingCanBeTurnedOff() async throws {
        let fixture = try await SealedFixture.start()
        let mero = fixture.mero(.node(key: fixture.fixed, resendsAfterLostSession: false))
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        fixture.node.sealed.forgetSessions()
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect(clearCode(error) == "unknown_session")
        await fixture.stop()
    }

    /// The word that a session is unknown is nobody's: what must not run twice is not sent twice for it.
    @Test(arguments: [RetryPolicy.never, .onlyIfUnsent]) func whatMustNotRunTwiceIsNotSentTwice(
        policy: RetryPolicy
    ) async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed), policy: policy)
        fixture.node.sealed.forgetSessions()
        let set: @Sendable () async throws -> Void = {
            let _: JSONValue? = try await mero.rpc.execute(
                contextId: fixture.context, method: "set", argsJson: ["key": "k", "value": "v"])
        }
        #expect(clearCode(await failure(of: { try await set() })) == "unknown_session")
        #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 0)
        // The next one opens a session again.
        try await set()
        #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 1)
        await fixture.stop()
    }

    @Test func sessionsAreRenewedBeforeTheirEnd() async throws {
        let fixture = try await SealedFixture.start()
        let time = SealedTestClock()
        let mero = fixture.mero(Sealing(key: fixture.fixed, clock: time.clock))
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        for _ in 0..<7 {
            time.advance(500)
            let _: JSONValue = try await mero.http.get("/admin-api/health")
        }
        #expect(fixture.handshakes == 1)
        time.advance(41)
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        #expect(fixture.handshakes == 2)
        // Idle for too long, by the node's own clock.
        fixture.node.clock.advance(by: 601)
        let _: JSONValue = try await mero.http.get("/admin-api/health")
        #expect(fixture.handshakes == 3)
        await fixture.stop()
    }

    @Test func aBusyNodeIsAskedTwice() async throws {
        let fixture = try await SealedFixture.start()
        let time = SealedTestClock()
        let busy = Data(#"{"error":{"code":"busy","message":"later"}}"#.utf8)
        let mero = fixture.mero(Sealing(key: fixture.fixed, clock: time.clock), policy: .never)
        for (asked, waited) in [("3", 3.0), ("60", 5), ("soon", 1)] {
            fixture.node.sealed.forgetSessions()
            let sealing = Sealing(key: fixture.fixed, clock: time.clock)
            fixture.node.inject(
                .status(503, retryAfter: asked, body: busy), on: "POST /sealed/v2/handshake")
            let _: JSONValue = try await fixture.mero(sealing, policy: .never).http.get("/admin-api/health")
            #expect(time.waits.last == waited)
        }
        fixture.node.inject(.status(503, body: busy), on: "POST /sealed/v2/handshake", times: 2)
        let error = await failure(of: { let _: JSONValue = try await mero.http.get("/admin-api/health") })
        #expect(clearCode(error) == "busy")
        await fixture.stop()
    }
}
