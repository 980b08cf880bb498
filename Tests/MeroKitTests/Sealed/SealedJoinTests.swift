import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Joins are sealed where everything else is. Spec: 60, section 6; 80, section 1.10.
@Suite("Sealed joins") struct SealedJoinTests {
    private struct Rig {
        let fixture: RelayNodeFixture
        let bob: DevAccount
        let invitation: SignedGroupOpenInvitation
        let admitPath: String

        init(_ change: (inout DevNodeOptions) -> Void = { _ in }) async throws {
            fixture = try await RelayNodeFixture.start(change)
            bob = try DevAccount()
            invitation = try MeroJSON.decode(
                SignedGroupOpenInvitation.self,
                from: Data(fixture.node.createInvitation(namespace: fixture.namespace).utf8))
            admitPath = "/admin-api/namespaces/\(fixture.namespace)/admit"
        }

        var sealing: Sealing { Sealing(key: .fixed(fixture.node.sealed.transportKey)) }
        var admitURL: URL { RelayOrigin.url(fixture.node.url.absoluteString + admitPath) }

        func join(_ sealing: Sealing, nonce: UInt64 = 1) async throws -> Bool {
            try await AccountJoin.joinWithNode(
                admitURL: admitURL, namespaceId: fixture.namespace, invitation: invitation, account: bob.accountId,
                credential: bob.credential, keys: bob.keys, nonce: nonce, options: HttpOptions(sealing: sealing))
        }

        var isMember: Bool { fixture.node.members(group: fixture.namespace)?[bob.accountId] == .member }
        var allIsSealed: Bool { fixture.node.requests.allSatisfy { $0.path.hasPrefix("/sealed/v2") } }
        var admissions: Int { fixture.node.handlerRuns("POST", admitPath) }
    }

    @Test func aJoinGoesSealed() async throws {
        let rig = try await Rig()
        #expect(try await rig.join(rig.sealing))
        #expect(rig.isMember && rig.allIsSealed && rig.admissions == 1)
        #expect(rig.fixture.node.requestCount("POST", "/sealed/v2") == 1)
        await rig.fixture.stop()
    }

    @Test func allWaysIn() async throws {
        let rig = try await Rig()
        let url = rig.fixture.node.url.absoluteString
        let device = DelegatedCredential(
            account: rig.bob.accountId, credential: rig.bob.credential, deviceKey: rig.bob.keys.signPublicKey)
        let options = HttpOptions(sealing: rig.sealing)
        let nonces = MemoryWarrantNonceStore()
        let outcome = try await AccountJoin.join(
            invitation: rig.invitation, at: url, credential: device, keys: rig.bob.keys, nonces: nonces,
            options: options)
        #expect(outcome.published && rig.isMember && rig.allIsSealed && rig.admissions == 1)
        // The same join once more, by the account's admin API.
        let account = try DelegatedAccount(
            session: DelegatedSession(credential: device), keys: rig.bob.keys, nonces: nonces, audience: .cli,
            options: options)
        let again = try await account.admin.joinNamespace(
            rig.fixture.namespace, request: JoinNamespaceRequest(invitation: rig.invitation), nodeURL: url)
        #expect(again.published && rig.allIsSealed && rig.admissions == 2)
        await rig.fixture.stop()
    }

    @Test func aSignedInAccountJoinsSealed() async throws {
        let node = try await SignInRig.relay()
        let sealing = Sealing(key: .fixed(node.sealed.transportKey))
        let rig = try SignInRig()
        let signIn = CloudSignIn(
            config: CloudConfig(
                cloudBaseURL: try rig.cloud.url, audience: .cli, relayOptions: HttpOptions(sealing: sealing)),
            keyStore: rig.keys, sessionStore: rig.sessions, tokenStore: rig.tokens, nonces: rig.nonces,
            pendingStore: rig.pending)
        rig.cloud.serve(relays: [], account: rig.account)
        _ = try await rig.enrol(signIn)
        let namespace = try node.createNamespace()
        let invitation = try MeroJSON.decode(
            SignedGroupOpenInvitation.self, from: Data(node.createInvitation(namespace: namespace).utf8))
        let joined = try await signIn.join(
            namespaceId: namespace, invitation: invitation, nodeURL: node.url.absoluteString)
        #expect(joined.outcome.published && joined.session.relayUrl == node.url.absoluteString)
        #expect(node.members(group: namespace)?[rig.account] == .member)
        #expect(node.requests.allSatisfy { $0.path.hasPrefix("/sealed/v2") })
        await node.stop()
    }

    /// A relay that cannot take joins sealed says so, sealed; nothing else opens a way into the clear.
    @Test func onlyTheRelaysOwnWordLeadsIntoTheClear() async throws {
        let rig = try await Rig { $0.sealing.reach = .unguarded }
        let sealing = Sealing(
            key: .fixed(rig.fixture.node.sealed.transportKey), isForRelays: true, sparesLoopback: false)
        #expect(try await rig.join(sealing))
        #expect(rig.isMember)
        #expect(
            rig.fixture.routes == ["POST /sealed/v2/handshake", "POST /sealed/v2", "POST \(rig.admitPath)"])
        // A node that is sealed to whole is never spoken to otherwise.
        let whole = try await Rig { $0.sealing.reach = .unguarded }
        guard
            case AccountError.intentRefused(_, false, 403)? = await failure(of: { try await whole.join(whole.sealing) })
        else {
            Issue.record("another error")
            return
        }
        #expect(whole.allIsSealed && !whole.isMember)
        await rig.fixture.stop()
        await whole.fixture.stop()
    }

    /// A clear answer is not the node's refusal, whatever it says: the next one that the invitation names is asked.
    @Test(arguments: [400, 403, 409, 503]) func aClearAnswerIsNoRefusal(status: Int) async throws {
        let rig = try await Rig()
        let body = Data(#"{"error":{"code":"sealed_route_unguarded","message":"not named"}}"#.utf8)
        rig.fixture.node.inject(.status(status, body: body), on: "POST /sealed/v2")
        guard case MeroError.http(let answer)? = await failure(of: { try await rig.join(rig.sealing) }) else {
            Issue.record("another error")
            return
        }
        #expect(answer.status == status && answer.cameInTheClear && rig.allIsSealed && rig.admissions == 0)
        rig.fixture.node.inject(.status(status, body: body), on: "POST /sealed/v2")
        let url = rig.fixture.node.url.absoluteString
        let candidates = try (0..<2).map { _ in try AccountJoin.Candidate(nodeURL: url, rig.fixture.namespace) }
        let outcome = try await AccountJoin.bootstrap(
            candidates, namespaceId: rig.fixture.namespace, invitation: rig.invitation, account: rig.bob.accountId,
            credential: rig.bob.credential, signer: rig.bob.keys, nonce: 2, session: nil,
            options: HttpOptions(sealing: rig.sealing))
        #expect(outcome.published && rig.isMember && rig.allIsSealed)
        await rig.fixture.stop()
    }

    /// A session that is gone does not end a join: a node takes the same one once only.
    @Test func aLostSessionDoesNotEndAJoin() async throws {
        let rig = try await Rig()
        let sealing = rig.sealing
        #expect(try await rig.join(sealing))
        rig.fixture.node.sealed.forgetSessions()
        #expect(try await rig.join(sealing, nonce: 2))
        #expect(rig.allIsSealed && rig.fixture.node.handlerRuns("POST", "/sealed/v2/handshake") == 2)
        await rig.fixture.stop()
    }

    /// What a node says to a second copy is not taken for what it said to the first.
    @Test func aRefusedSecondCopySaysSo() async throws {
        let rig = try await Rig()
        let sealing = rig.sealing
        #expect(try await rig.join(sealing))
        rig.fixture.node.sealed.forgetSessions()
        guard
            case AccountError.intentRefused(let reason, false, _)? = await failure(of: { try await rig.join(sealing) })
        else {
            Issue.record("another error")
            return
        }
        #expect(reason.contains("second copy"))
        await rig.fixture.stop()
    }

    /// What stands in place of an attestation is not the node's word about the join that waits for it.
    @Test(arguments: [(403, "not named"), (409, "signer 00 is a direct member"), (401, "no")])
    func aRefusedAttestationIsNoRefusedJoin(status: Int, text: String) async throws {
        let rig = try await Rig()
        rig.fixture.node.inject(
            .status(status, body: Data(#"{"error":"\#(text)"}"#.utf8), headers: ["x-auth-error": "token_revoked"]),
            on: "POST /admin-api/tee/attest", times: nil)
        let url = rig.fixture.node.url
        let sealing = Sealing(key: .attested { try await SealedFixture.transportKey(of: url) })
        guard case MeroError.http(let answer)? = await failure(of: { try await rig.join(sealing) }) else {
            Issue.record("another error")
            return
        }
        #expect(answer.status == status && answer.cameInTheClear && answer.headers["x-auth-error"] == nil)
        #expect(rig.admissions == 0)
        await rig.fixture.stop()
    }

    @Test(arguments: [
        ("https://r.example/admin-api/namespaces/00/admit", "https://r.example"),
        ("https://r.example/n/admin-api/namespaces/00/admit?x=1", "https://r.example/n"),
        ("https://r.example:8/admin-api/x/admin-api/namespaces/00/admit", "https://r.example:8/admin-api/x"),
        ("http://r.example/elsewhere/admit", "http://r.example"), ("http://[::1]:9", "http://[::1]:9"),
    ]) func whereASealEnds(admitUrl: String, base: String) throws {
        #expect(try AdmitterChoice.base(of: admitUrl).absoluteString == base)
    }
}
