import Foundation
import MeroDevNode
import MeroKit
import Testing

/// What README.md says about accounts, relays and administration, done.
@Suite("README: accounts, relays, administration")
struct ReadmeAccountTests {
    private static func with(_ body: (DevNode, _ folder: URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var options = DevNodeOptions()
        options.delegatedAccess = true
        let node = try await DevNode.start(options)
        do {
            try await body(node, folder)
        } catch {
            await node.stop()
            throw error
        }
        await node.stop()
    }

    @Test("a second launch finds what the first one made, and a damaged file is no first launch")
    func launches() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("readme-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        var phrases: [String] = []
        let first = try ReadmeSamples.launch(folder) { phrases.append($0) }
        let second = try ReadmeSamples.launch(folder) { phrases.append($0) }
        #expect(phrases.count == 1)
        #expect(try AccountRoot(phrase: phrases[0]).accountId == first.session.credential.account)
        #expect(second.session == first.session && second.keys == first.keys)
        for name in ["device.json", "account.json", "session.json"] {
            let file = folder.appendingPathComponent(name)
            let content = try Data(contentsOf: file)
            let damaged = Data("{oops".utf8)
            try damaged.write(to: file)
            #expect(throws: SecureValueStoreError.self, "\(name)") {
                // A session outranks the certificate without one, which is not read then.
                if name == "account.json" {
                    try FileManager.default.removeItem(at: folder.appendingPathComponent("session.json"))
                }
                _ = try ReadmeSamples.launch(folder) { phrases.append($0) }
            }
            #expect(try Data(contentsOf: file) == damaged)
            try content.write(to: file)
            if name == "account.json" { first.accounts.save(first.session) }
        }
        #expect(phrases.count == 1)
        #expect(try ReadmeSamples.launch(folder) { phrases.append($0) }.session == first.session)
    }

    @Test("joining, calling, reading by query and listing")
    func account() async throws {
        try await Self.with { node, folder in
            let namespace = try node.createNamespace(contract: KeyValueContract())
            let context = try node.createContext(KeyValueContract(), inGroup: namespace)
            let launch = try ReadmeSamples.launch(folder) { _ in }
            let url = node.url.absoluteString
            let text = try #require(InviteCodec.encode(json: try node.createInvitation(namespace: namespace)))
            let joined = try await ReadmeSamples.join(text, url, launch)
            #expect(joined.relayURL == url)
            #expect(try launch.accounts.read() == joined)
            try await ReadmeSamples.delegated(joined, node.nodeKey, url, launch, folder, context)
            // With a pinned key the read was no warrant.
            #expect(node.requestCount("POST", "/admin-api/contexts/\(context)/query") == 1)
            #expect(node.requestCount("POST", "/admin-api/contexts/\(context)/intents") == 0)
        }
    }

    @Test("an invitation that is none, or names no namespace, costs nothing")
    func badInvitations() async throws {
        for text in ["", "hello", "{}", #"{"invitation":{}}"#, String(repeating: "z", count: 5000)] {
            #expect(throws: MeroError.self, "\(text.prefix(20))") { try SignedGroupOpenInvitation(pasted: text) }
        }
        try await Self.with { node, folder in
            let namespace = try node.createNamespace(contract: KeyValueContract())
            let json = try node.createInvitation(namespace: namespace)
            let invitation = try SignedGroupOpenInvitation(pasted: json)
            #expect(try invitation.namespaceId() == namespace)
            let launch = try ReadmeSamples.launch(folder) { _ in }
            let short = try SignedGroupOpenInvitation(
                pasted: json.replacingOccurrences(of: #""group_id":["#, with: #""group_id":[1,"#))
            for (bad, url) in [(short, node.url.absoluteString), (invitation, "ftp://relay.example")] {
                await #expect(throws: AccountError.self) {
                    _ = try await AccountJoin.join(
                        invitation: bad, at: url, credential: launch.session.credential, keys: launch.keys,
                        nonces: launch.nonces)
                }
            }
            #expect(node.requests.isEmpty)
            // No number was drawn for either.
            #expect(launch.nonces.next(relay: "join:\(launch.session.credential.account)") == 1)
        }
    }

    @Test("one mistake, as a node and as a relay tell it")
    func errorsOnBothWays() async throws {
        try await Self.with { node, folder in
            let launch = try ReadmeSamples.launch(folder) { _ in }
            let account = launch.session.credential.account
            let namespace = try node.createNamespace(members: [account: .member], contract: KeyValueContract())
            let context = try node.createContext(KeyValueContract(), inGroup: namespace)
            let mero = Mero(config: MeroConfig(baseURL: node.url))
            try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
            let onNode = MeroTransportClient(mero: mero)
            let onRelay = try MeroTransportClient(
                .relay(
                    RelayTransportConfig(
                        relay: RelayClient(
                            relayURL: node.url.absoluteString, authorAccount: account,
                            authorProof: launch.session.credential.credential, keys: launch.keys,
                            nonces: launch.nonces))))
            func fail(_ client: MeroTransportClient, _ context: String, _ method: String) async -> (any Error)? {
                do {
                    let _: JSONValue = try await client.rpc.execute(
                        contextId: context, method: method, argsJson: ["key": "none"])
                    return nil
                } catch {
                    return error
                }
            }
            let unknown = String(repeating: "ab", count: 32)

            let own = [await fail(onNode, context, "get_result"), await fail(onRelay, context, "get_result")]
                .map { $0 as? MeroError }
            #expect(own.map { $0?.errorType } == ["FunctionCallError", "FunctionCallError"])
            #expect(own[0]?.failureReason?.contains("none") == true && own[0]?.failureReason == own[1]?.failureReason)
            #expect(own[0]?.errorData == own[1]?.errorData)
            #expect(own.map { $0?.httpStatus } == [nil, 400])

            #expect((await fail(onNode, "notes", "get") as? MeroError)?.errorType == "ParseError")
            guard case AccountError.intentRefused(_, false, 400)? = await fail(onRelay, "notes", "get") else {
                Issue.record("an id that is none is not refused as the README says")
                return
            }
            #expect((await fail(onNode, unknown, "get") as? MeroError)?.errorType == "ContextNotFound")
            #expect((await fail(onRelay, unknown, "get") as? MeroError)?.httpStatus == 404)

            // The README's own switch says the same for both.
            for client in [onNode, onRelay] {
                var shown: [String] = []
                try await ReadmeSamples.errors(client, context, { shown.append("\($0)") }) { shown.append("sign in") }
                #expect(shown.count == 1 && shown != ["sign in"], "\(shown)")
            }
        }
    }

    @Test("from an application to two people in a context")
    func administration() async throws {
        var options = DevNodeOptions()
        options.network = DevNetwork()
        let (one, two) = (try await DevNode.start(options), try await DevNode.start(options))
        let clients = [one, two].map { Mero(config: MeroConfig(baseURL: $0.url)) }
        for client in clients {
            try await client.authenticate(Credentials(username: "dev", password: "dev-password"))
        }
        try await ReadmeSamples.administration(clients[0], clients[1])
        let contexts = try await clients[1].admin.getContexts().contexts
        #expect(contexts.map(\.name) == ["notes"])
        let seen = try await clients[0].admin.getContexts().contexts
        #expect(contexts.map(\.id) == seen.map(\.id))
        await one.stop()
        await two.stop()
    }
}
