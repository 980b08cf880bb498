import Foundation
import MeroDevNode
import MeroKitTestSupport
import Testing

@testable import MeroKit

/// The client's half of the cloud against the dev cloud and a dev relay.
@Suite struct CloudEndToEndTests {
    private func enrolled(_ test: TestCloud, _ signIn: CloudSignIn) async throws -> CloudSession {
        let page = try await signIn.beginEnrolment(callbackURL: "mero-sample://enrol")
        return try await signIn.completeEnrolment(callbackURL: try test.person.wallet.visit(page))
    }

    @Test func signsInFindsTheRelayWritesAndWatches() async throws {
        try await withTestCloud { test in
            let signIn = test.signIn()
            let session = try await enrolled(test, signIn)
            #expect(session.relayUrl == test.relay.url.absoluteString)
            #expect(session.executorAccount == test.relay.accountId && session.note == nil)
            let connection = await signIn.connect(session)
            #expect(connection.readNote == nil && connection.nodeKey == test.relay.nodeKey)
            let mero = try #require(connection.mero)
            let relay = try #require(connection.relay)
            let opened = Locked(false)
            let events = mero.events(contextIds: [test.contextId]) { status in
                if status.isComplete { opened.withLock { $0 = true } }
            }
            let watcher = Task {
                for try await event in events where !event.isGap { return event.contextId }
                return ""
            }
            #expect(await comesTrue { opened.withLock { $0 } })
            let written = try await relay.execute(
                contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
            #expect(written.rootHash?.isEmpty == false)
            #expect(try await watcher.value == test.contextId)
            let read: String = try await relay.query(
                String.self, contextId: test.contextId, method: "get", argsJson: ["key": "k"])
            #expect(read == "v" && test.relay.delegatedWrites.count == 1)
            // Without a login, and each read with a challenge of its own.
            let paths = test.cloud.requests.map { $0.path.split(separator: "/").last.map(String.init) ?? "" }
            #expect(paths == ["challenge", "relays"])
            #expect(test.cloud.requests.allSatisfy { $0.headers["authorization"] == nil })
        }
    }

    @Test func aLapsedRelayIsTakenWithANote() async throws {
        try await withTestCloud { test in
            test.cloud.stopHeartbeat(of: test.peerId)
            test.cloud.clock.advance(by: 91)
            let signIn = test.signIn()
            let session = try await enrolled(test, signIn)
            #expect(session.relayUrl == test.relay.url.absoluteString && session.note != nil)
            test.cloud.resumeHeartbeat(of: test.peerId)
            #expect(try await signIn.refreshRelay().note == nil)
        }
    }

    @Test func anAccountFoundsANamespaceAndHasItHosted() async throws {
        try await withTestCloud { test in
            let signIn = test.signIn()
            let session = try await enrolled(test, signIn)
            let relay = try #require(await signIn.connect(session).relay)
            let founded = try await relay.foundNamespace(
                executor: RelayExecutor(executorAccount: test.relay.accountId, executorKey: test.relay.nodeKey))
            let cloud = try await signIn.cloudClient()
            let keys = await signIn.deviceKeys()
            func enable(_ relayURL: String?) async throws -> JSONValue {
                try await cloud.enableHaAsAccount(
                    namespaceId: founded.namespaceId, salt: founded.salt, accountId: session.account,
                    credential: session.credential, keys: keys, relayURL: relayURL)
            }
            await #expect(throws: AccountError.self) { _ = try await enable(nil) }
            do {
                _ = try await enable(nil)
            } catch AccountError.haRefused(let code, let status, _) {
                #expect(code == "account_not_linked" && status == 409)
            }
            try test.cloud.link(account: session.account, to: "ada@example.com")
            do {
                _ = try await enable("https://relay.example/a")
                Issue.record("an unknown relay was taken")
            } catch AccountError.haRefused(let code, let status, _) {
                #expect(code == "unknown_relay" && status == 422)
            }
            #expect(try await enable(test.relay.url.absoluteString)["status"] == "enabled")
            let routing = try await cloud.getNamespaceRouting(founded.namespaceId)
            #expect(routing.nodes.map(\.account) == [test.relay.accountId] && routing.servable)
            #expect(try await cloud.findAdmitter(founded.namespaceId)?.peerId == test.peerId)
        }
    }

    @Test func aLoginClaimsLinksAndHosts() async throws {
        try await withTestCloud { test in
            let node = try await DevNode.start()
            let namespace = try node.createNamespace()
            let sessions = Locked<[CloudLoginSession?]>([])
            let client = CloudAccountClient(
                baseURL: test.cloud.url, onSession: { session in sessions.withLock { $0.append(session) } })
            let login = try await client.signInWithGoogle(idToken: test.cloud.googleIdToken("ada@example.com"))
            #expect(login.user.email == "ada@example.com")
            #expect(await comesTrue { sessions.withLock { $0.count } == 1 })
            let root = AccountRoot.generate()
            #expect(try await client.linkAccount(root: root).alreadyLinked == false)
            #expect(try await client.linkAccount(root: root).alreadyLinked)
            #expect(try await client.getMyAccounts().accounts.map(\.accountId) == [root.accountId])
            let mero = Mero(config: MeroConfig(baseURL: node.url))
            try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
            let http = await mero.http
            let proof: JSONValue = try await http.post(
                "/admin-api/groups/\(namespace)/issue-namespace-ownership-proof",
                json: [
                    "audience": "mdma:claim-namespace", "subject": "ada@example.com",
                    "nonce": JSONValue.string(Hex.encode(randomBytes(16))),
                    "expiresAtMs": .number((Date().timeIntervalSince1970 * 1000 + 60_000).rounded()),
                ] as JSONValue)
            _ = try await client.claimNamespace(namespace, ownershipProof: proof)
            _ = try await client.enableNamespaceHa(namespace, admitterAddrs: ["/ip4/203.0.113.7/tcp/1/p2p/ME"])
            #expect(try await client.getMyNamespaces().map(\.haStatus) == ["enabled"])
            #expect(try await client.getNamespaceRelays(namespace).map(\.peerId) == [test.peerId])
            #expect(try await client.getMyMachines().map(\.peerId) == [test.peerId])
            // The root logs in without Google, and the session rolls with use.
            let again = CloudAccountClient(baseURL: test.cloud.url)
            let first = try await again.signInWithAccount(root: root)
            test.cloud.clock.advance(by: 3601)
            _ = try await again.getMyNamespaces()
            #expect(await again.currentSession?.sessionToken != first.sessionToken)
            test.cloud.inject(.status(500), on: "POST /api/auth/logout")
            await #expect(throws: MeroError.self) { try await again.signOut() }
            #expect(await !again.isSignedIn)
            await node.stop()
        }
    }

    @Test func theRegistryListsEveryVersionAndSkipsWhatWasTakenBack() async throws {
        try await withTestCloud { test in
            for version in ["1.0.0", "1.2.0", "1.10.0"] {
                try test.cloud.publish(try DevBundle(package: "com.example.notes", version: version).data)
            }
            func resolved() async throws -> ResolvedApplication {
                try await ApplicationRegistry.resolve(
                    registryURL: test.cloud.registryURL, package: "com.example.notes")
            }
            #expect(try await resolved().version == "1.10.0")
            test.cloud.setYanked(true, package: "com.example.notes", version: "1.10.0")
            #expect(try await resolved().version == "1.2.0")
            let id = try DevBundle(package: "com.example.notes", version: "1.0.0").applicationId
            #expect(try await resolved().applicationId == id)
            let manifest = try #require(
                try await ApplicationRegistry.manifest(
                    registryURL: test.cloud.registryURL, package: "com.example.notes", version: "1.2.0"))
            #expect(manifest["package"] == "com.example.notes" && manifest["appVersion"] == "1.2.0")
            for (package, version) in [("com.example.notes", "9.9.9"), ("com.example.none", "1.2.0")] {
                #expect(
                    try await ApplicationRegistry.manifest(
                        registryURL: test.cloud.registryURL, package: package, version: version) == nil)
            }
            await #expect(throws: AccountError.self) {
                try await ApplicationRegistry.manifest(
                    registryURL: test.cloud.registryURL, package: "com.example.notes", version: "")
            }
            test.cloud.listsAllVersions = false
            #expect(try await resolved().version == "1.10.0", "an older registry tells the latest only")
            let other = try DevBundle(
                package: "com.example.notes", version: "3.0.0", signingSeed: Data(repeating: 7, count: 32))
            try test.cloud.publish(other.data)
            test.cloud.listsAllVersions = true
            await #expect(throws: AccountError.self) { _ = try await resolved() }
        }
    }
}

/// Every row of the table of `connectCloud`, against the dev cloud.
@Suite struct ConnectCloudEndToEndTests {
    private static let email = "ada@example.com"

    private func options(
        _ test: TestCloud, _ account: DevAccount, namespace: String? = nil
    ) -> ConnectCloudOptions {
        ConnectCloudOptions(
            authorAccount: account.accountId, authorProof: account.credential,
            deviceSecret: account.keys.deviceSecret, sessionToken: test.cloud.mintSession(Self.email).token,
            namespaceId: namespace, nonces: MemoryWarrantNonceStore(), cloudBaseURL: test.cloud.url)
    }

    private func message(_ body: () async throws -> CloudWriteConnection) async -> String {
        do {
            _ = try await body()
            return "connected"
        } catch {
            return error.localizedDescription
        }
    }

    @Test func writesThroughTheRelayOfTheOneNamespace() async throws {
        try await withTestCloud { test in
            let root = test.cloud.wallet.root
            let account = try DevAccount(root: root)
            try test.cloud.claim(test.namespaceId, for: Self.email, isHosted: true)
            let connection = try await connectCloud(options(test, account))
            #expect(connection.namespaceId == test.namespaceId && connection.relayRow.peerId == test.peerId)
            let result = try await connection.execute(
                contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
            #expect(result.rootHash?.isEmpty == false && test.relay.delegatedWrites.count == 1)
            #expect(test.cloud.requests.allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains("set") })
            // The same with the account's root, which is linked.
            try test.cloud.link(account: root.accountId, to: Self.email)
            let fired = Locked(0)
            var byRoot = options(test, account)
            byRoot.sessionToken = nil
            byRoot.onSession = { _ in fired.withLock { $0 += 1 } }
            let second = try await connectCloudWithAccount(byRoot, root: root)
            #expect(second.namespaceId == test.namespaceId && fired.withLock { $0 } >= 1)
        }
    }

    @Test func optionsAreCheckedBeforeAnythingIsSent() async throws {
        try await withTestCloud { test in
            let account = try DevAccount()
            var none = options(test, account)
            none.sessionToken = nil
            var both = options(test, account)
            both.signer = account.keys
            var neither = options(test, account)
            neither.deviceSecret = nil
            for (options, text) in [
                (none, "connectCloud needs either a sessionToken or a googleIdToken"),
                (both, "either deviceSecret or signer, not both"), (neither, "deviceSecret or signer is required"),
            ] {
                #expect(await message { try await connectCloud(options) }.contains(text))
            }
            #expect(test.cloud.requests.isEmpty)
        }
    }

    @Test func whatTheCloudLacksIsSaid() async throws {
        try await withTestCloud { test in
            let account = try DevAccount(root: test.cloud.wallet.root)
            let (first, second) = (String(repeating: "a1", count: 32), String(repeating: "b2", count: 32))
            func said(_ namespace: String? = nil) async -> String {
                await message { try await connectCloud(options(test, account, namespace: namespace)) }
            }
            #expect(await said().contains("this account owns no namespaces in the cloud: claim one first"))
            #expect(await said(first).contains("this account owns no namespace \(first); it owns: (none)"))
            try test.cloud.claim(first, for: Self.email)
            #expect(await said().contains("namespace \(first) has no relays: enable HA on it in the cloud"))
            try test.cloud.claim(first, for: Self.email, isHosted: true)
            #expect(
                await said().contains("namespace \(first) has HA enabled but no relay has been assigned to it yet"))
            try test.cloud.claim(second, for: Self.email)
            let several = await said()
            #expect(several.contains("this account owns 2 namespaces") && several.contains(first))
            var relay = DevCloudRelay(
                peerId: "p-1", url: "http://127.0.0.1:1", executorAccount: second, teeRole: "ReadOnlyTee")
            test.cloud.add(relay)
            try test.cloud.assign("p-1", toNamespace: first)
            let replica = await said(first)
            #expect(replica.contains("ReadOnlyTee") && replica.contains("mode: 'relay'"))
            #expect(!replica.contains("CAN_AUTHOR_ON_BEHALF"))
            (relay.teeRole, relay.authorshipReady) = (nil, false)
            test.cloud.add(relay)
            let ungranted = await said(first)
            for text in ["CAN_AUTHOR_ON_BEHALF", second, "grantAuthorship", "openToDelegatedExecution"] {
                #expect(ungranted.contains(text))
            }
            (relay.teeRole, relay.isDialable) = ("RelayTee", false)
            test.cloud.add(relay)
            #expect(await said(first).contains("none reported both a URL and an executor account yet"))
            // The role is enough.
            relay.isDialable = true
            test.cloud.add(relay)
            #expect(await said(first) == "connected")
        }
    }
}
