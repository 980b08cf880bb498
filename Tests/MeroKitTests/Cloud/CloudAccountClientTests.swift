import Foundation
import Testing

@testable import MeroKit

/// The cloud with a login. Spec: 70, sections 2, 3 and 9.
@Suite("Cloud account client") struct CloudAccountClientTests {
    private static let id = String(repeating: "a1", count: 32)
    private static let session = #"{"session_token":"s1","expires_at":1800000000,"user":{"email":"ana@example.com"}}"#

    private static func client(
        token: String? = "s0", onSession: (@Sendable (CloudLoginSession?) async -> Void)? = nil,
        _ answer: @escaping @Sendable (EngineRequest) async throws -> EngineResponse
    ) throws -> (CloudAccountClient, ScriptedEngine) {
        let engine = ScriptedEngine { request, _ in try await answer(request) }
        let url = try #require(URL(string: "https://cloud.example//"))
        return (CloudAccountClient(baseURL: url, sessionToken: token, onSession: onSession, engine: engine), engine)
    }

    private static func keeping(
        _ told: Locked<[CloudLoginSession?]>
    ) -> @Sendable (CloudLoginSession?) async -> Void {
        { session in told.withLock { $0.append(session) } }
    }

    private static func answering(
        _ body: String, status: Int = 200, headers: [String: String] = [:], token: String? = "s0"
    ) throws -> (CloudAccountClient, ScriptedEngine) {
        try client(token: token) { _ in .status(status, headers, body) }
    }

    private static func body(_ request: EngineRequest?) throws -> JSONValue {
        guard case .bytes(let data)? = request?.body else { return .null }
        return try JSONValue(jsonBytes: data)
    }

    // MARK: Transport

    @Test func everyCallOfTheContractIsDeclaredOnce() {
        let declared = CloudEndpoints.all.map { "\($0.method.rawValue) \($0.template)" }
        #expect(
            Set(declared) == [
                "POST /api/auth/google", "GET /api/auth/account/challenge", "POST /api/auth/account",
                "POST /api/auth/refresh", "POST /api/auth/logout", "GET /api/cloud/me/namespaces",
                "GET /api/cloud/me/namespaces/{namespaceId}/relays", "GET /api/cloud/me/machines",
                "GET /api/cloud/me/accounts", "GET /api/cloud/me/accounts/challenge", "POST /api/cloud/me/accounts",
                "POST /api/cloud/accounts/link", "POST /api/cloud/namespaces/claim",
                "POST /api/cloud/namespaces/{namespaceId}/enable-ha",
                "POST /api/cloud/namespaces/{namespaceId}/disable-ha",
                "POST /api/cloud/me/namespaces/{namespaceId}/enable-ha",
                "POST /api/cloud/accounts/{accountId}/namespaces/{namespaceId}/enable-ha",
                "GET /api/cloud/accounts/{accountId}/challenge", "GET /api/cloud/accounts/{accountId}/relays",
                "GET /api/cloud/namespaces/{namespaceId}/challenge",
                "GET /api/cloud/namespaces/{namespaceId}/admitters",
            ])
        #expect(declared.count == 21)
        for endpoint in CloudEndpoints.all { #expect(endpoint.sendOnce == (endpoint.method == .post)) }
    }

    @Test func withoutASessionNothingIsSent() async throws {
        let (cloud, engine) = try Self.answering("[]", token: nil)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await cloud.getMyNamespaces() }, { _ = try await cloud.getNamespaceRelays(Self.id) },
            { _ = try await cloud.findExecutingRelay(Self.id) }, { _ = try await cloud.getMyMachines() },
            { _ = try await cloud.getMyAccounts() }, { _ = try await cloud.getAccountLinkChallenge() },
            { _ = try await cloud.linkAccount(root: .generate()) }, { _ = try await cloud.refreshSession() },
            { _ = try await cloud.claimNamespace(Self.id, ownershipProof: [:]) },
            { _ = try await cloud.enableNamespaceHa(Self.id) }, { _ = try await cloud.disableNamespaceHa(Self.id) },
        ]
        for call in calls {
            #expect(
                await failure(of: call) as? AccountError
                    == .notSignedIn(
                        "Not signed in to Calimero Cloud: call signInWithGoogle() or construct the client with a sessionToken"
                    ))
        }
        try await cloud.signOut()
        #expect(await cloud.isSignedIn == false)
        #expect(engine.requests.isEmpty)
    }

    @Test func theSessionIsShownWhereItBelongsAndNowhereElse() async throws {
        let (cloud, engine) = try Self.client { request in
            .status(200, [:], request.url.hasSuffix("/google") ? Self.session : #"{"nonce":"n"}"#)
        }
        _ = try await cloud.getAccountLinkChallenge()
        _ = try await cloud.getAccountLoginChallenge()
        try await cloud.signInWithGoogle(idToken: "google")
        _ = try await cloud.getAccountLinkChallenge()
        #expect(engine.requests.map { $0.header("Authorization") } == ["Bearer s0", nil, nil, "Bearer s1"])
        #expect(engine.requests.allSatisfy { $0.header("Accept") == "application/json" })
        #expect(engine.requests.map { $0.header("Content-Type") } == [nil, nil, "application/json", nil])
        #expect(engine.requests[2].url == "https://cloud.example/api/auth/google")
        #expect(try Self.body(engine.requests[2]) == ["id_token": "google"])
        let transport = CloudTransport(baseURL: cloud.baseURL, engine: engine, timeout: 1)
        _ = await transport.exchange(
            HttpRequest(path: "/x"), headers: ["Authorization": "mine", "Accept": "text/html"], bearer: "s1")
        #expect(engine.requests[4].header("Authorization") == "Bearer s1")
        #expect(engine.requests[4].headers.count { $0.name.lowercased() == "authorization" } == 1)
    }

    @Test func answersThatAreNoneAndAnswersThatFail() async throws {
        let (none, _) = try Self.answering("", status: 204)
        #expect(try await none.disableNamespaceHa(Self.id) == .null)
        let (html, _) = try Self.answering("<html>", status: 201)
        guard case MeroError.decoding("status 201: <html>")? = await failure(of: { try await html.getMyMachines() })
        else { return #expect(Bool(false), "no decoding error") }
        for status in [401, 403, 404, 405, 500, 503] {
            // Whatever the header says: nothing ends the session, and nothing is repeated.
            let (failing, engine) = try Self.answering(
                #"{"detail":"x"}"#, status: status, headers: ["x-auth-error": "token_reuse", "retry-after": "0"])
            guard case MeroError.http(let answer)? = await failure(of: { try await failing.getMyNamespaces() }) else {
                return #expect(Bool(false), "no HTTP error: \(status)")
            }
            #expect(answer.status == status && answer.bodyText == #"{"detail":"x"}"#)
            #expect(await failing.isSignedIn)
            #expect(engine.requests.count == 1)
        }
        let (cut, engine) = try Self.client { _ in
            throw EngineError(kind: .connectionLost, mayHaveReachedNode: true, message: "cut")
        }
        guard case MeroError.network? = await failure(of: { try await cut.getMyNamespaces() }) else {
            return #expect(Bool(false), "no network error")
        }
        #expect(engine.requests.count == 1)
    }

    // MARK: The session

    @Test(arguments: [200, 500, 403]) func aRefreshedTokenIsTakenWhateverTheStatus(status: Int) async throws {
        let told = Locked<[CloudLoginSession?]>([])
        let (cloud, _) = try Self.client(onSession: Self.keeping(told)) { request in
            if request.url.hasSuffix("/google") { return .status(200, [:], Self.session) }
            return .status(
                status, ["x-mdma-session-refresh": "s2", "x-mdma-session-expires": "1900000000"], "[]")
        }
        try await cloud.signInWithGoogle(idToken: "g")
        let error = await failure(of: { try await cloud.getMyNamespaces() })
        #expect((error as? MeroError)?.httpStatus == (status == 200 ? nil : status))
        let expected = CloudLoginSession(
            sessionToken: "s2", expiresAt: 1_900_000_000, user: CloudUser(email: "ana@example.com"))
        #expect(await cloud.currentSession == expected)
        try await eventually { told.withLock { $0.count } == 2 }
        #expect(told.withLock { $0.last } == expected)
    }

    @Test(arguments: ["", "x", "0", "-5", "nan", "inf", "1e400", "1e30"])
    func anExpiryThatIsNoneChangesNothing(expiry: String) async throws {
        let (cloud, _) = try Self.client { request in
            .status(
                200, ["x-mdma-session-refresh": "s2", "x-mdma-session-expires": expiry],
                request.url.hasSuffix("/refresh") ? Self.session : "[]")
        }
        try await cloud.refreshSession()
        _ = try await cloud.getMyNamespaces()
        let session = await cloud.currentSession
        #expect(session?.sessionToken == "s2" && session?.expiresAt == 1_800_000_000)
    }

    @Test func aRefreshWithoutASessionIsIgnored() async throws {
        let told = Locked<[CloudLoginSession?]>([])
        let (cloud, _) = try Self.client(token: nil, onSession: Self.keeping(told)) { _ in
            .status(200, ["x-mdma-session-refresh": "s2"], #"{"nonce":"n"}"#)
        }
        _ = try await cloud.getAccountLoginChallenge()
        #expect(await cloud.currentSession == nil)
        #expect(told.withLock { $0 }.isEmpty)
    }

    /// A slow answer must not bring back a session that is over, nor replace one that began after it was asked.
    @Test(arguments: [false, true]) func aSlowAnswerDoesNotBringASessionBack(signsInAgain: Bool) async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (cloud, engine) = try Self.client { request in
            if request.url.hasSuffix("/namespaces") {
                for await _ in gate { break }
                return .status(200, ["x-mdma-session-refresh": "late"], "[]")
            }
            return .status(200, [:], request.url.hasSuffix("/google") ? Self.session : "")
        }
        let slow = Task { try await cloud.getMyNamespaces() }
        try await eventually { engine.requests.count == 1 }
        try await cloud.signOut()
        if signsInAgain { try await cloud.signInWithGoogle(idToken: "g") }
        open.yield()
        #expect(try await slow.value.isEmpty)
        #expect(await cloud.currentSession?.sessionToken == (signsInAgain ? "s1" : nil))
    }

    /// A login that is under way when the person signs out does not sign them in.
    @Test func aSlowLoginDoesNotOutliveASignOut() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (cloud, engine) = try Self.client(token: nil) { _ in
            for await _ in gate { break }
            return .status(200, [:], Self.session)
        }
        let login = Task { try await cloud.signInWithGoogle(idToken: "g") }
        try await eventually { engine.requests.count == 1 }
        try await cloud.signOut()
        open.yield()
        guard case AccountError.notSignedIn? = await failure(of: { try await login.value }) else {
            return #expect(Bool(false), "signed in")
        }
        #expect(await cloud.currentSession == nil)
    }

    @Test func signingOutIsFinalWhateverTheCloudSays() async throws {
        let told = Locked<[CloudLoginSession?]>([])
        let (cloud, engine) = try Self.client(onSession: Self.keeping(told)) { _ in
            .status(500)
        }
        #expect((await failure(of: { try await cloud.signOut() }) as? MeroError)?.httpStatus == 500)
        #expect(await cloud.currentSession == nil)
        try await eventually { told.withLock { $0 } == [nil] }
        #expect(engine.requests.map(\.url) == ["https://cloud.example/api/auth/logout"])
        #expect(engine.requests[0].header("Authorization") == "Bearer s0")
        if case .none = engine.requests[0].body {} else { #expect(Bool(false), "a body") }
        try await cloud.signOut()
        #expect(engine.requests.count == 1)
    }

    /// A callback that never returns delays nothing, and what was told comes in order.
    @Test func theCallbackIsNeverWaitedFor() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let told = Locked<[String?]>([])
        let count = Locked(0)
        let tell: @Sendable (CloudLoginSession?) async -> Void = { session in
            for await _ in gate { break }
            told.withLock { $0.append(session?.sessionToken) }
        }
        let (cloud, _) = try Self.client(onSession: tell) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .status(200, ["x-mdma-session-refresh": "r\(number)"], "[]")
        }
        for _ in 0..<3 { _ = try await cloud.getMyNamespaces() }
        #expect(told.withLock { $0.isEmpty })
        for _ in 0..<3 { open.yield() }
        try await eventually { told.withLock { $0 } == ["r1", "r2", "r3"] }
    }

    @Test func sessionsAreStoredAndNeverPrinted() throws {
        let session = try MeroJSON.decode(CloudLoginSession.self, from: Data(Self.session.utf8))
        #expect(session.sessionToken == "s1" && session.user.email == "ana@example.com" && session.user.name == nil)
        let again = try MeroJSON.decode(CloudLoginSession.self, from: MeroJSON.encode(session))
        #expect(again == session)
        let secret = CloudLoginSession(sessionToken: "hush", expiresAt: 1, user: CloudUser(email: "e"))
        let options = ConnectCloudOptions(
            authorAccount: "a", authorProof: "b", deviceSecret: "hush", sessionToken: "hush", googleIdToken: "hush")
        for text in ["\(secret)", String(reflecting: secret), "\(options)", String(reflecting: options)] {
            #expect(!text.contains("hush") && text.contains("redacted"))
        }
        for answer in ["{}", #"{"session_token":""}"#, #"{"session_token":7}"#, "null", "[]"] {
            #expect(throws: MeroError.self) { try CloudLoginSession(JSONValue(jsonBytes: Data(answer.utf8))) }
        }
    }

    // MARK: Accounts

    @Test func anAccountSignsIn() async throws {
        let root = AccountRoot.generate()
        let (cloud, engine) = try Self.client(token: nil) { request in
            .status(
                200, [:],
                request.method == "GET" ? #"{"nonce":"n-1","expires_at_ms":1800000000000}"# : Self.session)
        }
        #expect(
            try await cloud.getAccountLoginChallenge() == CloudChallenge(nonce: "n-1", expiresAtMs: 1_800_000_000_000))
        let session = try await cloud.signInWithAccount(root: root)
        #expect(session.sessionToken == "s1")
        let body = try Self.body(engine.requests.last)
        #expect(body.objectValue?.keys.sorted() == ["nonce", "root_public_key", "signature"])
        #expect(body["root_public_key"] == .string(root.publicKey) && body["nonce"] == "n-1")
        try Self.expectSigned(body, .accountLogin, "n-1", root)
        let (unlinked, _) = try Self.answering(#"{"detail":"not linked"}"#, status: 403, token: nil)
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
        let (cloud, engine) = try Self.client { request in
            .status(200, [:], request.method == "GET" ? #"{"nonce":"n-2","expires_at_ms":null}"# : "{}")
        }
        #expect(try await cloud.getAccountLinkChallenge() == CloudChallenge(nonce: "n-2", expiresAtMs: nil))
        let link = try await cloud.linkAccount(root: root)
        #expect(link == CloudAccountLink(accountId: root.accountId, linkedAt: nil, alreadyLinked: false))
        let sent = try #require(engine.requests.last)
        #expect(
            sent.url == "https://cloud.example/api/cloud/me/accounts" && sent.header("Authorization") == "Bearer s0")
        let body = try Self.body(sent)
        #expect(body["account_id"] == .string(root.accountId))
        try Self.expectSigned(body, .accountLink, "n-2", root)
    }

    /// The grant stands for the nonce, and no session is shown.
    @Test func anAccountIsLinkedByAGrant() async throws {
        let root = AccountRoot.generate()
        let (cloud, engine) = try Self.answering(
            #"{"account_id":"\#(root.accountId)","linked_at":"2026-01-01","already_linked":true}"#)
        let link = try await cloud.completeAccountLink(
            AccountLinkCallback(grant: "g.r.t", account: " \(root.accountId.uppercased())"), root: root)
        #expect(link == CloudAccountLink(accountId: root.accountId, linkedAt: "2026-01-01", alreadyLinked: true))
        let sent = try #require(engine.requests.last)
        #expect(sent.url == "https://cloud.example/api/cloud/accounts/link" && sent.header("Authorization") == nil)
        let body = try Self.body(sent)
        #expect(
            body.objectValue?.keys.sorted() == ["grant", "root_public_key", "signature"] && body["grant"] == "g.r.t")
        try Self.expectSigned(body, .accountLink, "g.r.t", root)
        for callback in [
            AccountLinkCallback(grant: "g", account: Self.id), AccountLinkCallback(grant: "", account: root.accountId),
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
        let (cloud, _) = try Self.answering(#"{"detail":"no"}"#, status: status)
        let error = await failure(of: { try await cloud.linkAccountWithGrant("g", root: .generate()) })
        #expect((error as? MeroError)?.httpStatus == status)
    }

    // MARK: Reads

    @Test func namespaces() async throws {
        let (cloud, engine) = try Self.answering(
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
        let (odd, _) = try Self.answering(#"{"namespaces":[]}"#)
        guard case MeroError.decoding? = await failure(of: { try await odd.getMyNamespaces() }) else {
            return #expect(Bool(false), "an object was taken for a list")
        }
    }

    @Test func relaysOfANamespace() async throws {
        let (cloud, engine) = try Self.answering(
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
        let (empty, _) = try Self.answering(#"{"relays":[]}"#)
        #expect(try await empty.findExecutingRelay("n") == nil)
    }

    @Test func machinesAndAccounts() async throws {
        let (cloud, _) = try Self.client { request in
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
        let (cloud, engine) = try Self.answering(#"{"status":"enabled"}"#)
        let proof: JSONValue = ["signer_public_key": "k", "signed_payload": "p", "more": [1, nil]]
        #expect(try await cloud.claimNamespace(Self.id.uppercased(), ownershipProof: proof) == ["status": "enabled"])
        try await cloud.enableNamespaceHa(Self.id)
        try await cloud.enableNamespaceHa(Self.id, admitterAddrs: [])
        try await cloud.enableNamespaceHa(Self.id, admitterAddrs: ["/ip4/1.2.3.4"])
        try await cloud.disableNamespaceHa(Self.id)
        let bodies = try engine.requests.map { try Self.body($0) }
        #expect(
            bodies == [
                ["namespace_id": .string(Self.id), "ownership_proof": proof], [:], ["admitter_addrs": []],
                ["admitter_addrs": ["/ip4/1.2.3.4"]], [:],
            ])
        #expect(engine.requests[1].url == "https://cloud.example/api/cloud/namespaces/\(Self.id)/enable-ha")
        #expect(engine.requests[4].url == "https://cloud.example/api/cloud/namespaces/\(Self.id)/disable-ha")
        #expect(engine.requests.allSatisfy { $0.sendAtMostOnce })
        for bad in [
            { try await cloud.claimNamespace("n", ownershipProof: proof) },
            { try await cloud.claimNamespace(Self.id, ownershipProof: "text") },
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
            namespaceId: Self.id, accountId: Self.id, salt: Self.id, credential: "02", keys: keys,
            subject: "ana@example.com", nowMs: 1_800_000_000_000, nonce: String(repeating: "d4", count: 16))
        let payload = try #require(Data(base64Encoded: proof.signedPayload))
        #expect(
            String(decoding: payload, as: UTF8.self)
                == #"{"v":1,"audience":"mdma:enable-ha-namespace","group_id":"\#(Self.id)","account_id":"\#(Self.id)","salt":"\#(Self.id)","#
                + #""subject":"ana@example.com","nonce":"\#(String(repeating: "d4", count: 16))","#
                + #""issued_at_ms":1800000000000,"expires_at_ms":1800000060000}"#)
        #expect(throws: AccountError.self) {
            try AccountHaClaim.sign(
                namespaceId: Self.id, accountId: Self.id, salt: Self.id, credential: "02", keys: keys, subject: "")
        }
        let (cloud, engine) = try Self.answering("{}")
        try await cloud.enableFoundedNamespaceHa(Self.id, ownershipProof: proof)
        #expect(engine.requests[0].url == "https://cloud.example/api/cloud/me/namespaces/\(Self.id)/enable-ha")
        let body = try Self.body(engine.requests[0])
        #expect(body["groups"] == [] && body["ownership_proof"]?["kind"] == "account")
        #expect(body["ownership_proof"]?["signed_payload"] == .string(proof.signedPayload))
        let (refusing, _) = try Self.answering(#"{"detail":{"error":"account_not_linked"}}"#, status: 409)
        guard
            case AccountError.haRefused("account_not_linked", 409, _)? = await failure(of: {
                try await refusing.enableFoundedNamespaceHa(Self.id, ownershipProof: proof)
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
