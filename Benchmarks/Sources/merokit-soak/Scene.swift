import Foundation
import MeroDevNode
import MeroKit

/// The node with its contexts and groups, and what is known about the writes to them.
final class Scene: Sendable {
    let node: DevNode
    let findings: Findings
    /// All are watched, except the last: nobody may hear of it.
    let contexts: [String]
    /// The second one is watched by nobody.
    let groups: [String]
    let ledger: Ledger

    init(_ node: DevNode, findings: Findings) throws {
        self.node = node
        self.findings = findings
        contexts = try (0..<5).map { _ in try node.createContext(SoakContract()) }
        groups = try (0..<2).map { _ in try node.createGroup() }
        ledger = Ledger(contexts)
    }

    var watched: ArraySlice<String> { contexts.dropLast() }

    func name(_ context: String) -> String { contexts.firstIndex(of: context).map { "context \($0)" } ?? context }

    /// A client with a session of its own.
    func client() async throws -> Mero {
        var config = MeroConfig(baseURL: node.url)
        config.retryPolicy = .onlyIfUnsent
        let mero = Mero(config: config)
        try await mero.authenticate(Credentials(username: "dev", password: "dev-password"))
        return mero
    }

    func emitGroupEvents() async {
        var number = 0
        while (try? await Task.sleep(nanoseconds: 50_000_000)) != nil {
            number += 1
            let account = String(repeating: "0", count: 56) + String(format: "%08x", number)
            for group in groups { node.emit(.memberJoined(account: account), group: group) }
        }
    }
}

/// Counts its writes. Each emits its number.
struct SoakContract: DevContract {
    let name = "soak"
    let methods: [String: DevMethod] = [
        "append": .mutate { call in
            let writer: String = try call.arg("writer")
            let version = (call.state["version"]?.intValue ?? 0) + 1
            call.state["version"] = .number(Double(version))
            call.state["by-\(writer)"] = .number(Double(version))
            call.emit(
                "Appended", ["context": .string(call.contextId), "version": .number(Double(version))])
            return .number(Double(version))
        },
        "read": .read { .object($0.state.values) },
    ]
}

/// The acknowledged writes.
final class Ledger: Sendable {
    private struct Account {
        var count = 0
        var last = 0
    }

    private let accounts: Guarded<[String: Account]>

    init(_ contexts: [String]) {
        accounts = Guarded(Dictionary(uniqueKeysWithValues: contexts.map { ($0, Account()) }))
    }

    func acknowledge(_ context: String, version: Int) {
        accounts.with { accounts in
            accounts[context, default: Account()].count += 1
            accounts[context, default: Account()].last = max(accounts[context]?.last ?? 0, version)
        }
    }

    func count(_ context: String) -> Int { accounts.with { $0[context]?.count ?? 0 } }
    /// The highest version that a writer was told.
    func last(_ context: String) -> Int { accounts.with { $0[context]?.last ?? 0 } }
    var total: Int { accounts.with { $0.values.reduce(0) { $0 + $1.count } } }
}
