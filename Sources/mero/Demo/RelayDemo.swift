import Foundation
import MeroDevNode
import MeroKit

/// The second act: the same calls through a node and through a relay, for an account that has no node.
struct RelayDemo: Sendable {
    typealias Outcome = DemoReporter.Outcome

    let reporter: DemoReporter
    /// It is both: alice's node, and the relay that writes for ada.
    let node: DevNode

    /// Who writes, and where.
    private struct Scene: Sendable {
        let ada: DevAccount
        let context: String
        let throughNode: MeroTransportClient
        let throughRelay: MeroTransportClient
    }

    func run() async throws {
        let scene: Scene = try await reporter.step("account", "Make an account without a node") {
            try await self.scene()
        }
        defer {
            scene.throughNode.close()
            scene.throughRelay.close()
        }
        try await reporter.step("two-ways", "Run the same code through a node and through a relay") {
            try await bothWays(scene)
        }
        try await reporter.step("two-errors", "Meet the contract's error on both ways, typed") {
            try await bothErrors(scene)
        }
        try await reporter.step("two-streams", "Watch both ways, and see one write twice") {
            try await bothStreams(scene)
        }
        try await reporter.step("refused", "Have a warrant refused") { try await refusal(scene) }
        try await reporter.step("spent-number", "Lose the count of warrants, and go on") {
            try await spentNumber(scene)
        }
    }

    private func scene() async throws -> Outcome<Scene> {
        let ada = try DevAccount()
        let namespace = try node.createNamespace(
            members: [ada.accountId: .member], contract: KeyValueContract())
        let context = try node.createContext(KeyValueContract(), inGroup: namespace)
        let mero = Mero(config: MeroConfig(baseURL: node.url))
        _ = try await mero.authenticate(Credentials(username: DevCommand.user, password: DevCommand.password))
        let relay = client(of: ada, nonces: MemoryWarrantNonceStore())
        let scene = Scene(
            ada: ada, context: context, throughNode: MeroTransportClient(mero: mero),
            throughRelay: try MeroTransportClient(
                .relay(
                    RelayTransportConfig(
                        relay: relay, proof: ProofCredential(credential: ada.credential, keys: ada.keys)))))
        return Outcome(
            value: scene,
            says:
                "account \(ada.accountId.prefix(8))…, one certified device, member of a namespace; the relay is the node "
                + "\(node.accountId.prefix(8))…",
            facts: [.init(name: "account", value: .string(ada.accountId))])
    }

    private func client(of account: DevAccount, nonces: any WarrantNonceStore) -> RelayClient {
        RelayClient(
            relayURL: node.url.absoluteString, authorAccount: account.accountId, authorProof: account.credential,
            keys: account.keys, nonces: nonces)
    }

    /// Knows nothing of where it runs.
    private func greet(_ client: MeroTransportClient, _ context: String) async throws -> String {
        let way = client.transport.rawValue
        let _: JSONValue = try await client.rpc.execute(
            contextId: context, method: "set", argsJson: ["key": .string(way), "value": .string("hello, \(way)")])
        return try await client.rpc.execute(contextId: context, method: "get", argsJson: ["key": .string(way)])
    }

    private func bothWays(_ scene: Scene) async throws -> Outcome<Void> {
        let node = try await greet(scene.throughNode, scene.context)
        let relay = try await greet(scene.throughRelay, scene.context)
        guard node == "hello, node", relay == "hello, relay" else {
            throw Failure.mismatch(
                expected: "\"hello, node\" and \"hello, relay\"", got: "\"\(node)\" and \"\(relay)\"")
        }
        let authors = Set(self.node.delegatedWrites.map(\.account))
        guard authors == [scene.ada.accountId] else {
            throw Failure.mismatch(expected: "writes of the account", got: "writes of \(authors.count) accounts")
        }
        return Outcome(
            value: (), says: "execute(set), execute(get): node -> \"\(node)\" | relay -> \"\(relay)\"",
            facts: [.init(name: "node", value: .string(node)), .init(name: "relay", value: .string(relay))])
    }

    private func bothErrors(_ scene: Scene) async throws -> Outcome<Void> {
        var seen: [String] = []
        var cases: [String] = []
        for client in [scene.throughNode, scene.throughRelay] {
            do {
                let value: JSONValue = try await client.rpc.execute(
                    contextId: scene.context, method: "get_result", argsJson: ["key": "missing"])
                throw Failure.mismatch(expected: "an error of the contract", got: "the value \(Report(value).json)")
            } catch let error as MeroError {
                seen.append("\(error.errorType ?? "no type"): \(error.failureReason ?? "no reason")")
                cases.append(error.httpStatus.map { ".http(\($0))" } ?? ".rpc")
            }
        }
        guard let first = seen.first, first.hasPrefix("FunctionCallError: "), seen.allSatisfy({ $0 == first }),
            cases == [".rpc", ".http(400)"]
        else {
            throw Failure.mismatch(expected: "the same error twice", got: "\(seen.joined(separator: ", ")) (\(cases))")
        }
        return Outcome(
            value: (),
            says:
                "node -> MeroError\(cases[0]) | relay -> MeroError\(cases[1]), the same errorType and reason: \(first)",
            facts: [.init(name: "error", value: .string(first))])
    }

    private func bothStreams(_ scene: Scene) async throws -> Outcome<Void> {
        let streams = [
            DemoStream(try scene.throughNode.events, context: scene.context),
            DemoStream(try scene.throughRelay.events, context: scene.context),
        ]
        for stream in streams { try await stream.untilActive() }
        _ = try await greet(scene.throughRelay, scene.context)
        var seen: [String] = []
        for stream in streams {
            while true {
                let event = try await stream.next("the event of the write")
                guard let emitted = event.contractEvents.first(where: { $0.json?["key"] == "relay" }) else { continue }
                seen.append("\(event.kind): \(emitted.kind)")
                break
            }
        }
        guard let first = seen.first, seen.allSatisfy({ $0 == first }) else {
            throw Failure.mismatch(expected: "the same event twice", got: seen.joined(separator: ", "))
        }
        return Outcome(
            value: (), says: "node -> \(first) | relay -> \(first), its stream opened by a signed request and no login")
    }

    private func refusal(_ scene: Scene) async throws -> Outcome<Void> {
        let stranger = client(of: try DevAccount(), nonces: MemoryWarrantNonceStore())
        let before = node.delegatedWrites.count
        do {
            _ = try await stranger.execute(contextId: scene.context, method: "clear")
            throw Failure.mismatch(expected: "AccountError.intentRefused", got: "an answer")
        } catch AccountError.intentRefused(let reason, _, let status) {
            guard node.delegatedWrites.count == before else {
                throw Failure.mismatch(expected: "no write", got: "one")
            }
            return Outcome(
                value: (), says: "a stranger's warrant: AccountError.intentRefused (HTTP \(status)), \(reason)",
                facts: [.init(name: "status", value: .integer(Int64(status)))])
        }
    }

    private func spentNumber(_ scene: Scene) async throws -> Outcome<Void> {
        // Far ahead of a store that counts from 1.
        try node.spend(1_000_000, ofDeviceKey: scene.ada.keys.signPublicKey, context: scene.context)
        let before = node.delegatedWrites.count
        node.clearRequests()
        let result = try await client(of: scene.ada, nonces: MemoryWarrantNonceStore()).execute(
            contextId: scene.context, method: "set", argsJson: ["key": "count", "value": "found again"])
        let warrants = node.requestCount("POST", "/admin-api/contexts/\(scene.context)/intents")
        let writes = node.delegatedWrites.count - before
        guard warrants == 2, writes == 1, let rootHash = result.rootHash else {
            throw Failure.mismatch(expected: "2 warrants, 1 write", got: "\(warrants) warrants, \(writes) writes")
        }
        return Outcome(
            value: (),
            says: "\(warrants) warrants, the first refused as spent, \(writes) write; root \(rootHash.prefix(8))…",
            facts: [
                .init(name: "warrants", value: .integer(Int64(warrants))),
                .init(name: "writes", value: .integer(Int64(writes))),
            ])
    }
}
