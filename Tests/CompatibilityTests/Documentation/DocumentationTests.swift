import Foundation
import MeroDevNode
import MeroKit
import MeroKitTestSupport
import Testing

/// README.md and the pages of the documentation: their Swift compiles, and what can run against a node of the test's own does.
@Suite("Documentation") struct DocumentationTests {
    private static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }
    private static let catalog = root.appendingPathComponent("Sources/MeroKit/MeroKit.docc")

    /// README.md, and every page of the catalog.
    static let pages: [String] =
        ["README.md"]
        + ((try? FileManager.default.contentsOfDirectory(atPath: catalog.path)) ?? [])
        .filter { $0.hasSuffix(".md") }.sorted().map { "Sources/MeroKit/MeroKit.docc/\($0)" }

    /// Indentation, empty lines and imports may differ; nothing else.
    private static func code(_ text: String) -> String {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n")
    }

    /// The compiled samples, all of them.
    private static func samples() throws -> String {
        var text = ""
        for folder in ["Readme", "Documentation"] {
            let path = root.appendingPathComponent("Tests/CompatibilityTests/\(folder)")
            for name in try FileManager.default.contentsOfDirectory(atPath: path.path)
            where name.hasSuffix("Samples.swift") {
                text += try String(contentsOf: path.appendingPathComponent(name), encoding: .utf8) + "\n"
            }
        }
        return code(text)
    }

    private static func blocks(of page: String, _ language: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
            .components(separatedBy: "```\(language)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
    }

    @Test("every Swift block is among the compiled samples", arguments: pages)
    func compiled(page: String) throws {
        let samples = try Self.samples()
        // A manifest, or a piece of one, is no sample; `scripts/examples` builds the tutorial's.
        for block in try Self.blocks(of: page, "swift")
        where !block.hasPrefix("dependencies:") && !block.hasPrefix("// swift-tools-version") {
            #expect(samples.contains(Self.code(block)), "not among the samples as it stands: \(block)")
        }
    }

    @Test("there are pages, and blocks in them")
    func looksSomewhere() throws {
        #expect(Self.pages.count > 20)
        #expect(try Self.pages.flatMap { try Self.blocks(of: $0, "swift") }.count > 60)
    }

    // MARK: - Nodes

    private static func folder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("documentation-\(UUID().uuidString)")
    }

    @Test("a second launch needs no login; calls, WebSocket, blobs, members, requests of one's own")
    func node() async throws {
        let test = try await SignedInNode.start()
        let folder = Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        for _ in 0..<2 {
            let mero = try await NodeSamples().client(
                of: test.node.url, user: "dev", password: "dev-password", folder: folder)
            #expect(await mero.isAuthenticated)
        }
        // One by the double, one by the first launch.
        #expect(test.node.requestCount("POST", "/auth/token") == 2)

        try await NodeSamples().write(test.mero.rpc, test.contextId)
        #expect(try await NodeSamples().read(test.mero.rpc, test.contextId).value == "blue")
        #expect(try await NodeSamples().webSocket(test.mero, test.contextId) == 1)
        await test.mero.close()

        let file = folder.appendingPathComponent("photo")
        let copy = folder.appendingPathComponent("copy")
        try Data("a photo".utf8).write(to: file)
        let blob = try await NodeSamples().blobs(test.mero, file, copy)
        #expect(try Data(contentsOf: copy) == Data("a photo".utf8))
        #expect(test.node.blobs.ids.contains(blob))

        let namespace = try test.node.createNamespace(contract: KeyValueContract())
        #expect(try await NodeSamples().members(test.mero, namespace, test.node.accountId) == 1)
        let mask = try #require(test.node.capabilities(of: test.node.accountId, group: namespace))
        #expect(Capabilities.hasCap(mask, Capabilities.canInviteMembers))
        #expect(try await NodeSamples().installing(test.mero).count == 64)
        #expect(try await NodeSamples().ownRequest(test.mero).objectValue != nil)
        #expect(try await NodeSamples().http(test.node.url, nil).auth.getHealth().status.isEmpty == false)
        await test.stop()
    }

    @Test("the login page: tokens of this node are taken, those of another are not")
    func hosted() async throws {
        let node = try await DevNode.start()
        let mero = NodeSamples().revoked(node.url) { _ in }
        let tokens = node.mintTokens()
        let url = node.url.absoluteString
        func returned(_ node: String) -> String {
            "https://app.example/login#access_token=\(tokens.accessToken)&refresh_token=\(tokens.refreshToken)"
                + "&node_url=\(node.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        await #expect(throws: AccountError.self) {
            try await NodeSamples().hostedLogin(mero, url, returned("https://other.example")) { _ in }
        }
        #expect(await mero.isAuthenticated == false)
        var opened = ""
        try await NodeSamples().hostedLogin(mero, url, returned(url)) { opened = $0 }
        #expect(opened.hasPrefix(url))
        #expect(await mero.currentTokenData()?.accessToken == tokens.accessToken)
        await node.stop()
    }

    @Test("a stream reads again at its start and after a change, and ends with its task")
    func stream() async throws {
        let test = try await SignedInNode.start()
        let (reads, seen) = AsyncStream.makeStream(of: Void.self)
        let following = Task {
            try await NodeSamples().status(test.mero, test.contextId) { _ = seen.yield() }
        }
        while test.node.streams.open.isEmpty { await Task.yield() }
        test.node.streams.cutAll()
        var iterator = reads.makeAsyncIterator()
        // The gap mark of the second connection.
        await iterator.next()
        following.cancel()
        _ = await following.result
        await test.stop()
    }

    @Test("what to do next, for each kind of error")
    func nextSteps() {
        let answer = HTTPError(status: 401, statusText: "Unauthorized", url: "http://node", headers: [:])
        #expect(NodeSamples().nextStep(after: CancellationError()) == .ignore)
        #expect(NodeSamples().nextStep(after: MeroError.noCredentials) == .signIn)
        #expect(NodeSamples().nextStep(after: MeroError.http(answer)) == .signIn)
        #expect(NodeSamples().nextStep(after: MeroError.network("down")) == .tryAgain)
        let refused = { AccountError.intentRefused(reason: "busy", retryable: $0, status: 503) }
        #expect(NodeSamples().nextStep(after: refused(true)) == .tryAgain)
        #expect(NodeSamples().nextStep(after: refused(false)) == .show(refused(false).localizedDescription))
        let rpc = RpcError(code: -32000, message: "no", type: "FunctionCallError", data: "not yours")
        guard case .show(let text) = NodeSamples().nextStep(after: MeroError.rpc(rpc)) else {
            Issue.record("a contract's error is not shown")
            return
        }
        #expect(text.contains("not yours"))
    }

    // MARK: - Accounts

    @Test("writes through a relay, and what a refusal looks like")
    func relay() async throws {
        let test = try await SignedInRelay.start()
        #expect(try await AccountSamples.writing(test.relay, test.contextId) == nil)
        #expect(try await AccountSamples.writing(test.relay, test.contextId) == "new")
        let client = try MeroTransportClient(.relay(RelayTransportConfig(relay: test.relay)))
        try await AccountSamples.refusals(client, test.contextId)
        // Refused, and therefore not thrown on.
        try await AccountSamples.refusals(client, "no id")
        let session = try AccountSamples.anotherDevice(test.account.root.phrase, .generate())
        #expect(session.credential.account == test.account.accountId)
        await test.stop()
    }

    @Test("joining with a node, and an invitation that nobody can honour")
    func joining() async throws {
        var options = DevNodeOptions()
        options.network = DevNetwork()
        let (host, guest) = (try await DevNode.start(options), try await DevNode.start(options))
        let namespace = try host.createNamespace(contract: KeyValueContract())
        let mero = Mero(config: MeroConfig(baseURL: guest.url, retryPolicy: .never))
        try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
        try await AccountSamples.joiningWithANode(host.createInvitation(namespace: namespace), mero)
        #expect(host.members(group: namespace)?[guest.accountId] != nil)
        await host.stop()
        await guest.stop()
    }

    // MARK: - Servers, the tutorial

    @Test("one client for a node; a deadline; a service that ends")
    func server() async throws {
        let test = try await SignedInNode.start()
        let folder = Self.folder()
        let clients = Clients(folder: folder)
        let first = await clients.client(of: test.node.url)
        #expect(await clients.client(of: test.node.url) === first)
        await clients.close()
        #expect(try await ServerSamples().deadline(test.mero, test.contextId) == 0)
        try await ServerSamples().run { try Task.checkCancellation() }
        await #expect(throws: MeroError.self) { try await ServerSamples().run { throw MeroError.noCredentials } }
        await test.stop()
    }

    @Test("the tutorial: two people, one list")
    func tutorial() async throws {
        var options = DevNodeOptions()
        options.delegatedAccess = true
        let node = try await DevNode.start(options)
        let folder = Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let namespace = try node.createNamespace(contract: KeyValueContract())
        let context = try node.createContext(KeyValueContract(), inGroup: namespace)
        let people = TutorialSamples.People()
        let ana = TutorialSamples.TaskList(client: try await people.ana(at: node.url), contextId: context)
        try await ana.add("Buy milk")
        let invitation = try node.createInvitation(namespace: namespace)
        for _ in 0..<2 {
            let ben = TutorialSamples.TaskList(
                client: try await people.ben(at: node.url, invitation: invitation, folder: folder), contextId: context)
            try await ben.add("Call Ana")
        }
        #expect(try await ana.all() == ["Buy milk", "Call Ana", "Call Ana"])
        // Joined once.
        #expect(node.requests.filter { $0.path.hasSuffix("/admit") }.count == 1)
        await node.stop()
    }
}
