import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A signed-in account and its relay. Spec: 70, section 8.
@Suite("Cloud connections") struct CloudConnectionTests {
    @Test func theRelayStaysWhenTheCloudHasNone() async throws {
        let rig = try SignInRig()
        let signIn = try rig.signIn()
        guard case AccountError.notSignedIn? = await failure(of: { try await signIn.refreshRelay() }),
            case AccountError.notSignedIn? = await failure(of: { try await signIn.cloudClient() })
        else { return #expect(Bool(false), "nobody is signed in") }
        let executor = String(repeating: "ec", count: 32)
        rig.cloud.serve(
            relays: [
                #"{"peer_id":"p","relay_url":"https://r.example/","fresh":true,"executor_account":"\#(executor)"}"#
            ],
            account: rig.account)
        let session = try await rig.enrol(signIn)
        #expect(session.executorAccount == executor)
        rig.tokens.setTokens(TokenData(accessToken: "a", refreshToken: "r", expiresAt: Date()))
        // The same relay without its executor: what was known of it still holds.
        rig.cloud.serve(
            relays: [#"{"peer_id":"p","relay_url":"https://r.example","fresh":true}"#], account: rig.account)
        #expect(try await signIn.refreshRelay().executorAccount == executor)
        rig.cloud.serve(relays: [#"{"peer_id":"p"}"#], account: rig.account)
        let kept = try await signIn.refreshRelay()
        #expect(kept.relayUrl == "https://r.example" && kept.executorAccount == executor)
        #expect(kept.note?.hasPrefix("1 relay(s)") == true && rig.tokens.getTokens()?.accessToken == "a")
        // Another relay: its tokens are no use, and must not reach it.
        rig.cloud.serve(
            relays: [#"{"peer_id":"p","relay_url":"https://new.example","fresh":true}"#], account: rig.account)
        let moved = try await signIn.refreshRelay()
        #expect(moved.relayUrl == "https://new.example" && moved.executorAccount == nil && moved.note == nil)
        #expect(rig.tokens.getTokens() == nil && rig.sessions.load() == moved)
        rig.cloud.on("GET /api/cloud/accounts/\(rig.account)/relays", .status(500))
        #expect((await failure(of: { try await signIn.refreshRelay() }) as? MeroError)?.httpStatus == 500)
        #expect(rig.sessions.load() == moved)
    }

    @Test func aSessionIsConnectedOnceForAll() async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        rig.serve(node)
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        let connections = await withTaskGroup(of: CloudConnection.self) { group in
            for _ in 0..<8 { group.addTask { await signIn.connect(session) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(connections.count == 8)
        for connection in connections {
            #expect(connection.nodeKey == node.nodeKey && connection.readNote == nil && connection.relay != nil)
            #expect(connection.mero === connections[0].mero && connection.session == session)
        }
        #expect(node.handlerRuns("POST", "/auth/token") == 1)
        #expect(node.handlerRuns("POST", "/admin-api/tee/attest") == 1)
        let stored = try #require(rig.tokens.getTokens())
        #expect(await connections[0].mero?.currentTokenData()?.accessToken == stored.accessToken)
        // Later, and after a new start, the tokens still hold: asked once, no login.
        for again in [signIn, try rig.signIn()] {
            node.clearRequests()
            let connection = await again.connect(session)
            #expect(connection.readNote == nil)
            #expect(await connection.mero?.currentTokenData() == stored)
            #expect(node.requestCount("HEAD", "/auth/validate") == 1 && node.requestCount("POST", "/auth/token") == 0)
        }
        // Tokens that do not hold any more are replaced.
        node.expireAccessTokens()
        node.clearRequests()
        let fresh = await signIn.connect(session)
        #expect(fresh.readNote == nil && node.handlerRuns("POST", "/auth/token") == 1)
        #expect(rig.tokens.getTokens()?.accessToken != stored.accessToken)
        #expect(await fresh.mero?.currentTokenData() == rig.tokens.getTokens())
        _ = try await fresh.mero?.admin.listNamespaces()
        await node.stop()
    }

    @Test(arguments: ["/admin-api/tee/attest", "/auth/token", "/auth/challenge"])
    func writesNeedNoReads(path: String) async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        rig.serve(node)
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        let namespace = try node.createNamespace(members: [session.account: .member], memberCapabilities: 231)
        let context = try node.createContext(KeyValueContract(), inGroup: namespace)
        let fault = node.inject(
            .status(503), on: DevRouteMatch(path == "/auth/challenge" ? "GET" : "POST", path), times: nil)
        let connection = await signIn.connect(session)
        #expect(connection.mero == nil && connection.nodeKey == nil)
        let beginning = "Writes work; reads and live events are off until the relay's session is established: "
        #expect(connection.readNote?.hasPrefix(beginning) == true)
        let relay = try #require(connection.relay)
        _ = try await relay.execute(contextId: context, method: "set", argsJson: ["key": "k", "value": "v"])
        #expect(relay.executorAccount == node.accountId && relay.ttlSeconds == 300)
        fault.remove()
        let whole = await signIn.connect(session)
        let reading = try #require(whole.relay)
        let value = try await reading.query(
            String.self, contextId: context, method: "get", argsJson: ["key": "k"])
        #expect(value == "v" && whole.nodeKey == node.nodeKey)
        // The token provider reads the relay's session.
        #expect(node.requests.last?.path.hasSuffix("/query") == true)
        #expect(node.requests.last?.headers["authorization"]?.hasPrefix("Bearer ") == true)
        await node.stop()
    }

    /// Tokens of one relay never reach another, whatever session is connected.
    @Test func tokensStayWithTheirRelay() async throws {
        let (first, second) = (try await SignInRig.relay(), try await SignInRig.relay())
        let rig = try SignInRig()
        rig.serve(first)
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        #expect(await signIn.connect(session).readNote == nil)
        let stored = try #require(rig.tokens.getTokens())
        var elsewhere = session
        elsewhere.relayUrl = second.url.absoluteString
        elsewhere.executorAccount = nil
        let other = await signIn.connect(elsewhere)
        #expect(other.nodeKey == second.nodeKey && second.requestCount("HEAD", "/auth/validate") == 0)
        #expect(rig.tokens.getTokens() == stored)
        #expect(second.requests.allSatisfy { $0.headers["authorization"]?.contains(stored.accessToken) != true })
        // Without a stored session nobody knows whose the tokens are.
        rig.sessions.clear()
        first.clearRequests()
        #expect(try await rig.signIn().connect(session).readNote == nil)
        #expect(first.requestCount("HEAD", "/auth/validate") == 0 && first.handlerRuns("POST", "/auth/token") == 1)
        await first.stop()
        await second.stop()
    }

    /// Two sign-ins over the same stores, as of two processes: the session moves on, and the client of the relay before
    /// reads the store again.
    @Test func aClientOfTheRelayBeforeSeesNoTokensOfTheNext() async throws {
        let (first, second) = (try await SignInRig.relay(), try await SignInRig.relay())
        let rig = try SignInRig()
        rig.serve(first)
        let (one, two) = (try rig.signIn(), try rig.signIn())
        let old = await one.connect(try await rig.enrol(one))
        let mero = try #require(old.mero)
        rig.serve(second)
        let moved = try await two.refreshRelay()
        #expect(await two.connect(moved).readNote == nil)
        let tokens = try #require(rig.tokens.getTokens())
        first.expireAccessTokens()
        _ = try? await mero.admin.listNamespaces()
        await mero.setTokenData(TokenData(accessToken: "late", refreshToken: "late", expiresAt: Date()))
        await mero.clearToken()
        #expect(rig.tokens.getTokens() == tokens)
        #expect(await one.connect(old.session).readNote == nil)
        #expect(rig.tokens.getTokens() == tokens)
        for request in first.requests {
            #expect(request.headers["authorization"]?.contains(tokens.accessToken) != true)
            #expect(!String(decoding: request.body, as: UTF8.self).contains(tokens.refreshToken))
        }
        #expect(first.requestCount("POST", "/auth/refresh") == 1)
        // Nor does anything come back once the session was ended elsewhere.
        await two.signOut()
        #expect(await one.connect(old.session).readNote == nil)
        await one.connect(moved).mero?.setTokenData(tokens)
        #expect(rig.tokens.getTokens() == nil && rig.sessions.load() == nil)
        await first.stop()
        await second.stop()
    }

    @Test func connectingNeverThrows() async throws {
        let rig = try SignInRig()
        let signIn = try rig.signIn()
        var session = CloudSession(account: rig.account, device: "d", credential: "02", relayUrl: "ftp://x")
        for url in ["ftp://x", "", "not a url", "http://127.0.0.1:1"] {
            session.relayUrl = url
            let connection = await signIn.connect(session)
            #expect(connection.relay != nil && connection.mero == nil && connection.readNote != nil)
        }
    }

    // MARK: Signing out

    @Test(arguments: [false, true]) func signingOutLeavesNothingButTheDevice(forgets: Bool) async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        rig.serve(node)
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        let connection = await signIn.connect(session)
        let token = try #require(rig.tokens.getTokens()?.refreshToken)
        _ = try await signIn.beginEnrolment(callbackURL: SignInRig.callback)
        let keys = await signIn.deviceKeys()
        await signIn.signOut(forgetDevice: forgets)
        #expect(rig.sessions.load() == nil && rig.tokens.getTokens() == nil && rig.pending.load() == nil)
        #expect(node.requestCount("POST", "/auth/logout") == 1)
        let logout = try #require(node.requests.last)
        #expect(try JSONValue(jsonBytes: logout.body) == ["refresh_token": .string(token)])
        #expect((rig.keys.load() == keys) == !forgets)
        // What still runs of the old session writes nothing any more.
        await connection.mero?.setTokenData(TokenData(accessToken: "late", refreshToken: "late", expiresAt: Date()))
        #expect(rig.tokens.getTokens() == nil)
        await signIn.signOut()
        #expect(node.requestCount("POST", "/auth/logout") == 1)
        await node.stop()
    }

    @Test func signingOutDoesNotWaitForTheRelayToForget() async throws {
        let node = try await SignInRig.relay()
        let rig = try SignInRig()
        rig.serve(node)
        let signIn = try rig.signIn()
        _ = await signIn.connect(try await rig.enrol(signIn))
        node.inject(.status(500), on: DevRouteMatch("POST", "/auth/logout"))
        await signIn.signOut()
        #expect(rig.sessions.load() == nil && rig.tokens.getTokens() == nil)
        await node.stop()
    }

    /// A login that is under way when the person signs out is given back, and leaves no tokens.
    @Test func aLoginDoesNotOutliveASignOut() async throws {
        let key = String(repeating: "0d", count: 32)
        let relay = try ScriptedCloud()
        let answer = DispatchSemaphore(value: 0)
        defer {
            answer.signal()
            relay.stop()
        }
        relay.on("POST /admin-api/tee/attest", .json(#"{"data":{"quoteB64":"AA==","boundPublicKey":"\#(key)"}}"#))
        relay.on("GET /auth/challenge", .json(#"{"data":{"challenge":"\#(key)"}}"#))
        relay.on("POST /auth/token") { _ in
            answer.wait()
            return .json(#"{"data":{"access_token":"late","refresh_token":"late-too"}}"#)
        }
        relay.on("POST /auth/logout", .json(#"{"data":{"success":true}}"#))
        let rig = try SignInRig()
        let url = try relay.url.absoluteString
        rig.cloud.serve(relays: [#"{"peer_id":"p","relay_url":"\#(url)","fresh":true}"#], account: rig.account)
        let signIn = try rig.signIn(verifier: PinnedRelayKeyVerifier(nodeKey: key))
        let session = try await rig.enrol(signIn)
        let connecting = Task { await signIn.connect(session) }
        try await eventually { relay.asked.contains("POST /auth/token") }
        await signIn.signOut()
        answer.signal()
        let connection = await connecting.value
        #expect(connection.mero == nil && connection.readNote?.contains("signed out") == true)
        #expect(rig.tokens.getTokens() == nil && rig.sessions.load() == nil)
        #expect(relay.requests.last?.json == ["refresh_token": "late-too"])
    }
}
