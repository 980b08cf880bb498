import Foundation
import MeroKit

// The Swift of the documentation's pages about nodes, word for word, so that it compiles and runs.

struct NodeSamples {
    func client(of node: URL, user: String, password: String, folder: URL) async throws -> Mero {
        let store = FileTokenStore(url: folder.appendingPathComponent("session.json"))
        let mero = Mero(config: MeroConfig(baseURL: node, tokenStore: store))
        if await !mero.isAuthenticated {
            try await mero.authenticate(Credentials(username: user, password: password))
        }
        return mero
    }

    func hostedLogin(_ mero: Mero, _ node: String, _ returned: String, _ open: (String) -> Void) async throws {
        let page = Mero.buildAuthLoginUrl(
            nodeUrl: node, options: AuthLoginOptions(callbackUrl: "https://app.example/login", mode: "admin"))
        open(page)

        // Later, with the URL that the page returned to:
        if let result = try SsoLogin.trustedCallback(returned, startedWith: node) {
            try await mero.adoptTokenData(from: result)
        }
    }

    func revoked(_ node: URL, _ showSignIn: @escaping @Sendable (String) -> Void) -> Mero {
        let config = MeroConfig(
            baseURL: node,
            onAuthRevoked: { reason in showSignIn(reason) },
            onTokenStoreFailure: { error in print("the session will not survive this launch:", error) })
        let mero = Mero(config: config)
        return mero
    }

    struct Entry: Decodable {
        var key: String
        var value: String?
    }

    func read(_ rpc: RpcClient, _ contextId: String) async throws -> Entry {
        let value: String? = try await rpc.execute(contextId: contextId, method: "get", argsJson: ["key": "colour"])
        return Entry(key: "colour", value: value)
    }

    func write(_ rpc: RpcClient, _ contextId: String) async throws {
        let _: Empty = try await rpc.execute(
            contextId: contextId, method: "set", argsJson: ["key": "colour", "value": "blue"])
    }

    func webSocket(_ mero: Mero, _ contextId: String) async throws -> Int {
        let ws = mero.ws
        let listener = ws.on { event in print(event.kind) }
        try await ws.subscribe(contextIds: [contextId])
        ws.connect()
        defer { listener.cancel() }
        while true {
            do {
                return try await ws.execute(contextId: contextId, method: "len")
            } catch MeroError.network {
                await Task.yield()  // not open yet
            }
        }
    }

    func status(_ mero: Mero, _ contextId: String, _ reload: @Sendable () async -> Void) async throws {
        let events = mero.events(contextIds: [contextId]) { status in
            if status.contexts[contextId] == .refused { print("this session may not see the context") }
            if status.connection == .waiting { print("offline; trying again") }
        }
        for try await event in events where event.isGap || event.kind == "StateMutation" {
            await reload()
        }
    }

    func members(_ mero: Mero, _ groupId: String, _ account: String) async throws -> Int {
        let admin = await mero.admin
        var members: [GroupMember] = []
        var page: [GroupMember]
        repeat {
            page = try await admin.listGroupMembers(groupId, offset: members.count, limit: 1000).members
            members += page
        } while page.count == 1000

        let mask = try await admin.getMemberCapabilities(groupId, identity: account).capabilities
        let wanted = Capabilities.withCap(UInt32(mask), Capabilities.canInviteMembers)
        try await admin.setMemberCapabilities(
            groupId, identity: account, request: SetMemberCapabilitiesRequest(capabilities: Int(wanted)))
        return members.count
    }

    func blobs(_ mero: Mero, _ file: URL, _ target: URL) async throws -> String {
        let admin = await mero.admin
        let digest = try await BlobDigest(ofFile: file)
        let blob = try await admin.uploadBlob(file: file, hash: digest.contentHash) { progress in
            print("sent", progress.completed, "of", progress.total ?? 0)
        }
        try await admin.downloadBlob(blob.blobId, to: target, hash: digest.contentHash)
        return blob.blobId
    }

    func installing(_ mero: Mero) async throws -> String {
        let admin = await mero.admin
        let installed = try await admin.installFromRegistry(packageName: "kv-store", version: "1.0.0")
        let application = try await admin.getApplication(installed.applicationId)
        _ = application
        return installed.applicationId
    }

    func http(_ node: URL, _ authority: URL?) -> Mero {
        var options = HttpOptions()
        options.replyLimit = 8 << 20  // bytes of an answer that is read into memory
        options.connectionsPerHost = 16
        options.certificateAuthorityFile = authority  // PEM, for a node with a certificate of your own making
        let mero = Mero(
            config: MeroConfig(baseURL: node, timeout: 30, retryPolicy: .onlyIfUnsent, httpOptions: options))
        return mero
    }

    func ownRequest(_ mero: Mero) async throws -> JSONValue {
        var request = HttpRequest(path: "/admin-api/usage", timeout: 5)
        request.sendOnce = true
        let usage: JSONValue = try await mero.http.send(request)
        return usage
    }

    enum NextStep: Equatable {
        case signIn
        case tryAgain
        case show(String)
        case ignore
    }

    func nextStep(after error: any Error) -> NextStep {
        switch error {
        case is CancellationError:
            return .ignore
        case MeroError.authRevoked, MeroError.noCredentials, MeroError.noRefreshToken, AccountError.notSignedIn:
            return .signIn
        case MeroError.http(let answer) where answer.status == 401:
            return .signIn
        case MeroError.network, AccountError.intentRefused(_, true, _):
            return .tryAgain
        case let error as MeroError:
            return .show(error.failureReason ?? error.localizedDescription)
        default:
            return .show(error.localizedDescription)
        }
    }
}
