import Foundation
import Testing

@testable import MeroKit

/// The cloud without a login. Spec: 70, sections 2 to 5.
@Suite("Cloud client") struct CloudClientTests {
    private static let account = String(repeating: "b2", count: 32)
    private static let namespace = String(repeating: "a1", count: 32)
    private static let seed = Data(repeating: 0x21, count: 32)

    private static func client(
        _ credential: RoutingCredential? = nil,
        _ answer: @escaping @Sendable (_ path: String) -> EngineResponse
    ) throws -> (CloudClient, ScriptedEngine) {
        let engine = ScriptedEngine { request, _ in
            answer(String(request.url.dropFirst("https://cloud.example".count)))
        }
        let url = try #require(URL(string: "https://cloud.example//"))
        return (CloudClient(baseURL: url, routingCredential: credential, engine: engine), engine)
    }

    @Test func challengesAreSignedAsTheContractHasIt() throws {
        let signature = try CloudClient.signRoutingChallenge(nonce: "n-42", deviceSecret: Self.seed)
        let expected =
            "EGNgB1RKakjPi7iyOWxF3tzU/TAKJalqFSE9COWxgp5PkbcwG/SQbbBzJNNGEg4FtpoyNiY5F6zvGJcvk2ptCA=="
        let key = try Ed25519.publicKey(seed: Self.seed)
        for text in [signature, expected] {
            let bytes = try #require(Data(base64Encoded: text))
            #expect(
                Ed25519.verify(publicKey: key, signature: bytes, message: CloudProof.routingRead.message(nonce: "n-42"))
            )
        }
        #if os(Linux)
            #expect(signature == expected)
        #endif
        #expect(throws: AccountError.self) {
            try CloudClient.signRoutingChallenge(nonce: "n", deviceSecret: Data(count: 31))
        }
    }

    /// One fresh challenge for each read, and no login beside it.
    @Test(arguments: [false, true]) func anAccountsRelays(external: Bool) async throws {
        let keys = try DeviceKeys(signSecret: Self.seed, kemSecret: Self.seed)
        let credential =
            external
            ? RoutingCredential(
                credential: "02", signer: ClosureSigner(signPublicKey: keys.signPublicKey) { try keys.sign($0) })
            : RoutingCredential(credential: "02", deviceSecret: Self.seed)
        let (cloud, engine) = try Self.client(credential) { path in
            path.hasSuffix("/challenge")
                ? .status(200, [:], #"{"nonce":"n-42","expires_at_ms":1800000000000}"#)
                : .status(
                    200, [:],
                    #"""
                    {"relays":[{"peer_id":"p","relay_url":"","fresh":1,"executor_account":"AB"},
                     {"peer_id":"q","relay_url":"https://r.example","fresh":true,"assigned":true,
                      "executor_account":"\#(Self.account)"}]}
                    """#)
        }
        let relays = try await cloud.getAccountRelays(Self.account)
        #expect(
            relays == [
                CloudAccountRelay(peerId: "p", relayUrl: nil, fresh: false, executorAccount: nil, assigned: false),
                CloudAccountRelay(
                    peerId: "q", relayUrl: "https://r.example", fresh: true, executorAccount: Self.account,
                    assigned: true),
            ])
        _ = try await cloud.getAccountRelays(Self.account)
        #expect(engine.requests.count == 4)
        let read = engine.requests[1]
        #expect(read.url == "https://cloud.example/api/cloud/accounts/\(Self.account)/relays")
        #expect(read.header("X-Calimero-Credential") == "02" && read.header("X-Calimero-Nonce") == "n-42")
        #expect(read.header("X-Calimero-Signature")?.isEmpty == false && read.header("Authorization") == nil)
        #expect(engine.requests[0].header("X-Calimero-Nonce") == nil)
        let (bare, unasked) = try Self.client { _ in .status(500) }
        guard case AccountError.notSignedIn? = await failure(of: { try await bare.getAccountRelays(Self.account) })
        else {
            Issue.record("read without a credential")
            return
        }
        #expect(unasked.requests.isEmpty)
    }

    @Test func theBestRelayIsChosen() {
        func row(_ url: String?, fresh: Bool = false) -> CloudAccountRelay {
            CloudAccountRelay(peerId: "p", relayUrl: url, fresh: fresh, executorAccount: "e", assigned: false)
        }
        let best = CloudClient.chooseRelay([row(nil), row("https://old"), row("https://new", fresh: true)])
        #expect(best == RelayChoice(relayUrl: "https://new", executorAccount: "e", note: nil))
        let old = CloudClient.chooseRelay([row(nil), row("https://old")])
        #expect(old.relayUrl == "https://old" && old.note != nil)
        #expect(CloudClient.chooseRelay([row(nil)]).note?.hasPrefix("1 relay(s)") == true)
        #expect(CloudClient.chooseRelay([]).relayUrl == nil)
    }

    @Test func routingGoesOutUnprovenAndIsNeverRepeated() async throws {
        let (cloud, engine) = try Self.client { _ in
            .status(
                200, [:],
                #"""
                {"admitters":[{"peer_id":"a","account":"AA","can_admit":true,"fresh":true},
                 {"peer_id":"b","account":"BB","relay_url":"https://b","authorship_ready":true,"fresh":true,
                  "can_execute":null,"admit_url":""},
                 {"peer_id":"c","account":"CC","can_admit":true,"can_execute":false,"relay_url":"https://c",
                  "authorship_ready":true,"fresh":true,"tee_role":""}],"servable":true,"writable":"yes"}
                """#)
        }
        let routing = try await cloud.getNamespaceRouting(Self.namespace)
        #expect(routing.namespaceId == Self.namespace && routing.servable && !routing.writable)
        #expect(routing.nodes.map(\.canExecute) == [false, true, false] && routing.nodes[2].teeRole == nil)
        #expect(routing.nodes[1].admitUrl == nil)
        #expect(engine.requests.count == 1)
        #expect(try await cloud.findAdmitter(Self.namespace)?.peerId == "a")
        #expect(try await cloud.findAdmitter(Self.namespace, admitters: ["cc"])?.peerId == "c")
        #expect(try await cloud.findAdmitter(Self.namespace, admitters: ["bb"]) == nil)
        let (failing, asked) = try Self.client { _ in .status(503) }
        #expect(
            (await failure(of: { try await failing.getNamespaceRouting(Self.namespace) }) as? MeroError)?.httpStatus
                == 503)
        #expect(asked.requests.count == 1)
    }

    @Test(
        arguments: [
            (409, #"{"error":"account_not_linked"}"#, "account_not_linked"),
            (409, #"{"detail":{"error":"account_linked_to_several_users"}}"#, "account_linked_to_several_users"),
            (409, #"{"detail":"ha_request_pending"}"#, "ha_request_pending"),
            (409, #"{"detail":"unknown_relay"}"#, nil),
            (409, #"{"error":"quota"}"#, nil), (402, #"{"error":"account_not_linked"}"#, nil), (409, "", nil),
            (422, #"{"detail":"unknown_relay"}"#, "unknown_relay"),
            (422, #"{"detail":{"error":"relay_not_dialable","message":"m"}}"#, "relay_not_dialable"),
            (422, #"{"error":"account_not_linked"}"#, nil), (422, #"{"detail":[{"loc":[]}]}"#, nil),
            (403, #"{"detail":"Ownership proof failed: x"}"#, nil),
        ] as [(Int, String, String?)])
    func refusalsToHostHaveACode(status: Int, body: String, code: String?) async throws {
        let (cloud, engine) = try Self.client { _ in .status(status, [:], body) }
        let error = await failure(of: {
            try await cloud.enableHaAsAccount(
                namespaceId: Self.namespace.uppercased(), salt: Self.account, accountId: Self.account.uppercased(),
                credential: "02", keys: .generate(), relayURL: "https://r.example")
        })
        if let code {
            #expect(error as? AccountError == .haRefused(code: code, status: status, body: body))
            #expect(CloudClient.haRefusalMessages[code] == error?.localizedDescription)
        } else {
            #expect((error as? MeroError)?.httpStatus == status)
        }
        let request = try #require(engine.requests.first)
        #expect(
            request.url
                == "https://cloud.example/api/cloud/accounts/\(Self.account)/namespaces/\(Self.namespace)/enable-ha")
        #expect(request.sendAtMostOnce && engine.requests.count == 1)
    }

    /// Found out before anything is sent.
    @Test func aClaimThatCannotBeMadeIsNotSent() async throws {
        let (cloud, engine) = try Self.client { _ in .status(200, [:], "{}") }
        for (namespace, salt, ttl, relay) in [
            (Self.namespace, Self.account, 300_001, "https://r.example"), (Self.namespace, Self.account, 0, "r"),
            ("n", Self.account, 1, "r"), (Self.namespace, "s", 1, "r"), (Self.namespace, Self.account, 1, ""),
            (Self.namespace, Self.account, 1, String(repeating: "r", count: 1025)),
        ] as [(String, String, Int64, String)] {
            guard
                case AccountError.invalidInput? = await failure(of: {
                    try await cloud.enableHaAsAccount(
                        namespaceId: namespace, salt: salt, accountId: Self.account, credential: "02",
                        keys: .generate(), relayURL: relay, ttlMs: ttl)
                })
            else { return #expect(Bool(false), "claimed") }
        }
        #expect(engine.requests.isEmpty)
        let answer = try await cloud.enableHaAsAccount(
            namespaceId: Self.namespace, salt: Self.account, accountId: Self.account, credential: "02",
            keys: .generate(), relayURL: "https://relay.example/a", ttlMs: 300_000)
        #expect(answer == [:])
        guard case .bytes(let body)? = engine.requests.first?.body else { return #expect(Bool(false), "no body") }
        let proof = try JSONValue(jsonBytes: body)
        #expect(proof.objectValue?.keys.sorted() == ["ownership_proof"])
        let payload = try #require(
            Data(base64Encoded: proof["ownership_proof"]?["signed_payload"]?.stringValue ?? ""))
        // Slashes are not escaped: the text is signed as bytes.
        #expect(String(decoding: payload, as: UTF8.self).hasSuffix(#","relay_url":"https://relay.example/a"}"#))
    }

    /// A credential whose signer keeps its seed signs as well, and `routingProofHeaders` says that it cannot.
    @Test func answersWithoutWhatIsAskedFor() async throws {
        let (cloud, _) = try Self.client(RoutingCredential(credential: "02", deviceSecret: Self.seed)) { path in
            .status(200, [:], path.hasSuffix("/challenge") ? "{}" : #"{"rows":[]}"#)
        }
        let challenge = try await cloud.getAccountRelaysChallenge(Self.account)
        #expect(challenge == RoutingChallenge(boundTo: Self.account, nonce: "", expiresAtMs: 0))
        for call in [
            { _ = try await cloud.getAccountRelays(Self.account) },
            { _ = try await cloud.getNamespaceRouting(Self.namespace) },
        ] as [@Sendable () async throws -> Void] {
            guard case MeroError.decoding? = await failure(of: call) else {
                return #expect(Bool(false), "no decoding error")
            }
        }
        let sealed = RoutingCredential(credential: "02", signer: OpaqueSigner(.generate()))
        #expect(throws: AccountError.self) {
            try CloudClient.routingProofHeaders(challenge: challenge, credential: sealed)
        }
    }
}
