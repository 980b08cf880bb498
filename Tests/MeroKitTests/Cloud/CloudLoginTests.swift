import Foundation
import Testing

@testable import MeroKit

/// How the cloud is asked, and who is signed in to it. Spec: 70, section 2.
@Suite("Cloud login") struct CloudLoginTests {
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
        let (cloud, engine) = try ScriptedLogin.answering("[]", token: nil)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await cloud.getMyNamespaces() }, { _ = try await cloud.getNamespaceRelays(ScriptedLogin.id) },
            { _ = try await cloud.findExecutingRelay(ScriptedLogin.id) }, { _ = try await cloud.getMyMachines() },
            { _ = try await cloud.getMyAccounts() }, { _ = try await cloud.getAccountLinkChallenge() },
            { _ = try await cloud.linkAccount(root: .generate()) }, { _ = try await cloud.refreshSession() },
            { _ = try await cloud.claimNamespace(ScriptedLogin.id, ownershipProof: [:]) },
            { _ = try await cloud.enableNamespaceHa(ScriptedLogin.id) },
            { _ = try await cloud.disableNamespaceHa(ScriptedLogin.id) },
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
        let (cloud, engine) = try ScriptedLogin.client { request in
            .status(200, [:], request.url.hasSuffix("/google") ? ScriptedLogin.session : #"{"nonce":"n"}"#)
        }
        _ = try await cloud.getAccountLinkChallenge()
        _ = try await cloud.getAccountLoginChallenge()
        try await cloud.signInWithGoogle(idToken: "google")
        _ = try await cloud.getAccountLinkChallenge()
        #expect(engine.requests.map { $0.header("Authorization") } == ["Bearer s0", nil, nil, "Bearer s1"])
        #expect(engine.requests.allSatisfy { $0.header("Accept") == "application/json" })
        #expect(engine.requests.map { $0.header("Content-Type") } == [nil, nil, "application/json", nil])
        #expect(engine.requests[2].url == "https://cloud.example/api/auth/google")
        #expect(try ScriptedLogin.body(engine.requests[2]) == ["id_token": "google"])
        let transport = CloudTransport(baseURL: cloud.baseURL, engine: engine, timeout: 1)
        _ = await transport.exchange(
            HttpRequest(path: "/x"), headers: ["Authorization": "mine", "Accept": "text/html"], bearer: "s1")
        #expect(engine.requests[4].header("Authorization") == "Bearer s1")
        #expect(engine.requests[4].headers.count { $0.name.lowercased() == "authorization" } == 1)
    }

    @Test func answersThatAreNoneAndAnswersThatFail() async throws {
        let (none, _) = try ScriptedLogin.answering("", status: 204)
        #expect(try await none.disableNamespaceHa(ScriptedLogin.id) == .null)
        let (html, _) = try ScriptedLogin.answering("<html>", status: 201)
        guard case MeroError.decoding("status 201: <html>")? = await failure(of: { try await html.getMyMachines() })
        else { return #expect(Bool(false), "no decoding error") }
        for status in [401, 403, 404, 405, 500, 503] {
            // Whatever the header says: nothing ends the session, and nothing is repeated.
            let (failing, engine) = try ScriptedLogin.answering(
                #"{"detail":"x"}"#, status: status, headers: ["x-auth-error": "token_reuse", "retry-after": "0"])
            guard case MeroError.http(let answer)? = await failure(of: { try await failing.getMyNamespaces() }) else {
                return #expect(Bool(false), "no HTTP error: \(status)")
            }
            #expect(answer.status == status && answer.bodyText == #"{"detail":"x"}"#)
            #expect(await failing.isSignedIn)
            #expect(engine.requests.count == 1)
        }
        let (cut, engine) = try ScriptedLogin.client { _ in
            throw EngineError(kind: .connectionLost, mayHaveReachedNode: true, message: "cut")
        }
        guard case MeroError.network? = await failure(of: { try await cut.getMyNamespaces() }) else {
            return #expect(Bool(false), "no network error")
        }
        #expect(engine.requests.count == 1)
    }

    @Test func aLoginThatIsCutOffShowsNoneOfItsToken() async throws {
        let (cut, _) = try ScriptedLogin.answering(#"{"session_token":"secret-token","expi"#)
        for error in await [
            failure(of: { try await cut.signInWithGoogle(idToken: "g") }),
            failure(of: { try await cut.refreshSession() }),
        ] {
            #expect(error as? MeroError == nil || "\(String(describing: error))".contains("no JSON"))
            #expect(!String(describing: error).contains("secret") && error != nil)
        }
    }

    // MARK: The session

    @Test(arguments: [200, 500, 403]) func aRefreshedTokenIsTakenWhateverTheStatus(status: Int) async throws {
        let told = Locked<[CloudLoginSession?]>([])
        let (cloud, _) = try ScriptedLogin.client(onSession: ScriptedLogin.keeping(told)) { request in
            if request.url.hasSuffix("/google") { return .status(200, [:], ScriptedLogin.session) }
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
        let (cloud, _) = try ScriptedLogin.client { request in
            .status(
                200, ["x-mdma-session-refresh": "s2", "x-mdma-session-expires": expiry],
                request.url.hasSuffix("/refresh") ? ScriptedLogin.session : "[]")
        }
        try await cloud.refreshSession()
        _ = try await cloud.getMyNamespaces()
        let session = await cloud.currentSession
        #expect(session?.sessionToken == "s2" && session?.expiresAt == 1_800_000_000)
    }

    @Test func aRefreshWithoutASessionIsIgnored() async throws {
        let told = Locked<[CloudLoginSession?]>([])
        let (cloud, _) = try ScriptedLogin.client(token: nil, onSession: ScriptedLogin.keeping(told)) { _ in
            .status(200, ["x-mdma-session-refresh": "s2"], #"{"nonce":"n"}"#)
        }
        _ = try await cloud.getAccountLoginChallenge()
        #expect(await cloud.currentSession == nil)
        #expect(told.withLock { $0 }.isEmpty)
    }

    /// A slow answer must not bring back a session that is over, nor replace one that began after it was asked.
    @Test(arguments: [false, true]) func aSlowAnswerDoesNotBringASessionBack(signsInAgain: Bool) async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (cloud, engine) = try ScriptedLogin.client { request in
            if request.url.hasSuffix("/namespaces") {
                for await _ in gate { break }
                return .status(200, ["x-mdma-session-refresh": "late"], "[]")
            }
            return .status(200, [:], request.url.hasSuffix("/google") ? ScriptedLogin.session : "")
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
        let (cloud, engine) = try ScriptedLogin.client(token: nil) { _ in
            for await _ in gate { break }
            return .status(200, [:], ScriptedLogin.session)
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
        let (cloud, engine) = try ScriptedLogin.client(onSession: ScriptedLogin.keeping(told)) { _ in
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
        let (cloud, _) = try ScriptedLogin.client(onSession: tell) { _ in
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
        let session = try MeroJSON.decode(CloudLoginSession.self, from: Data(ScriptedLogin.session.utf8))
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
}
