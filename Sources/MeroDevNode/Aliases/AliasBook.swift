import MeroKit

/// Names for ids on this node.
///
/// Spec: 20, section 6.9.
final class AliasBook: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case context
        case application
        case device

        /// What a request calls the id.
        var field: String { rawValue + "Id" }
    }

    private struct State {
        /// By kind and name.
        var entries: [String: JsonTree] = [:]
        var journal: Journal?
    }

    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(directory: DataDirectory?) throws {
        var state = State()
        if let directory { (state.journal, state.entries) = try directory.open("node-aliases") }
        self.state = Locked(state)
    }

    static func isName(_ text: String) -> Bool {
        (1...50).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    return true
                default: return false
                }
            }
    }

    private static func key(_ kind: Kind, _ name: String) -> String { "\(kind.rawValue):\(name)" }

    subscript(kind: Kind, name: String) -> String? {
        state.withLock { $0.entries[Self.key(kind, name)]?.stringValue }
    }

    /// By name.
    func all(_ kind: Kind) -> [String: JsonTree] {
        let prefix = Self.key(kind, "")
        return state.withLock { state in
            Dictionary(
                state.entries.filter { $0.key.hasPrefix(prefix) }.map {
                    (String($0.key.dropFirst(prefix.count)), $0.value)
                },
                uniquingKeysWith: { $1 })
        }
    }

    /// False when the name is taken. Throws `DevNodeError`.
    func create(_ kind: Kind, _ name: String, _ id: String) throws -> Bool {
        try state.withLock { state in
            let key = Self.key(kind, name)
            guard state.entries[key] == nil else { return false }
            try Self.put(key, .string(id), &state)
            return true
        }
    }

    /// Throws `DevNodeError`.
    func delete(_ kind: Kind, _ name: String) throws {
        try state.withLock { state in
            let key = Self.key(kind, name)
            if state.entries[key] != nil { try Self.put(key, nil, &state) }
        }
    }

    private static func put(_ key: String, _ value: JsonTree?, _ state: inout State) throws {
        let entries = state.entries
        try state.journal?.record([(key, value)]) { entries }
        state.entries[key] = value
    }
}
