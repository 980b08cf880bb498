/// A dictionary that remembers what it held before the running change, so that a change that fails leaves no trace and
/// costs only what it touched.
struct UndoMap<Value: Sendable>: Sendable {
    private(set) var entries: [String: Value] = [:]
    private var before: [String: Value?] = [:]

    init(_ entries: [String: Value] = [:]) { self.entries = entries }

    subscript(key: String) -> Value? {
        get { entries[key] }
        set {
            if before[key] == nil { before.updateValue(entries[key], forKey: key) }
            entries[key] = newValue
        }
    }

    var isTouched: Bool { !before.isEmpty }

    /// What the running change left under each key it touched, and what was there before.
    var changes: [(key: String, old: Value?, new: Value?)] { before.map { ($0.key, $0.value, entries[$0.key]) } }

    mutating func commit() { before.removeAll(keepingCapacity: true) }

    mutating func rollback() {
        for (key, value) in before { entries[key] = value }
        before.removeAll()
    }
}
