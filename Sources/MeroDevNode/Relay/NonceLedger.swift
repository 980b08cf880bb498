import Foundation
import MeroKit

/// The nonces that devices have spent, each in the ledger of a context, of a group, or of joins.
///
/// A nonce is reserved while its warrant is carried out and spent only when that succeeded, so that two warrants with one
/// nonce never both apply and a refused one leaves it free. Spec: 60, section 4.1.
final class NonceLedger: Sendable {
    /// Whose nonces, and where.
    struct Account: Sendable, Hashable {
        enum Scope: String, Sendable {
            case context
            case group
            case join
        }

        var scope: Scope
        var id: String
        var device: String

        var key: String { "\(scope.rawValue)|\(id)|\(device)" }
    }

    private struct State {
        var windows: [String: NonceWindow] = [:]
        /// What was spent of the newest, for the disk: a window cannot be written down.
        var recent: [String: [UInt64]] = [:]
        var reserved: [String: Set<UInt64>] = [:]
        var journal: Journal?
    }

    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(directory: DataDirectory?) throws {
        var state = State()
        var entries: [String: JsonTree] = [:]
        if let directory { (state.journal, entries) = try directory.open("node-nonces") }
        for (key, tree) in entries {
            let spent = (tree.arrayValue ?? []).compactMap { $0.integer(UInt64.self) }.sorted()
            var window = NonceWindow()
            for nonce in spent { _ = window.spend(nonce) }
            state.windows[key] = window
            state.recent[key] = spent
        }
        self.state = Locked(state)
    }

    /// False when the nonce is spent, too old to judge, or being spent right now.
    func reserve(_ nonce: UInt64, _ account: Account) -> Bool {
        state.withLock { state in
            guard (state.windows[account.key] ?? NonceWindow()).accepts(nonce) else { return false }
            return state.reserved[account.key, default: []].insert(nonce).inserted
        }
    }

    func release(_ nonce: UInt64, _ account: Account) {
        state.withLock { Self.unreserve(nonce, account, &$0) }
    }

    /// Spends a reserved nonce. Throws `DevNodeError` when that cannot be written down; it is spent all the same.
    func spend(_ nonce: UInt64, _ account: Account) throws {
        try state.withLock { state in
            Self.unreserve(nonce, account, &state)
            var window = state.windows[account.key] ?? NonceWindow()
            _ = window.spend(nonce)
            state.windows[account.key] = window
            var recent = (state.recent[account.key] ?? []) + [nonce]
            if let highest = window.highest, highest > NonceWindow.width {
                recent.removeAll { $0 < highest - NonceWindow.width }
            }
            state.recent[account.key] = recent
            try state.journal?.record([(account.key, Self.tree(recent))]) { state.recent.mapValues(Self.tree) }
        }
    }

    private static func unreserve(_ nonce: UInt64, _ account: Account, _ state: inout State) {
        state.reserved[account.key]?.remove(nonce)
        if state.reserved[account.key]?.isEmpty == true { state.reserved[account.key] = nil }
    }

    private static func tree(_ nonces: [UInt64]) -> JsonTree { .array(nonces.map { JsonTree($0) }) }

    /// What is known of a ledger; an empty window before the first nonce.
    func window(_ account: Account) -> NonceWindow { state.withLock { $0.windows[account.key] ?? NonceWindow() } }

    /// Spends every nonce up to one, as if other warrants had come before. For tests.
    func force(_ nonce: UInt64, _ account: Account) throws {
        if reserve(nonce, account) { try spend(nonce, account) }
    }
}
