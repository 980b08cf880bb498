import Foundation
import MeroDevNode
import MeroKit
import MeroKitTestSupport
import MeroKitUI
import Testing

#if canImport(SwiftUI) && canImport(Combine)
    import SwiftUI
#endif

// The Swift of README.md, word for word, so that it compiles. `DocumentationTests` holds the two against each other.

enum ReadmeSamples {
    static func tenLines(_ contextId: String) async throws {
        let mero = Mero(config: MeroConfig(baseURL: URL(string: "http://localhost:2428")!))
        try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
        do {
            let before: String? = try await mero.rpc.execute(
                contextId: contextId, method: "get", argsJson: ["key": "greeting"])
            print(before ?? "nothing there yet")
        } catch MeroError.rpc(let error) {
            print("the contract said no:", error.message)
        }
    }

    static func calls(_ contextId: String, _ password: String) async throws {
        let mero = Mero(config: MeroConfig(baseURL: URL(string: "https://node.example")!))
        try await mero.authenticate(Credentials(username: "alice", password: password))

        // Arguments by name; the return type says what to decode.
        let old: String? = try await mero.rpc.execute(
            contextId: contextId, method: "set", argsJson: ["key": "colour", "value": "blue"])
        print("it was", old ?? "unset")

        // Arguments of your own type: all 64 bits of an integer survive.
        struct Transfer: Encodable {
            var to: String
            var amount: UInt64
        }
        let balance: UInt64 = try await mero.rpc.execute(
            contextId: contextId, method: "transfer", argsJson: Transfer(to: "bob", amount: .max))
        print("left:", balance)

        await mero.logout()
    }

    struct Post: Decodable {}

    static func errors(
        _ client: MeroTransportClient, _ contextId: String, _ show: (Any) -> Void, _ showSignIn: () -> Void
    ) async throws {
        do {
            let post: Post = try await client.rpc.execute(
                contextId: contextId, method: "get_post", argsJson: ["id": "42"])
            show(post)
        } catch let error as MeroError {
            switch error {
            // The contract's own no, from a node (.rpc) and through a relay (.http) alike.
            case _ where error.errorType == "FunctionCallError":
                show("the contract said no: \(error.failureReason ?? "")")
            case .authRevoked, .noCredentials, .noRefreshToken: showSignIn()
            case .http(let answer) where answer.status == 401: showSignIn()
            case .network(let text): show("no answer: \(text)")
            default: show(error.failureReason ?? error.localizedDescription)
            }
        } catch let error as AccountError {
            show(error.localizedDescription)  // a relay that did not run the call
        }
    }

    static func events(_ mero: Mero, _ contextId: String, _ groupId: String) async throws {
        func show(_ what: String, _ value: Any?) {}
        func reload(_ event: ContextEvent) async {}
        for try await event in mero.events(contextIds: [contextId], groupIds: [groupId]) {
            switch event.content {
            case .gap: await reload(event)
            case .stateMutation: for emitted in event.contractEvents { show(emitted.kind, emitted.json) }
            case .memberJoined(let change), .memberAdded(let change): show("new member", change.memberAccount)
            default: show(event.kind, event.payload)
            }
        }
    }

    static func presence(_ mero: Mero, _ contextId: String) async throws {
        func show(_ author: String, _ state: Any?) {}
        struct Cursor: Codable, Sendable {
            var line: Int
        }
        try await mero.ephemeral.set(contextId, state: Cursor(line: 7), codec: .json)
        for try await entry in try mero.ephemeral.subscribe(contextId, codec: PresenceCodec<Cursor>.json) {
            show(entry.author, entry.removed ? nil : entry.state)
        }
    }

    /// What a launch leaves an app with.
    struct Launch: Sendable {
        let keys: DeviceKeys
        let accounts: DelegatedAccountStore
        let session: DelegatedSession
        let nonces: FileWarrantNonceStore
    }

    static func launch(_ folder: URL, _ showOnce: (String) -> Void) throws -> Launch {
        func file<Value: Codable & Sendable>(_ name: String) -> AnyValueStore<Value> {
            AnyValueStore(FileValueStore(url: folder.appendingPathComponent(name)))  // or .keychain(account: name)
        }
        let keys = try DeviceKeys.stored(in: file("device.json"))
        let accounts = DelegatedAccountStore(credentials: file("account.json"), sessions: file("session.json"))
        let session: DelegatedSession
        if let known = try accounts.read() {
            session = known
        } else {
            let root = AccountRoot.generate()
            let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
            let credential = try root.certify(
                device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
            session = DelegatedSession(
                credential: DelegatedCredential(
                    account: root.accountId, credential: credential, deviceKey: keys.signPublicKey))
            accounts.save(session)
            showOnce(root.phrase)  // AccountRoot(phrase:) is the root again, to certify another device
        }
        let nonces = FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces"))
        return Launch(keys: keys, accounts: accounts, session: session, nonces: nonces)
    }

    static func join(_ text: String, _ relayURL: String, _ launch: Launch) async throws -> DelegatedSession {
        let (keys, accounts, session, nonces) = (launch.keys, launch.accounts, launch.session, launch.nonces)
        let invitation = try SignedGroupOpenInvitation(pasted: text)
        let outcome = try await AccountJoin.join(
            invitation: invitation, at: relayURL, credential: session.credential, keys: keys, nonces: nonces)
        let joined = session.moved(to: outcome.relayUrl)
        accounts.save(joined)
        return joined
    }

    static func transports(_ mero: Mero, _ relayURL: String, _ launch: Launch, _ contextId: String) async throws {
        let (keys, session, nonces) = (launch.keys, launch.session, launch.nonces)
        func count(_ client: MeroTransportClient) async throws -> Int {
            try await client.rpc.execute(contextId: contextId, method: "len", argsJson: [:])
        }

        let relay = RelayClient(
            relayURL: relayURL, authorAccount: session.credential.account, authorProof: session.credential.credential,
            keys: keys, nonces: nonces)
        let proof = ProofCredential(credential: session.credential.credential, keys: keys)
        let onNode = MeroTransportClient(mero: mero)
        let onRelay = try MeroTransportClient(.relay(RelayTransportConfig(relay: relay, proof: proof)))
        print(try await count(onNode), try await count(onRelay))
        for try await event in try onRelay.events.events(contextIds: [contextId]) { print(event.kind) }
    }

    static func presenceOnEither(_ onRelay: MeroTransportClient, _ contextId: String) async throws {
        switch try onRelay.ephemeral {
        case .node(let presence): try await presence.set(contextId, state: ["status": "here"])
        case .relay(let presence): try await presence.set(contextId, state: ["status": "here"])
        }
    }

    static func delegated(
        _ joined: DelegatedSession, _ nodeKey: String, _ relayURL: String, _ launch: Launch, _ folder: URL,
        _ contextId: String
    ) async throws {
        let (keys, accounts, nonces) = (launch.keys, launch.accounts, launch.nonces)
        func file<Value: Codable & Sendable>(_ name: String) -> AnyValueStore<Value> {
            AnyValueStore(FileValueStore(url: folder.appendingPathComponent(name)))
        }
        let account = try DelegatedAccount(
            session: joined, keys: keys, nonces: nonces, pins: RelayKeyPins(store: file("relays.json")),
            onSessionChange: { accounts.save($0) })
        try account.pins.pin(nodeKey, for: relayURL)  // or: try await account.learnKey(of: relayURL)
        if let client = try account.client() {
            let value: String? = try await client.rpc.execute(
                contextId: contextId, method: "get", argsJson: ["key": "k"])
            print(value ?? "nothing there yet")
        }
        for context in try await account.admin.getContexts().contexts { print(context.id) }
        account.close()
    }

    static func administration(_ mero: Mero, _ other: Mero) async throws {
        let admin = await mero.admin
        let app = try await admin.installApplication(InstallApplicationRequest(package: "kv-store", version: "1.0.0"))
        let team = try await admin.createNamespace(
            CreateNamespaceRequest(applicationId: app.applicationId, name: "team"))
        let notes = try await admin.createContext(
            CreateContextRequest(applicationId: app.applicationId, groupId: team.namespaceId, name: "notes"))
        // .recursive is the answer to a request for the groups below as well, with one invitation for each.
        guard case .single(let made) = try await admin.createNamespaceInvitation(team.namespaceId) else { return }
        let token = try InviteCodec.encode(made)

        // The other one, on another node:
        let invitation = try SignedGroupOpenInvitation(pasted: token)
        let guest = await other.admin
        let joined = try await guest.joinNamespace(
            invitation.namespaceId(), request: JoinNamespaceRequest(invitation: invitation))
        for context in try await guest.listGroupContexts(joined.namespaceId) {
            _ = try await guest.joinContext(context.contextId)
        }
        print("both are in", notes.contextId)
    }

    protocol SampleBrowser: Sendable {
        func open(_ page: URL) async throws -> URL
    }

    static func cloud(_ folder: URL, _ contextId: String, _ browser: any SampleBrowser) async throws {
        let signIn = CloudSignIn.files(directory: folder)  // on Apple systems .keychain()
        let page = try await signIn.beginEnrolment(callbackURL: "https://app.example/enrol")
        let returned = try await browser.open(page)  // your app's part: a web view, a system sheet, a link
        let session = try await signIn.completeEnrolment(callbackURL: returned)

        let connection = await signIn.connect(session)
        if let relay = connection.relay {
            _ = try await relay.execute(contextId: contextId, method: "set", argsJson: ["key": "k", "value": "v"])
        }
        if let mero = connection.mero {
            for try await event in mero.events(contextIds: [contextId]) { print(event.kind) }
        } else {
            print(connection.readNote ?? "")
        }
    }

    static func joining(_ text: String, _ signIn: CloudSignIn) async throws {
        func show(_ text: String) {}
        func agrees(_ payload: InvitationPayload) async -> Bool { true }
        guard let payload = try InvitationPayload.read(pasted: text, expectedSlug: "com.example.notes") else {
            return show("That is a link to another app.")
        }
        guard !payload.invitation.isExpired() else { return show("The invitation has expired. Ask for a fresh one.") }
        guard await agrees(payload) else { return }
        try await signIn.join(namespaceId: payload.namespaceId, invitation: payload.invitation)
        let isMember = try await signIn.waitForMembership(payload.namespaceId)
        show(isMember ? "You are in." : "The others have not let you in yet.")
    }

    static func inviting(
        _ namespaceId: String, _ session: CloudSession, _ signIn: CloudSignIn, _ members: [GroupMember],
        _ applicationId: String
    ) async throws {
        func share(_ link: String) {}
        let invitation = try await GroupInvitations.mint(
            namespaceId: namespaceId, inviterAccount: session.account, keys: signIn.deviceKeys(), members: members,
            cloud: signIn.cloudClient(), applicationId: applicationId)
        let token = try InvitationPayload(invitation, extra: ["spaceName": "Design"]).token()
        share(InviteLink.invitation(token: token, slug: "com.example.notes"))
    }

    static func hosting(_ stored: String, _ namespaceId: String, _ proof: JSONValue) async throws {
        @Sendable func save(_ token: String?) {}
        let cloud = CloudAccountClient(sessionToken: stored) { session in save(session?.sessionToken) }
        try await cloud.claimNamespace(namespaceId, ownershipProof: proof)  // the node's issueNamespaceOwnershipProof
        try await cloud.enableNamespaceHa(namespaceId)
        let relay = try await cloud.findExecutingRelay(namespaceId)
        print(relay?.relayUrl ?? "no relay is assigned yet")
    }

    static func appLayer(_ link: String, _ contextId: String) async {
        @Sendable func show(_ text: String) {}
        @Sendable func agrees(to invitation: AppInvitation?) async -> Bool { invitation != nil }
        let session = AppSession(.init(packageId: "com.example.notes"))
        Task {
            for await state in await session.states() {
                switch state.phase {
                case .restoring: show("")
                case .signedOut, .sessionLost: show(state.errorMessage ?? "Please sign in.")
                case .signedIn, .signedInWithoutRelay: show("Hello, \(state.username)")
                }
            }
        }
        await session.restore()
        await session.signInWithCloud(callback: .https(host: "app.example", path: "/enrol"))
        if await session.openInvitation(link), await agrees(to: session.state.pendingInvitation) {
            await session.acceptInvitation()
        }
        for await event in await session.events(contextId: contextId) { print(event.kind, event.isGap) }
    }

    static func sealed(
        _ relayURL: String, _ account: String, _ credential: String, _ keys: DeviceKeys, _ nonces: any WarrantNonceStore
    ) -> RelayClient {
        let sealing = Sealing.signedRelays(minReleaseVersion: "2.3.99")
        let relay = RelayClient(
            relayURL: relayURL, authorAccount: account, authorProof: credential, keys: keys, nonces: nonces,
            options: HttpOptions(sealing: sealing))
        return relay
    }

    static func stores(_ node: URL, _ folder: URL, _ credentials: Credentials) async throws {
        let store = FileTokenStore(url: folder.appendingPathComponent("session.json"))
        let mero = Mero(config: MeroConfig(baseURL: node, tokenStore: store))
        if await !mero.isAuthenticated { try await mero.authenticate(credentials) }
    }

    static func largeBodies(_ mero: Mero, _ fileURL: URL, _ blobId: String, _ target: URL) async throws {
        var upload = HttpRequest(
            path: "/admin-api/blobs", method: .put, body: .file(fileURL, contentType: "application/octet-stream"))
        upload.uploadProgress = { print("sent", $0.completed, "bytes") }
        try await mero.http.sendVoid(upload)

        let head = try await mero.http.download(HttpRequest(path: "/admin-api/blobs/\(blobId)"), to: target)
        print(head.headers["content-type"] ?? "")
    }

    static func devNode() async throws -> (DevNode, String) {
        struct Counter: DevContract {
            let name = "counter"
            let methods: [String: DevMethod] = [
                "get": .read { call in call.state["count"] ?? 0 },
                "add": .mutate { call in
                    let by: Int = try call.arg("by")
                    guard by > 0 else { throw DevContractError.failure("by must be above 0") }
                    let count = (call.state["count"]?.intValue ?? 0) + by
                    call.state["count"] = .number(Double(count))
                    return call.state["count"]
                },
            ]
        }

        let node = try await DevNode.start()
        let contextId = try node.createContext(Counter())
        print("listening on", node.url, "with", contextId)
        return (node, contextId)
    }

    static func streamFaults(_ node: DevNode, _ contextId: String, _ author: String) throws {
        node.emit(.syncStatus(.syncing), context: contextId)
        try node.setPresence(Data("{}".utf8), author: author, context: contextId)
        node.streams.cutNext(afterFrames: 2)
        node.streams.split(bytes: 1)
        node.streams.stall()
        node.streams.refuseNext(status: 403, authError: "token_revoked")
    }

    static func faults(_ node: DevNode) async throws {
        node.inject(.status(503, retryAfter: "1"), on: "POST /jsonrpc", times: 2)
        node.inject(.cutAfterHandler, on: "POST /jsonrpc")
        node.inject(.delay(3), on: "/auth/*", times: nil)
        node.inject(.status(500), on: "POST /admin-api/contexts/*/intents")
        node.expireAccessTokens()
        node.revokeFamilies()
        try await node.refuseConnections(true)
    }
}

@Test func survivesAnExpiredSession() async throws {
    let node = try await DevNode.start()
    let contextId = try node.createContext(KeyValueContract())
    let mero = Mero(config: MeroConfig(baseURL: node.url))
    try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
    node.expireAccessTokens()
    let value: String? = try await mero.rpc.execute(contextId: contextId, method: "get", argsJson: ["key": "k"])
    #expect(value == nil)
    #expect(node.requestCount("POST", "/auth/refresh") == 1)
    await node.stop()
}

@Test func signsInOnceTheCloudAnswersAgain() async throws {
    let test = try await TestCloud.start()
    FaultScript([("GET /api/cloud/accounts/*", .status(503))]).play(on: test.cloud)
    test.person.wallet.next(.deny)
    let session = AppSession(test.setup())
    await session.signInWithCloud(callback: .scheme("notes"))
    #expect(await session.state.failure == .enrolmentDeclined)
    await session.signInWithCloud(callback: .scheme("notes"))
    #expect(await session.state.phase == .signedInWithoutRelay)  // the cloud could not be asked
    await session.refreshRelay()
    #expect(await session.state.phase == .signedIn)
    await test.stop()
}

#if canImport(SwiftUI) && canImport(Combine)
    struct NotesApp: App {
        @StateObject private var client = MeroClient()
        var body: some Scene {
            WindowGroup {
                MeroRootView(callback: .https(host: "app.example", path: "/enrol")).environmentObject(client)
            }
        }
    }
#endif
