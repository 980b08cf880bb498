import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A device's sign-in by way of the wallet. Spec: 70, sections 6.1 and 8.
@Suite("Cloud sign-in") struct CloudSignInTests {
    /// A wallet that certifies what is asked for: reads the keys and the state off the page's URL.
    private struct Wallet {
        let root = AccountRoot.generate()

        func approve(_ page: URL, state: String? = nil) throws -> URL {
            let query = try #require(URLComponents(url: page, resolvingAgainstBaseURL: false)?.queryItems)
            func field(_ name: String) throws -> String { try #require(query.first { $0.name == name }?.value) }
            let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
            let credential = try root.certify(
                device: device, signPublicKey: field("enrol-device"), kemPublicKey: field("enrol-kem"))
            let fragment = "credential=\(credential)&account=\(root.accountId)&device=\(device)"
            return try #require(
                URL(string: "\(field("callback-url"))#\(fragment)&state=\(try state ?? field("state"))"))
        }
    }

    private static let callback = "https://app.example/enrol"

    private final class Rig: Sendable {
        let cloud: ScriptedCloud
        let sessions = AnyValueStore<CloudSession>.memory()
        let pending = AnyValueStore<PendingEnrolment>.memory()
        let keys = AnyValueStore<DeviceKeys>.memory()
        let tokens = MemoryTokenStore()
        let nonces = MemoryWarrantNonceStore()
        let time = Locked(Date())
        let wallet = Wallet()

        init() throws { cloud = try ScriptedCloud() }
        deinit { cloud.stop() }

        /// As after a start of the app: everything that lives on is in the stores.
        func signIn(unsolicited: Bool = false) throws -> CloudSignIn {
            let time = self.time
            var clock = RelayClock()
            clock.now = { time.withLock { $0 } }
            return CloudSignIn(
                config: CloudConfig(cloudBaseURL: try cloud.url, audience: .cli), keyStore: keys,
                sessionStore: sessions, tokenStore: tokens, nonces: nonces, pendingStore: pending,
                acceptsUnsolicitedCallbacks: unsolicited, clock: clock)
        }

        var account: String { wallet.root.accountId }

        func enrol(_ signIn: CloudSignIn) async throws -> CloudSession {
            let page = try await signIn.beginEnrolment(callbackURL: callback)
            return try await signIn.completeEnrolment(callbackURL: wallet.approve(page))
        }

        func serve(_ node: DevNode, fresh: Bool = true) {
            cloud.serve(
                relays: [
                    #"{"peer_id":"p","relay_url":"\#(node.url.absoluteString)","fresh":\#(fresh),"executor_account":"\#(node.accountId)"}"#
                ], account: account)
        }
    }

    private static func relay() async throws -> DevNode {
        var options = DevNodeOptions()
        options.delegatedAccess = true
        return try await DevNode.start(options)
    }

    // MARK: Enrolment

    @Test func aDeviceIsEnrolled() async throws {
        let rig = try Rig()
        rig.cloud.serve(
            relays: [#"{"peer_id":"p","relay_url":"https://r.example","fresh":true}"#], account: rig.account)
        let signIn = try rig.signIn()
        #expect(await signIn.restoreSession() == nil)
        let page = try await signIn.beginEnrolment(callbackURL: Self.callback)
        let keys = await signIn.deviceKeys()
        #expect(page.absoluteString.contains("enrol-device=\(keys.signPublicKey)&enrol-kem=\(keys.kemPublicKey)"))
        #expect(rig.pending.load() != nil && rig.cloud.asked.isEmpty)
        let returned = try rig.wallet.approve(page)
        let session = try await signIn.completeEnrolment(callbackURL: returned)
        #expect(session.account == rig.account && session.relayUrl == "https://r.example" && session.note == nil)
        #expect(rig.sessions.load() == session && rig.pending.load() == nil && !session.isRelayless)
        #expect(
            rig.cloud.asked == [
                "GET /api/cloud/accounts/\(rig.account)/challenge", "GET /api/cloud/accounts/\(rig.account)/relays",
            ])
        #expect(rig.cloud.requests[1].values("X-Calimero-Credential") == [session.credential])
        #expect(rig.cloud.requests.allSatisfy { $0.values("Authorization").isEmpty })
        // A second use of the same answer is nobody's any more.
        #expect(
            await failure(of: { try await signIn.completeEnrolment(callbackURL: returned) }) as? AccountError
                == .stateMismatch)
        let asked = rig.cloud.asked.count
        #expect(try await rig.signIn().restoreSession() == session)
        #expect(rig.cloud.asked.count == asked)
        #expect(try await signIn.cloudClient().routingCredential?.credential == session.credential)
    }

    /// Ended while the wallet was open, and started again.
    @Test func aSignInSurvivesTheAppBeingEnded() async throws {
        let rig = try Rig()
        rig.cloud.serve(relays: [], account: rig.account)
        let page = try await rig.signIn().beginEnrolment(callbackURL: Self.callback)
        let session = try await rig.signIn().completeEnrolment(callbackURL: rig.wallet.approve(page))
        #expect(session.isRelayless && session.note?.contains("redeeming an invitation") == true)
    }

    @Test func answersThatDoNotHoldStoreAndSendNothing() async throws {
        let rig = try Rig()
        let signIn = try rig.signIn()
        let page = try await signIn.beginEnrolment(callbackURL: Self.callback)
        let state = try #require(rig.pending.load()?.state)
        let good = try rig.wallet.approve(page)
        func refused(_ url: URL) async -> AccountError? {
            await failure(of: { try await signIn.completeEnrolment(callbackURL: url) }) as? AccountError
        }
        #expect(try await refused(rig.wallet.approve(page, state: "forged")) == .stateMismatch)
        #expect(
            try await refused(#require(URL(string: "mero-sample://enrol")))
                == .protocolViolation("the wallet returned no credential"))
        #expect(
            try await refused(#require(URL(string: "\(Self.callback)#error=denied")))
                == .enrolmentDeclined("The device was not approved at the wallet."))
        #expect(
            try await refused(#require(URL(string: "\(Self.callback)#error=busy")))
                == .enrolmentDeclined("The wallet refused this enrolment: busy"))
        let other = try AccountDevice()
        let foreign = "credential=\(other.credential)&account=\(other.account)&device=d&state=\(state)"
        guard
            case .credentialRejected(let text)? = try await refused(
                #require(URL(string: "\(Self.callback)#\(foreign)")))
        else { return #expect(Bool(false), "another device's certificate was taken") }
        #expect(text.contains("this app holds"))
        #expect(rig.sessions.load() == nil && rig.cloud.asked.isEmpty)
        // The state is consumed by success only.
        rig.cloud.serve(relays: [], account: rig.account)
        #expect(try await signIn.completeEnrolment(callbackURL: good).account == rig.account)
    }

    @Test(arguments: [-1.0, 601, 86_400]) func anAnswerComesInTimeOrNotAtAll(later: Double) async throws {
        let rig = try Rig()
        rig.cloud.serve(relays: [], account: rig.account)
        let signIn = try rig.signIn()
        let page = try await signIn.beginEnrolment(callbackURL: Self.callback)
        let start = rig.time.withLock { $0 }
        rig.time.withLock { $0 = start.addingTimeInterval(later) }
        let returned = try rig.wallet.approve(page)
        #expect(
            await failure(of: { try await signIn.completeEnrolment(callbackURL: returned) }) as? AccountError
                == .stateMismatch)
        #expect(rig.cloud.asked.isEmpty && rig.sessions.load() == nil)
        rig.time.withLock { $0 = start.addingTimeInterval(600) }
        #expect(try await signIn.completeEnrolment(callbackURL: returned).account == rig.account)
    }

    @Test func answersThatNobodyWaitsForAreTakenOnRequestOnly() async throws {
        let rig = try Rig()
        rig.cloud.serve(relays: [], account: rig.account)
        let page = try await rig.signIn().beginEnrolment(callbackURL: Self.callback)
        let returned = try rig.wallet.approve(page)
        rig.pending.clear()
        #expect(
            await failure(of: { try await rig.signIn().completeEnrolment(callbackURL: returned) }) as? AccountError
                == .stateMismatch)
        let lenient = try rig.signIn(unsolicited: true)
        #expect(try await lenient.completeEnrolment(callbackURL: returned).account == rig.account)
        // Where one is waited for, it must be that.
        let second = try await lenient.beginEnrolment(callbackURL: Self.callback)
        #expect(
            await failure(of: {
                try await lenient.completeEnrolment(callbackURL: rig.wallet.approve(second, state: "forged"))
            }) as? AccountError == .stateMismatch)
    }

    @Test func aCloudThatCannotBeAskedIsANote() async throws {
        let rig = try Rig()
        rig.cloud.on("GET /api/cloud/accounts/\(rig.account)/challenge", .status(503))
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        let beginning = "Signed in, but the Cloud manager could not be asked for a relay: "
        #expect(session.isRelayless && session.note?.hasPrefix(beginning) == true)
        #expect(rig.sessions.load() == session && rig.pending.load() == nil)
        let connection = await signIn.connect(session)
        #expect(connection.relay == nil && connection.mero == nil && connection.nodeKey == nil)
        #expect(connection.readNote == session.note)
        // Asked again later.
        rig.cloud.serve(relays: [#"{"peer_id":"p","relay_url":"https://old.example"}"#], account: rig.account)
        let stale = try await signIn.refreshRelay()
        #expect(stale.relayUrl == "https://old.example" && stale.note?.contains("heartbeat") == true)
    }

    @Test func aBadCallbackLeavesNothingToWaitFor() async throws {
        let rig = try Rig()
        let signIn = try rig.signIn()
        for bad in ["javascript:x", "/enrol", "https://a.example/#x"] {
            guard
                case AccountError.invalidInput? = await failure(of: {
                    try await signIn.beginEnrolment(callbackURL: bad)
                })
            else { return #expect(Bool(false), "\(bad)") }
        }
        #expect(rig.pending.load() == nil)
    }

    // MARK: The relay

    @Test func theRelayStaysWhenTheCloudHasNone() async throws {
        let rig = try Rig()
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
        let node = try await Self.relay()
        let rig = try Rig()
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
        let node = try await Self.relay()
        let rig = try Rig()
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
        let (first, second) = (try await Self.relay(), try await Self.relay())
        let rig = try Rig()
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

    @Test func connectingNeverThrows() async throws {
        let rig = try Rig()
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
        let node = try await Self.relay()
        let rig = try Rig()
        rig.serve(node)
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        let connection = await signIn.connect(session)
        let token = try #require(rig.tokens.getTokens()?.refreshToken)
        _ = try await signIn.beginEnrolment(callbackURL: Self.callback)
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
        let node = try await Self.relay()
        let rig = try Rig()
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
        let node = try await Self.relay()
        let rig = try Rig()
        rig.serve(node)
        let signIn = try rig.signIn()
        let session = try await rig.enrol(signIn)
        node.inject(.delay(0.5), on: DevRouteMatch("POST", "/auth/token"))
        let connecting = Task { await signIn.connect(session) }
        try await eventually { node.requestCount("POST", "/auth/token") == 1 }
        await signIn.signOut()
        let connection = await connecting.value
        #expect(connection.mero == nil && connection.readNote?.contains("signed out") == true)
        #expect(rig.tokens.getTokens() == nil && rig.sessions.load() == nil)
        #expect(node.requestCount("POST", "/auth/logout") == 1)
        await node.stop()
    }

    // MARK: Joining

    @Test func anInvitationGivesAnAccountItsRelay() async throws {
        let node = try await Self.relay()
        let rig = try Rig()
        rig.cloud.serve(relays: [], account: rig.account)
        let signIn = try rig.signIn()
        let namespace = try node.createNamespace(memberCapabilities: 231)
        let context = try node.createContext(ProbeContract(), inGroup: namespace)
        let invitation = try InvitationPayload(json: node.createInvitation(namespace: namespace)).invitation
        guard
            case AccountError.notSignedIn? = await failure(of: {
                try await signIn.join(namespaceId: namespace, invitation: invitation)
            })
        else { return #expect(Bool(false), "nobody is signed in") }
        #expect(try await rig.enrol(signIn).isRelayless)
        rig.cloud.serve(
            admitters: [
                #"{"peer_id":"p","account":"\#(node.accountId)","relay_url":"\#(node.url.absoluteString)/","fresh":true,"can_admit":true}"#
            ], namespace: namespace)
        let (session, outcome) = try await signIn.join(namespaceId: namespace, invitation: invitation)
        #expect(outcome.published && session.note == nil && rig.sessions.load() == session)
        #expect(session.relayUrl == node.url.absoluteString)
        let admit = try #require(node.requests.last)
        let op = try #require(JSONValue(jsonBytes: admit.body)["signedOp"]?.stringValue)
        #expect(op.hasPrefix("18"))
        rig.serve(node)
        #expect(try await signIn.waitForMembership(namespace))
        // Now the cloud knows the relay, too.
        #expect(rig.sessions.load()?.executorAccount == node.accountId)
        let connection = await signIn.connect(try #require(rig.sessions.load()))
        let relay = try #require(connection.relay)
        #expect(try await relay.execute(Int.self, contextId: context, method: "increment") == 1)
        // An account with a relay keeps it.
        let (again, _) = try await signIn.join(
            namespaceId: namespace, invitation: invitation, nodeURL: node.url.absoluteString)
        #expect(again == rig.sessions.load())
        #expect(rig.nonces.next(relay: "join:\(rig.account)") == 3)
        await node.stop()
    }

    @Test func anExpiredInvitationIsNotSent() async throws {
        let rig = try Rig()
        rig.cloud.serve(relays: [], account: rig.account)
        let signIn = try rig.signIn()
        _ = try await rig.enrol(signIn)
        let asked = rig.cloud.asked.count
        let namespace = String(repeating: "ab", count: 32)
        let invitation = try GroupInvitations.sign(
            groupId: namespace, inviterAccount: namespace, keys: .generate(), admitters: [namespace],
            validForSeconds: 60, now: Int(Date().timeIntervalSince1970) - 200)
        guard
            case AccountError.invalidInput(let text)? = await failure(of: {
                try await signIn.join(namespaceId: namespace, invitation: invitation)
            })
        else { return #expect(Bool(false), "sent") }
        #expect(text.contains("expired") && rig.cloud.asked.count == asked)
    }

    // MARK: Files

    @Test func everythingIsKeptInFilesOfTheOwners() async throws {
        let node = try await Self.relay()
        let folder = try TemporaryFolder()
        let rig = try Rig()
        rig.serve(node)
        let config = CloudConfig(cloudBaseURL: try rig.cloud.url, audience: .cli)
        let directory = folder.file("device")
        let page = try await CloudSignIn.files(directory: directory, config: config).beginEnrolment(
            callbackURL: Self.callback)
        let session = try await CloudSignIn.files(directory: directory, config: config).completeEnrolment(
            callbackURL: rig.wallet.approve(page))
        let signIn = CloudSignIn.files(directory: directory, config: config)
        #expect(await signIn.restoreSession() == session)
        #expect(await signIn.connect(session).readNote == nil)
        let again = CloudSignIn.files(directory: directory, config: config)
        #expect(await again.connect(session).readNote == nil)
        #expect(node.handlerRuns("POST", "/auth/token") == 1)
        for name in ["cloud-device-keys.json", "cloud-session.json", "cloud-relay-tokens.json"] {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: directory.appendingPathComponent(name).path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        await again.signOut(forgetDevice: true)
        #expect(await again.restoreSession() == nil)
        await node.stop()
    }
}
