import Foundation
import MeroDevNode
import MeroKit

/// Counts the instructions of what clients do all day, and compares them with those of an earlier day.
struct Instructions {
    static let flag = "--instructions"

    enum Action { case show, check, update }

    let action: Action
    let baselineFile: URL

    /// Percent by which a number may grow, and by which it may when it was counted on another kind of machine.
    private static let limit = 10.0
    private static let foreignLimit = 50.0

    /// What a number depends on beside MeroKit, and the numbers.
    struct Baseline: Codable {
        var countedWith: [String]
        var instructions: [String: Int]
    }

    init(_ arguments: [String]) throws {
        var action = Action.show
        var file = Layout.package.appendingPathComponent("instructions.json")
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--check": action = .check
            case "--update": action = .update
            case "--baseline":
                guard let path = rest.popFirst() else { throw BenchError("--baseline needs a file") }
                file = URL(fileURLWithPath: path)
            default: throw BenchError("unknown option: \(option)")
            }
        }
        self.action = action
        baselineFile = file
    }

    private struct Row: Sendable {
        let name: String
        /// How often, in the shorter run and in the longer one.
        let few: Int
        let many: Int
        let jobs: [Int: Job]

        init(_ name: String, few: Int, many: Int, job: (_ count: Int) throws -> Job) rethrows {
            (self.name, self.few, self.many) = (name, few, many)
            jobs = [few: try job(few), many: try job(many)]
        }
    }

    /// False when something grew.
    func run() async throws -> Bool {
        guard let callgrind = Callgrind() else {
            throw BenchError("valgrind is not installed; scripts/setup --for-instructions installs it")
        }
        var options = DevNodeOptions()
        options.delegatedAccess = true
        let node = try await DevNode.start(options)
        let source = try EventSource()
        defer { source.stop() }
        let peer = try peer(node)
        let token = peer.token
        let rpc = RpcClient(
            http: URLSessionHttpClient(baseURL: node.url, hooks: TransportHooks(getAuthToken: { token })))
        let _: Empty? = try await rpc.execute(
            contextId: peer.context, method: "set", argsJson: ["key": "greeting", "value": SampleCall.output])
        let rows = try rows(peer, source)
        let counted = try await withCheckedThrowingContinuation { continuation in
            // The node answers on this process's other threads meanwhile.
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        try rows.map { row in
                            note("counting: \(row.name)")
                            let each = try callgrind.each(few: row.few, many: row.many) {
                                [Layout.executable.path] + (try row.jobs[$0]?.arguments() ?? [])
                            }
                            return (row.name, Int(each.rounded()))
                        }
                    })
            }
        }
        await node.stop()
        let now = Baseline(
            countedWith: try Self.facts(), instructions: Dictionary(uniqueKeysWithValues: counted))
        return try conclude(now, order: counted.map(\.0))
    }

    // MARK: - What is counted

    private func peer(_ node: DevNode) throws -> CountedJob.Peer {
        let account = try DevAccount()
        let contract = KeyValueContract()
        let namespace = try node.createNamespace(members: [account.accountId: .member], contract: contract)
        let context = try node.createContext(contract, inGroup: namespace)
        return CountedJob.Peer(
            url: node.url, token: node.mintTokens().accessToken, context: context,
            transportKey: node.sealed.transportKey, account: account.accountId, credential: account.credential,
            keys: account.keys)
    }

    private func rows(_ peer: CountedJob.Peer, _ source: EventSource) throws -> [Row] {
        func counted(_ name: String, _ work: CountedJob.Work, few: Int, many: Int) -> Row {
            Row(name, few: few, many: many) { .counted(CountedJob(work: work, count: $0, peer: peer)) }
        }
        return [
            counted("rpc.execute", .execute, few: 200, many: 1200),
            counted("rpc.execute, sealed", .sealedExecute, few: 100, many: 500),
            counted("write through a relay", .relayWrite, few: 50, many: 250),
            counted("warrant", .warrant, few: 50, many: 250),
            try Row("event of 200 bytes, parsed", few: 2000, many: 12_000) { count in
                .events(
                    EventJob(
                        engine: .standard, base: try source.base("burst", bytes: 200, count: count), count: count,
                        passes: 1, reading: .parsed))
            },
            counted("list of 20 records into types", .typedDecode, few: 50, many: 250),
            counted("list of 20 records into a JSONValue", .treeDecode, few: 200, many: 1200),
        ]
    }

    /// What else has a share in every number.
    private static func facts() throws -> [String] {
        var facts = try System.versions() + [System.kind]
        if let valgrind = ChildProcess.find("valgrind") {
            facts.append(
                try ChildProcess.text(valgrind, ["--version"]).trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return facts
    }

    // MARK: - What becomes of it

    private func conclude(_ now: Baseline, order: [String]) throws -> Bool {
        let before = try? JSONDecoder().decode(Baseline.self, from: Data(contentsOf: baselineFile))
        if action == .check, before == nil {
            throw BenchError("there is no baseline at \(baselineFile.path); --update writes one")
        }
        let isForeign = before.map { $0.countedWith != now.countedWith } ?? false
        let limit = isForeign ? Self.foreignLimit : Self.limit
        var grown: [String] = []
        print("instructions each, all threads; \(now.countedWith.joined(separator: ", "))")
        for name in order {
            let count = now.instructions[name] ?? 0
            var line = "  \(name): \(Double(count).grouped)"
            if let old = before?.instructions[name], old > 0 {
                let change = (Double(count) / Double(old) - 1) * 100
                line += String(format: ", %+.1f %% to %@", change, Double(old).grouped)
                if change > limit { grown.append(String(format: "%@ grew by %.1f %%", name, change)) }
            } else if before != nil {
                line += ", not in the baseline"
                if action == .check { grown.append("\(name) is not in the baseline") }
            }
            print(line)
        }
        if isForeign, let before {
            print(
                "The baseline was counted with \(before.countedWith.joined(separator: ", ")). Their share is in every number, "
                    + "so that only growth by more than \(Int(Self.foreignLimit)) % counts here.")
        }
        if action == .update {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try (try encoder.encode(now) + Data("\n".utf8)).write(to: baselineFile)
            print("written to \(baselineFile.path)")
            return true
        }
        guard action == .check else { return true }
        for growth in grown { print("FAIL: \(growth)") }
        if grown.isEmpty { print("PASS: nothing grew by more than \(Int(limit)) %") }
        return grown.isEmpty
    }
}
