import Foundation
import MeroDevNode
import MeroKit
import Testing

// The Swift of README.md, word for word, so that it compiles. `ReadmeTests` holds the two against each other.

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

    static func errors(_ mero: Mero, _ contextId: String) async throws {
        func show(_ anything: Any) {}
        func showSignIn() {}
        do {
            let post: Post = try await mero.rpc.execute(
                contextId: contextId, method: "get_post", argsJson: ["id": "42"])
            show(post)
        } catch let error as MeroError {
            switch error {
            case .rpc(let error): show("the contract said no: \(error.message)")
            case .authRevoked, .noCredentials, .noRefreshToken: showSignIn()
            case .http(let answer) where answer.status == 401: showSignIn()
            case .http(let answer) where answer.status == 403: show("not allowed")
            case .network(let text): show("no answer: \(text)")
            default: show(error.localizedDescription)
            }
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

    static func account(_ keyFile: URL, _ folder: URL) throws -> (RelayClient, String, DeviceKeys) {
        let root = AccountRoot.generate()  // show root.phrase once, and keep the root nowhere
        let keys = DeviceKeys.loadOrCreate(in: AnyValueStore(FileValueStore(url: keyFile)))
        let device = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
        let credential = try root.certify(
            device: device, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)

        let relay = RelayClient(
            relayURL: "https://relay.example", authorAccount: root.accountId, authorProof: credential, keys: keys,
            nonces: FileWarrantNonceStore(directory: folder))
        return (relay, credential, keys)
    }

    static func transports(
        _ mero: Mero, _ relay: RelayClient, _ credential: String, _ keys: DeviceKeys, _ contextId: String
    ) async throws {
        func count(_ client: MeroTransportClient) async throws -> Int {
            try await client.rpc.execute(contextId: contextId, method: "len", argsJson: [:])
        }

        let onNode = MeroTransportClient(mero: mero)
        let onRelay = try MeroTransportClient(
            .relay(RelayTransportConfig(relay: relay, proof: ProofCredential(credential: credential, keys: keys))))
        print(try await count(onNode), try await count(onRelay))
        for try await event in try onRelay.events.events(contextIds: [contextId]) { print(event.kind) }
    }

    static func administration(_ mero: Mero) async throws {
        let admin = await mero.admin
        let namespaces = try await admin.listNamespaces()
        print(namespaces.map(\.namespaceId))
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
