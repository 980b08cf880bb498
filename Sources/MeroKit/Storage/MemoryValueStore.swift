/// Keeps a value for as long as the process runs.
///
/// Spec: 50, section 23.1.
public final class MemoryValueStore<Value: Codable & Sendable>: SecureValueStore {
    private let value: Locked<Value?>

    /// Holds `initial` at first.
    public init(_ initial: Value? = nil) { value = Locked(initial) }

    /// The value, nil when there is none.
    public func load() -> Value? { value.withLock { $0 } }

    /// Replaces the value.
    public func save(_ value: Value) { self.value.withLock { $0 = value } }

    /// Forgets the value.
    public func clear() { value.withLock { $0 = nil } }
}
