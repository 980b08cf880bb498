import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Joining without a node. Spec: 60, section 6, and 70, section 11.
@Suite("Account join") struct AccountJoinTests {
    private static let namespace = String(repeating: "ab", count: 32)
    private static let admitter = String(repeating: "4d", count: 32)

    private static func invitation(
        admitters: [String] = [admitter], addrs: [String] = []
    ) throws -> SignedGroupOpenInvitation {
        try GroupInvitations.sign(
            groupId: namespace, inviterAccount: admitter, keys: .generate(), admitters: admitters,
            admitterAddrs: addrs)
    }

    private static func cloud(_ json: String, status: Int = 200) throws -> (CloudClient, ScriptedEngine) {
        let engine = ScriptedEngine { _, _ in .status(status, [:], json) }
        let url = try #require(URL(string: "https://cloud.example/"))
        return (CloudClient(baseURL: url, routingCredential: nil, engine: engine), engine)
    }

    private static func node(_ fields: String) -> String { #"{"peer_id":"p","status":"active",\#(fields)}"# }

    private static func choice(
        _ nodes: [String], servable: Bool = true, admitters: [String] = [admitter], addrs: [String] = []
    ) async throws -> InvitationRelay {
        let json = #"{"admitters":[\#(nodes.joined(separator: ","))],"servable":\#(servable),"writable":true}"#
        return try await AccountJoin.resolveRelay(
            namespaceId: namespace, invitation: invitation(admitters: admitters, addrs: addrs), cloud: cloud(json).0)
    }

    private static func notSignedIn(_ work: () async throws -> InvitationRelay) async -> String? {
        guard case AccountError.notSignedIn(let text)? = await failure(of: work) else { return nil }
        return text
    }

    @Test func theRelayIsOneThatTheInvitationNames() async throws {
        let other = String(repeating: "ee", count: 32)
        let nodes = [
            Self.node(
                #""account":"\#(other)","relay_url":"https://other.example","fresh":true,"can_admit":true,"can_execute":true"#
            ),
            Self.node(
                #""account":"0x\#(Self.admitter.uppercased())","relay_url":"https://named.example/","fresh":true,"can_admit":true"#
            ),
        ]
        let relay = try await Self.choice(nodes)
        #expect(relay.relayUrl == "https://named.example" && relay.admitterAccount == Self.admitter)
        #expect(relay.admitUrl == "https://named.example/admin-api/namespaces/\(Self.namespace)/admit")
        #expect(relay.writable && !relay.stale)
        let text = await Self.notSignedIn { try await Self.choice([nodes[0]]) }
        #expect(
            text
                == "1 node(s) serve this namespace, but your invitation names none of them. Ask for a fresh invitation."
        )
    }

    @Test func adviceIsPreferredAndNotNeeded() async throws {
        let account = #""account":"\#(Self.admitter)""#
        let stale = Self.node(#"\#(account),"relay_url":"https://stale.example""#)
        let fresh = Self.node(#"\#(account),"relay_url":"https://fresh.example","fresh":true"#)
        let executing = Self.node(#"\#(account),"relay_url":"https://runs.example","can_execute":true"#)
        let admitting = Self.node(
            #"\#(account),"relay_url":"https://admits.example","can_admit":true,"admit_url":"https://a.example/x""#)
        #expect(
            try await Self.choice([stale])
                == InvitationRelay(
                    relayUrl: "https://stale.example",
                    admitUrl: "https://stale.example/admin-api/namespaces/\(Self.namespace)/admit",
                    admitterAccount: Self.admitter, writable: true, stale: true))
        #expect(try await Self.choice([stale, fresh]).relayUrl == "https://fresh.example")
        #expect(try await Self.choice([stale, fresh, executing]).relayUrl == "https://runs.example")
        let chosen = try await Self.choice([stale, fresh, executing, admitting])
        #expect(chosen.relayUrl == "https://admits.example" && chosen.admitUrl == "https://a.example/x")
        #expect(try await Self.choice([fresh], servable: false).stale)
        let text = await Self.notSignedIn {
            try await Self.choice([Self.node(#"\#(account),"fresh":true,"relay_url":"""#)])
        }
        #expect(text?.contains("knows no address for it yet. Try again shortly.") == true)
    }

    @Test func hintsServeWhereTheCloudKnowsNobody() async throws {
        let addrs = ["/ip4/10.0.0.7/tcp/2428/p2p/x", "HTTPS://hint.example/", "https://second.example"]
        let relay = try await Self.choice([], servable: false, addrs: addrs)
        #expect(relay.relayUrl == "HTTPS://hint.example" && relay.writable && !relay.stale)
        #expect(relay.admitterAccount == Self.admitter)
        let several = try await Self.choice(
            [], admitters: [Self.admitter, String(repeating: "ee", count: 32)], addrs: ["http://hint.example"])
        #expect(several.admitterAccount == nil)
        let text = await Self.notSignedIn { try await Self.choice([], addrs: ["/ip4/10.0.0.7"]) }
        #expect(text?.contains("lists no node serving the namespace") == true)
        // A cloud that cannot be asked is another matter.
        let (cloud, engine) = try Self.cloud("{}", status: 502)
        let error = await failure(of: {
            try await AccountJoin.resolveRelay(namespaceId: Self.namespace, invitation: Self.invitation(), cloud: cloud)
        })
        #expect((error as? MeroError)?.httpStatus == 502 && engine.requests.count == 1)
    }

    /// From an invitation to a first write, at a relay that the account has never heard of.
    @Test func anInvitationLeadsToAWrite() async throws {
        let fixture = try await RelayNodeFixture.start()
        let bob = try DevAccount()
        let text = try fixture.node.createInvitation(namespace: fixture.namespace)
        let invitation = try MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(text.utf8))
        let (cloud, _) = try Self.cloud(#"{"admitters":[],"servable":false,"writable":false}"#)
        let nonces = MemoryWarrantNonceStore()
        let outcome = try await AccountJoin.bootstrapFromInvitation(
            namespaceId: fixture.namespace, invitation: invitation, account: bob.accountId, credential: bob.credential,
            keys: bob.keys, nonce: nonces.next(relay: "join:\(bob.accountId)"), cloud: cloud)
        #expect(outcome.published && outcome.relayUrl == "http://127.0.0.1:\(fixture.node.port)")
        #expect(outcome.relay?.admitterAccount == fixture.node.accountId)
        let request = try #require(fixture.node.requests.last)
        #expect(request.headers["authorization"] == nil)
        // Exactly as it was received.
        let sent = try MeroJSON.decode(JSONValue.self, from: request.body)
        #expect(sent["invitation"] == (try MeroJSON.decode(JSONValue.self, from: Data(text.utf8))))
        #expect(fixture.node.members(group: fixture.namespace)?[bob.accountId] == .member)
        let relay = RelayClient(
            relayURL: outcome.relayUrl, authorAccount: bob.accountId, authorProof: bob.credential, keys: bob.keys,
            nonces: nonces)
        #expect(try await relay.execute(Int.self, contextId: fixture.probe, method: "increment") == 1)
        await fixture.stop()
    }

    /// Invited by another account's device, with no node on either side.
    @Test func anAccountInvitesAnother() async throws {
        let fixture = try await RelayNodeFixture.start()
        try fixture.node.addMember(fixture.ada.accountId, role: .admin, group: fixture.namespace)
        try fixture.node.enrol(credential: fixture.ada.credential)
        let invitation = try await GroupInvitations.sign(
            groupId: fixture.namespace, inviterAccount: fixture.ada.accountId,
            signer: fixture.ada.keys as any DeviceSigner, admitters: [fixture.node.accountId],
            applicationId: DevNode.applicationId(of: KeyValueContract()))
        let token = try InviteCodec.encode(invitation)
        let received = try InviteCodec.decode(SignedGroupOpenInvitation.self, from: token)
        let bob = try DevAccount()
        let admit = fixture.node.url.appendingPathComponent("admin-api/namespaces/\(fixture.namespace)/admit")
        let published = try await AccountJoin.joinWithNode(
            admitURL: admit, namespaceId: fixture.namespace, invitation: received, account: bob.accountId,
            credential: bob.credential, signer: bob.keys, nonce: 1)
        #expect(published && fixture.node.members(group: fixture.namespace)?[bob.accountId] == .member)
        await fixture.stop()
    }

    @Test func refusalsAreNeverRetryable() async throws {
        let fixture = try await RelayNodeFixture.start()
        let bob = try DevAccount()
        let admit = try #require(
            URL(string: "\(fixture.node.url.absoluteString)/admin-api/namespaces/\(fixture.namespace)/admit"))
        func join(_ text: String, to url: URL? = nil) async -> (any Error)? {
            await failure(of: {
                try await AccountJoin.joinWithNode(
                    admitURL: url ?? admit, namespaceId: fixture.namespace,
                    invitation: MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(text.utf8)),
                    account: bob.accountId, credential: bob.credential, keys: bob.keys, nonce: 1)
            })
        }
        let elsewhere = try fixture.node.createInvitation(namespace: fixture.namespace, admitters: [Self.admitter])
        let good = try fixture.node.createInvitation(namespace: fixture.namespace)
        let edited = good.replacingOccurrences(of: #""invited_role":1"#, with: #""invited_role":0"#)
        for (text, status) in [(elsewhere, 403), (edited, 403)] {
            guard case AccountError.intentRefused(_, false, let told)? = await join(text) else {
                Issue.record("taken: \(status)")
                continue
            }
            #expect(told == status)
        }
        for status in [409, 503, 504, 500] {
            fixture.node.inject(.status(status), on: DevRouteMatch("POST", admit.path))
            #expect(
                (await join(good) as? AccountError).map {
                    if case .intentRefused(_, false, status) = $0 { return true }
                    return false
                } == true)
        }
        // Sent once each, and never for what cannot be signed.
        #expect(fixture.node.requests.count == 6)
        let other = try fixture.node.createInvitation(namespace: try fixture.node.createNamespace())
        guard case AccountError.invalidInput? = await join(other) else {
            Issue.record("an invitation to elsewhere was sent")
            return
        }
        guard case AccountError.invalidInput? = await join(good, to: URL(string: "ftp://x/admit")) else {
            Issue.record("sent over ftp")
            return
        }
        #expect(fixture.node.requests.count == 6)
        #expect(fixture.node.members(group: fixture.namespace)?[bob.accountId] == nil)
        await fixture.stop()
    }

    @Test func invitationsNameWhoMayAdmit() throws {
        let keys = DeviceKeys.generate()
        func member(_ account: String, _ role: String) -> GroupMember { GroupMember(identity: account, role: role) }
        let a = String(repeating: "0a", count: 32)
        let b = String(repeating: "0b", count: 32)
        #expect(
            GroupInvitations.defaultAdmitters([
                member(b.uppercased(), "Admin"), member(a, "Admin"), member(b, "Admin"),
                member(Self.admitter, "Member"),
                member(Self.namespace, "admin"),
            ]) == [a, b])
        func sign(
            admitters: [String] = [], members: [GroupMember]? = nil, seconds: Int = 60, nonce: Data? = nil
        ) throws -> SignedGroupOpenInvitation {
            try GroupInvitations.sign(
                groupId: Self.namespace, inviterAccount: a.uppercased(), keys: keys, admitters: admitters,
                members: members, validForSeconds: seconds, now: 1000, nonce: nonce)
        }
        for bad in [
            { try sign() }, { try sign(members: []) }, { try sign(members: [member(a, "Member")]) },
            { try sign(admitters: [a], seconds: 0) }, { try sign(admitters: ["ab"]) },
            { try sign(admitters: [a], nonce: Data(count: 31)) },
        ] {
            #expect(throws: AccountError.self) { _ = try bad() }
        }
        let invitation = try sign(admitters: [" \(b.uppercased()) ", a, a], seconds: 1_000_000)
        #expect(invitation.invitation.admitters == [b, a, a])
        #expect(invitation.invitation.expirationTimestamp == 1000 + 86_400 && invitation.inviterAccount == a)
        let signature = try Hex.decode(invitation.inviterSignature, label: "signature", bytes: 64)
        let hash = try GroupInvitations.hash(invitation.invitation)
        #expect(Ed25519.verify(publicKey: try keys.signPublicKeyBytes, signature: signature, message: hash))
        let json = try MeroJSON.decode(JSONValue.self, from: MeroJSON.encode(invitation))
        #expect(json["application_id"] == nil && json["app_key"] == nil && json["admitter_addrs"] == nil)
    }

    /// What a node makes of the JSON is what was signed.
    @Test(arguments: CryptoVector.load("invitations")) func invitationsHashAsTheVectorsHaveThem(
        vector: CryptoVector
    ) throws {
        var writer = JSONWriter()
        try writer.write(vector.expected["json"] ?? vector.input.member("json"))
        let invitation = try MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(writer.bytes))
        #expect(Hex.encode(try GroupInvitations.hash(invitation.invitation)) == (try vector.expected.string("hash")))
        if let bytes = vector.expected["bodyBorsh"]?.text {
            #expect(Hex.encode(try NamespaceOps.encodeGroupInvitation(invitation.invitation)) == bytes)
        }
        if let bytes = vector.expected["signedBorsh"]?.text {
            #expect(Hex.encode(try NamespaceOps.encodeSignedInvitation(invitation)) == bytes)
        }
    }
}
