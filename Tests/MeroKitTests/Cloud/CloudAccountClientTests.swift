import Foundation
import Testing

@testable import MeroKit

/// What a user does in the cloud. Spec: 70, section 3.
@Suite("Cloud account client") struct CloudAccountClientTests {
    // MARK: Accounts

    @Test func anAccountSignsIn() async throws {
        let root = AccountRoot.generate()
        let (cloud, engine) = try ScriptedLogin.client(token: nil) { request in
            .status(
                200, [:],
                request.method == "GET" ? #"{"nonce":"n-1","expires_at_ms":1800000000000}"# : ScriptedLogin.session)
        }
        #expect(
            try await cloud.getAccountLoginChallenge() == CloudChallenge(nonce: "n-1", expiresAtMs: 1_800_000_000_000))
        let session = try await cloud.signInWithAccount(root: root)
        #expect(session.sessionToken == "s1")
        let body = try ScriptedLogin.body(engine.requests.last)
        #expect(body.objectValue?.keys.sorted() == ["nonce", "root_public_key", "signature"])
        #expect(body["root_public_key"] == .string(root.publicKey) && body["nonce"] == "n-1")
        try Self.expectSigned(body, .accountLogin, "n-1", root)
        let (unlinked, _) = try ScriptedLogin.answering(#"{"detail":"not linked"}"#, status: 403, token: nil)
        let proof = try AccountRootProof.loginProof(nonce: "n", root: root)
        #expect((await failure(of: { try await unlinked.submitAccountLogin(proof) }) as? MeroError)?.httpStatus == 403)
        #expect(await unlinked.currentSession == nil)
        guard
            case AccountError.invalidInput? = await failure(of: {
                try await cloud.submitAccountLogin(.init(rootPublicKey: "zz", nonce: "n", signature: "s"))
            })
        else { return #expect(Bool(false), "sent a key that is none") }
        #expect(engine.requests.count == 3)
    }

    private static func expectSigned(
        _ body: JSONValue, _ proof: CloudProof, _ nonce: String, _ root: AccountRoot
    ) throws {
        let signature = try #require(Data(base64Encoded: body["signature"]?.stringValue ?? ""))
        let key = try Hex.id(root.publicKey, "key")
        #expect(Ed25519.verify(publicKey: key, signature: signature, message: proof.message(nonce: nonce)))
    }

    @Test func anAccountIsLinked() async throws {
        let root = AccountRoot.generate()
        let (cloud, engine) = try ScriptedLogin.client { request in
            .status(200, [:], request.method == "GET" ? #"{"nonce":"n-2","expires_at_ms":null}"# : "{}")
        }
        #expect(try await cloud.getAccountLinkChallenge() == CloudChallenge(nonce: "n-2", expiresAtMs: nil))
        let link = try await cloud.linkAccount(root: root)
        #expect(link == CloudAccountLink(accountId: root.accountId, linkedAt: nil, alreadyLinked: false))
        let sent = try #require(engine.requests.last)
        #expect(
            sent.url == "https://cloud.example/api/cloud/me/accounts" && sent.header("Authorization") == "Bearer s0")
        let body = try ScriptedLogin.body(sent)
        #expect(body["account_id"] == .string(root.accountId))
        try Self.expectSigned(body, .accountLink, "n-2", root)
    }

    /// The grant stands for the nonce, and no session is shown.
    @Test func anAccountIsLinkedByAGrant() async throws {
        let root = AccountRoot.generate()
        let (cloud, engine) = try ScriptedLogin.answering(
            #"{"account_id":"\#(root.accountId)","linked_at":"2026-01-01","already_linked":true}"#)
        let link = try await cloud.completeAccountLink(
            AccountLinkCallback(grant: "g.r.t", account: " \(root.accountId.uppercased())"), root: root)
        #expect(link == CloudAccountLink(accountId: root.accountId, linkedAt: "2026-01-01", alreadyLinked: true))
        let sent = try #require(engine.requests.last)
        #expect(sent.url == "https://cloud.example/api/cloud/accounts/link" && sent.header("Authorization") == nil)
        let body = try ScriptedLogin.body(sent)
        #expect(
            body.objectValue?.keys.sorted() == ["grant", "root_public_key", "signature"] && body["grant"] == "g.r.t")
        try Self.expectSigned(body, .accountLink, "g.r.t", root)
        for callback in [
            AccountLinkCallback(grant: "g", account: ScriptedLogin.id),
            AccountLinkCallback(grant: "", account: root.accountId),
        ] {
            guard
                case AccountError.invalidInput? = await failure(of: {
                    try await cloud.completeAccountLink(callback, root: root)
                })
            else { return #expect(Bool(false), "sent") }
        }
        #expect(engine.requests.count == 1)
    }

    @Test(arguments: [402, 403, 409]) func aLinkThatIsRefused(status: Int) async throws {
        let (cloud, _) = try ScriptedLogin.answering(#"{"detail":"no"}"#, status: status)
        let error = await failure(of: { try await cloud.linkAccountWithGrant("g", root: .generate()) })
        #expect((error as? MeroError)?.httpStatus == status)
    }

    // MARK: Reads

    @Test func namespaces() async throws {
        let (cloud, engine) = try ScriptedLogin.answering(
            #"""
            [{"namespace_id":"n1","group_id":"n1","ha_status":"enabled","ha_enabled_at":"t","contexts":["c"],
              "fleet_replicas":{"current":1,"limit":2}},
             {"group_id":"n2","ha_status":null,"contexts":null,"fleet_replicas":null},{"namespace_id":"n3"}]
            """#)
        #expect(
            try await cloud.getMyNamespaces() == [
                CloudNamespace(
                    namespaceId: "n1", groupId: "n1", haStatus: "enabled", haEnabledAt: "t", contexts: ["c"],
                    fleetReplicas: ["current": 1, "limit": 2]),
                CloudNamespace(namespaceId: "n2", groupId: "n2", haStatus: "none"),
                CloudNamespace(namespaceId: "n3", groupId: "n3", haStatus: "none"),
            ])
        #expect(engine.requests[0].url == "https://cloud.example/api/cloud/me/namespaces")
        let (odd, _) = try ScriptedLogin.answering(#"{"namespaces":[]}"#)
        guard case MeroError.decoding? = await failure(of: { try await odd.getMyNamespaces() }) else {
            return #expect(Bool(false), "an object was taken for a list")
        }
    }

    @Test func relaysOfANamespace() async throws {
        let (cloud, engine) = try ScriptedLogin.answering(
            #"""
            {"relays":[
             {"peer_id":"a","relay_url":"https://a","executor_account":"ea","status":"active","authorship_ready":true,
              "can_execute":false,"tee_role":"ReadOnlyTee","node_public_key":"k1"},
             {"peer_id":"b","relay_url":"","executor_account":"eb","authorship_ready":true,"tee_role":""},
             {"peer_id":"c","relay_url":"https://c","executor_account":"ec","authorship_ready":1,"node_key":null},
             {"peer_id":"d","relay_url":"https://d","executor_account":null,"can_execute":true},
             {"peer_id":"e","relay_url":"https://e","executor_account":"ee","authorship_ready":true,"can_execute":null,
              "node_key":"k2","node_public_key":"k3","last_seen_at":"l","confirmed_at":"m"},
             {"peer_id":"f","relay_url":"https://f","executor_account":"ef","can_execute":true,"tee_role":"RelayTee"}]}
            """#)
        let rows = try await cloud.getNamespaceRelays("a/b")
        #expect(engine.requests[0].url == "https://cloud.example/api/cloud/me/namespaces/a%2Fb/relays")
        #expect(rows.map(\.canExecute) == [false, false, false, true, true, true])
        #expect(rows.map(\.nodeKey) == ["k1", nil, nil, nil, "k2", nil])
        #expect(rows.map(\.teeRole) == ["ReadOnlyTee", nil, nil, nil, nil, "RelayTee"])
        #expect(rows[1].relayUrl == nil && rows[4].lastSeenAt == "l" && rows[4].confirmedAt == "m")
        #expect(try await cloud.findExecutingRelay("n")?.peerId == "e")
        let (empty, _) = try ScriptedLogin.answering(#"{"relays":[]}"#)
        #expect(try await empty.findExecutingRelay("n") == nil)
    }

    @Test func machinesAndAccounts() async throws {
        let (cloud, _) = try ScriptedLogin.client { request in
            .status(
                200, [:],
                request.url.hasSuffix("/machines")
                    ? #"""
                    {"machines":[{"peer_id":"p","relay_url":"https://p","executor_account":"e","namespaces":[
                      {"namespace_id":"n","status":"active","authorship_ready":true,"tee_role":"RelayTee","fresh":true,
                       "confirmed_at":"c","last_seen_at":"l"}]},
                     {"peer_id":"q","relay_url":"https://q","namespaces":[{"authorship_ready":true}]},
                     {"peer_id":"r","can_execute":true}]}
                    """#
                    : #"""
                    {"accounts":[{"account_id":"a","linked_at":"t","has_recovery_envelope":true},{"account_id":"b"}],
                     "limit":null}
                    """#)
        }
        let machines = try await cloud.getMyMachines()
        #expect(machines.map(\.canExecute) == [true, false, true])
        #expect(
            machines[0].namespaces == [
                CloudMachine.Namespace(
                    namespaceId: "n", status: "active", authorshipReady: true, teeRole: "RelayTee", fresh: true,
                    confirmedAt: "c", lastSeenAt: "l")
            ])
        let (accounts, limit) = try await cloud.getMyAccounts()
        #expect(limit == nil)
        #expect(
            accounts == [
                CloudLinkedAccount(accountId: "a", linkedAt: "t", hasRecoveryEnvelope: true),
                CloudLinkedAccount(accountId: "b", linkedAt: nil, hasRecoveryEnvelope: false),
            ])
    }

    // MARK: Writes

    @Test func namespacesAreClaimedAndHosted() async throws {
        let (cloud, engine) = try ScriptedLogin.answering(#"{"status":"enabled"}"#)
        let proof: JSONValue = ["signer_public_key": "k", "signed_payload": "p", "more": [1, nil]]
        #expect(
            try await cloud.claimNamespace(ScriptedLogin.id.uppercased(), ownershipProof: proof) == [
                "status": "enabled"
            ])
        try await cloud.enableNamespaceHa(ScriptedLogin.id)
        try await cloud.enableNamespaceHa(ScriptedLogin.id, admitterAddrs: [])
        try await cloud.enableNamespaceHa(ScriptedLogin.id, admitterAddrs: ["/ip4/1.2.3.4"])
        try await cloud.disableNamespaceHa(ScriptedLogin.id)
        let bodies = try engine.requests.map { try ScriptedLogin.body($0) }
        #expect(
            bodies == [
                ["namespace_id": .string(ScriptedLogin.id), "ownership_proof": proof], [:], ["admitter_addrs": []],
                ["admitter_addrs": ["/ip4/1.2.3.4"]], [:],
            ])
        #expect(engine.requests[1].url == "https://cloud.example/api/cloud/namespaces/\(ScriptedLogin.id)/enable-ha")
        #expect(engine.requests[4].url == "https://cloud.example/api/cloud/namespaces/\(ScriptedLogin.id)/disable-ha")
        #expect(engine.requests.allSatisfy { $0.sendAtMostOnce })
        for bad in [
            { try await cloud.claimNamespace("n", ownershipProof: proof) },
            { try await cloud.claimNamespace(ScriptedLogin.id, ownershipProof: "text") },
        ]
            as [@Sendable () async throws -> JSONValue]
        {
            guard case AccountError.invalidInput? = await failure(of: bad) else {
                return #expect(Bool(false), "claimed")
            }
        }
        #expect(engine.requests.count == 5)
    }

    @Test func aFoundedNamespaceIsHostedForTheLogin() async throws {
        let keys = DeviceKeys.generate()
        let proof = try AccountHaClaim.sign(
            namespaceId: ScriptedLogin.id, accountId: ScriptedLogin.id, salt: ScriptedLogin.id, credential: "02",
            keys: keys,
            subject: "ana@example.com", nowMs: 1_800_000_000_000, nonce: String(repeating: "d4", count: 16))
        let payload = try #require(Data(base64Encoded: proof.signedPayload))
        #expect(
            String(decoding: payload, as: UTF8.self)
                == #"{"v":1,"audience":"mdma:enable-ha-namespace","group_id":"\#(ScriptedLogin.id)","account_id":"\#(ScriptedLogin.id)","salt":"\#(ScriptedLogin.id)","#
                + #""subject":"ana@example.com","nonce":"\#(String(repeating: "d4", count: 16))","#
                + #""issued_at_ms":1800000000000,"expires_at_ms":1800000060000}"#)
        #expect(throws: AccountError.self) {
            try AccountHaClaim.sign(
                namespaceId: ScriptedLogin.id, accountId: ScriptedLogin.id, salt: ScriptedLogin.id, credential: "02",
                keys: keys, subject: "")
        }
        let (cloud, engine) = try ScriptedLogin.answering("{}")
        try await cloud.enableFoundedNamespaceHa(ScriptedLogin.id, ownershipProof: proof)
        #expect(engine.requests[0].url == "https://cloud.example/api/cloud/me/namespaces/\(ScriptedLogin.id)/enable-ha")
        let body = try ScriptedLogin.body(engine.requests[0])
        #expect(body["groups"] == [] && body["ownership_proof"]?["kind"] == "account")
        #expect(body["ownership_proof"]?["signed_payload"] == .string(proof.signedPayload))
        let (refusing, _) = try ScriptedLogin.answering(#"{"detail":{"error":"account_not_linked"}}"#, status: 409)
        guard
            case AccountError.haRefused("account_not_linked", 409, _)? = await failure(of: {
                try await refusing.enableFoundedNamespaceHa(ScriptedLogin.id, ownershipProof: proof)
            })
        else { return #expect(Bool(false), "another error") }
    }

    @Test func admittersAreReachedAtTheNodesAddresses() throws {
        let circuit = "/dns4/x/tcp/1/p2p/RELAY/p2p-circuit"
        let status: JSONValue = [
            "localPeerId": "ME",
            "externalAddrs": [
                "/ip4/203.0.113.7/tcp/2428", .string(circuit), " /ip4/203.0.113.7/tcp/2428 ", "https://x", 7,
                "/ip4/9.9.9.9/tcp/1/p2p/ME",
            ],
        ]
        let expected = [
            "/ip4/203.0.113.7/tcp/2428/p2p/ME", "\(circuit)/p2p/ME", "/ip4/9.9.9.9/tcp/1/p2p/ME",
        ]
        #expect(CloudAccountClient.admitterAddrs(networkStatus: status) == expected)
        #expect(CloudAccountClient.admitterAddrs(networkStatus: ["data": status]) == expected)
        for nothing in [
            [:], ["externalAddrs": ["/a"]], ["localPeerId": "", "externalAddrs": ["/a"]], ["localPeerId": "ME"], nil,
        ] as [JSONValue] {
            #expect(CloudAccountClient.admitterAddrs(networkStatus: nothing).isEmpty)
        }
    }
}
