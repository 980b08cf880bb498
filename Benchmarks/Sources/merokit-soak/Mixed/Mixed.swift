import Foundation
import MeroDevNode
import MeroKit

/// Everything that clients do, at once and under fire: a node and a relay that fail all the time, with tokens that live for two
/// seconds.
///
/// Every write carries a number. Those that were acknowledged have to be there exactly once, those whose outcome nobody
/// told at most once, and those that were refused not at all.
final class Mixed: Sendable {
    private let node: DevNode
    private let relay: DevNode
    private let contexts: (node: String, relay: String)
    private let lanes: [Lane]
    private let blobs: [BlobTraffic]
    private let clients: [Mero]
    private let troubles: [Trouble]
    private let failures: Failures
    private let findings: Findings
    private let counts = Lane.Counts()
    private let logins: Guarded<Int>
    private let refreshes = Guarded(0)
    private let socketEvents = Guarded(0)
    private let folder: URL
    private let seed: UInt64

    static func start(seed: UInt64, findings: Findings) async throws -> Mixed {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-soak-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("files"), withIntermediateDirectories: true)
        var options = DevNodeOptions()
        options.accessTokenLifetime = 2
        options.expiryLeeway = 0
        options.dataDirectory = folder.appendingPathComponent("node")
        options.contracts = [BookContract()]
        let node = try await DevNode.start(options)
        options.delegatedAccess = true
        options.dataDirectory = folder.appendingPathComponent("relay")
        let relay = try await DevNode.start(options)
        return try Mixed(node, relay, folder, seed, findings)
    }

    private init(_ node: DevNode, _ relay: DevNode, _ folder: URL, _ seed: UInt64, _ findings: Findings) throws {
        (self.node, self.relay, self.folder, self.seed, self.findings) = (node, relay, folder, seed, findings)
        let failures = Failures(findings)
        let logins = Guarded(0)
        let counts = counts
        let context = try node.createContext(BookContract())
        (self.failures, self.logins) = (failures, logins)

        func lane(_ way: any WritingWay, _ writer: String) -> Lane {
            Lane(
                way: way, book: Book(writer, findings: findings), failures: failures, findings: findings, counts: counts
            )
        }
        func nodeWay(_ name: String, _ policy: RetryPolicy, signsOut: Bool = true) -> NodeWay {
            var config = MeroConfig(baseURL: node.url)
            config.retryPolicy = policy
            return NodeWay(
                name: name, mero: Mero(config: config), context: context, failures: failures, logins: logins,
                signsOut: signsOut, sendsAgain: policy == .documented)
        }
        // A policy that sends again after a lost answer would write twice, as documented.
        let alone = [nodeWay("rpc", .onlyIfUnsent), nodeWay("rpc", .onlyIfUnsent), nodeWay("rpc", .never)]
        let shared = nodeWay("rpc, one session for two", .onlyIfUnsent, signsOut: false)
        let socket = nodeWay("WebSocket", .onlyIfUnsent, signsOut: false)
        let transfers = [nodeWay("blobs", .documented), nodeWay("blobs", .never)]
        var lanes = alone.enumerated().map { lane($1, "rpc \($0)") }
        lanes += (0..<2).map { lane(shared, "shared \($0)") }
        lanes.append(lane(SocketWay(node: socket), "socket"))

        // Two accounts, one of them on two tasks; and one that seals everything.
        let accounts = try (0..<3).map { _ in try DevAccount() }
        let members = Dictionary(uniqueKeysWithValues: accounts.map { ($0.accountId, DevRole.member) })
        let namespace = try relay.createNamespace(members: members, contract: BookContract())
        let relayContext = try relay.createContext(BookContract(), inGroup: namespace)
        let nonces: [any WarrantNonceStore] = [
            MemoryWarrantNonceStore(), FileWarrantNonceStore(directory: folder.appendingPathComponent("nonces")),
            MemoryWarrantNonceStore(),
        ]
        let sealing = Sealing.node(key: .attested { relay.sealed.transportKey })
        for (number, account) in accounts.enumerated() {
            let options = number == 2 ? HttpOptions(sealing: sealing) : HttpOptions()
            let session = Guarded<TokenData?>(nil)
            let client = RelayClient(
                relayURL: relay.url.absoluteString, authorAccount: account.accountId, authorProof: account.credential,
                keys: account.keys, nonces: nonces[number], tokenProvider: { session.with { $0?.accessToken } },
                options: options)
            let way = RelayWay(
                name: number == 2 ? "sealed relay" : "relay", client: client, account: account,
                nodeKey: relay.nodeKey, context: relayContext, failures: failures, logins: logins, session: session,
                options: options)
            lanes += (0..<(number == 1 ? 2 : 1)).map { lane(way, "account \(number), \($0)") }
        }
        contexts = (context, relayContext)
        self.lanes = lanes
        clients = (alone + [shared, socket] + transfers).map(\.mero)
        let totals = Guarded(BlobTraffic.Totals())
        blobs = transfers.map {
            BlobTraffic(
                way: $0, folder: folder.appendingPathComponent("files"), failures: failures, findings: findings,
                totals: totals)
        }
        troubles = [
            Trouble(node, isRelay: false, seed: seed &+ 100, findings: findings),
            Trouble(relay, isRelay: true, seed: seed &+ 200, findings: findings),
        ]
        let events = socketEvents
        let ws = socket.mero.ws
        ws.on { event in if !event.contractEvents.isEmpty { events.with { $0 += 1 } } }
        ws.onError { failures.take($0, during: "WebSocket, a connection,") }
        ws.connect()
        Task { [context] in
            do {
                try await ws.subscribe(contextIds: [context])
            } catch {
                // It is remembered whatever happens.
                failures.take(error, during: "WebSocket, a subscription,")
            }
        }
    }

    /// Runs until it is over, and then in peace until all is accounted for.
    func run(until isOver: @escaping @Sendable () -> Bool) async {
        for lane in lanes { await lane.way.signIn() }
        for transfer in blobs { await transfer.way.signIn() }
        let troubles = troubles.map { trouble in Task { await trouble.run() } }
        await withTaskGroup(of: Void.self) { group in
            for (number, lane) in lanes.enumerated() {
                group.addTask { [seed] in await lane.run(seed: seed &+ UInt64(number) + 1000, until: isOver) }
            }
            for (number, transfer) in blobs.enumerated() {
                group.addTask { [seed] in await transfer.run(seed: seed &+ UInt64(number) + 2000, until: isOver) }
            }
        }
        for trouble in troubles { trouble.cancel() }
        for trouble in troubles { await trouble.value }
        await withTaskGroup(of: Void.self) { group in
            for lane in lanes { group.addTask { await lane.account() } }
        }
        checkContexts()
        for transfer in blobs { transfer.checkFolder() }
        if socketEvents.with({ $0 }) == 0 { findings.add("WebSocket: no events") }
    }

    /// What clients were shown is also what the nodes have.
    private func checkContexts() {
        var left: [String: [String: Int]] = [:]
        for state in [node.contextState(contexts.node), relay.contextState(contexts.relay)] {
            for (key, value) in state ?? [:] {
                let parts = key.split(separator: ":")
                left[String(parts.first ?? ""), default: [:]][String(parts.last ?? "")] = value.intValue ?? 0
            }
        }
        for book in lanes.map(\.book) {
            book.check(Book.numbered(left.removeValue(forKey: book.writer) ?? [:], findings))
        }
        if !left.isEmpty { findings.add("writers that nobody knows: \(left.keys.sorted())") }
    }

    /// The records of the nodes would be all that grows.
    func tidy() {
        for node in [node, relay] {
            let count = node.handlerRuns("POST", "/auth/refresh")
            node.clearRequests()
            refreshes.with { $0 += count }
        }
    }

    var totals: Book.Totals {
        lanes.map(\.book.totals).reduce(into: Book.Totals()) { sum, totals in
            sum.acknowledged += totals.acknowledged
            sum.refused += totals.refused
            sum.unknown += totals.unknown
            sum.unknownThatRan += totals.unknownThatRan
        }
    }

    var summaries: [String] {
        let blob = blobs.first?.totals.with { $0 } ?? BlobTraffic.Totals()
        let counts = counts.all
        var lines = lanes.map { lane in
            let totals = lane.book.totals
            return "\(lane.book.writer): \(totals.acknowledged) writes acknowledged, \(totals.refused) refused, "
                + "\(totals.unknown) unknown of which \(totals.unknownThatRan) ran"
        }
        lines += [
            "\(counts.reads) reads, \(counts.accounts) accounts, \(logins.with { $0 }) logins, "
                + "\(refreshes.with { $0 }) refreshes, \(counts.signOuts) times signed out and in, "
                + "\(socketEvents.with { $0 }) events over the WebSocket",
            "\(blob.put) blobs put, \(blob.got) got back and the same, \(Int(blob.mebibytes)) MiB; "
                + "\(blob.foreign) foreign answers in their place",
            "trouble of the node: \(troubles[0].summary)", "trouble of the relay: \(troubles[1].summary)",
            "failures seen: \(failures.summary)",
        ]
        return lines
    }

    func stop() async {
        for client in clients { await client.close() }
        await node.stop()
        await relay.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}
