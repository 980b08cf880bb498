import Foundation

/// Where one secret value survives: the keys of a device, the session of an account.
///
/// The calls are synchronous, never throw and come from any thread. A store that cannot be read behaves as an empty one.
/// Spec: 50, section 23.1.
public protocol SecureValueStore: Sendable {
    /// What is kept.
    associatedtype Value: Codable & Sendable
    /// The stored value, nil when there is none or it cannot be read.
    func load() -> Value?
    /// Replaces the stored value.
    func save(_ value: Value)
    /// Forgets the stored value.
    func clear()
}

/// A store of whatever kind, for one type of values.
///
/// ```swift
/// let keys = DeviceKeys.loadOrCreate(in: .keychain(account: "cloud-device-keys"))          // Apple
/// let keys = DeviceKeys.loadOrCreate(in: AnyValueStore(FileValueStore(url: file)))          // Linux
/// ```
public struct AnyValueStore<Value: Codable & Sendable>: SecureValueStore {
    private let loadValue: @Sendable () -> Value?
    private let saveValue: @Sendable (Value) -> Void
    private let clearValue: @Sendable () -> Void

    /// Stands for `store`.
    public init<S: SecureValueStore>(_ store: S) where S.Value == Value {
        loadValue = { store.load() }
        saveValue = { store.save($0) }
        clearValue = { store.clear() }
    }

    /// For as long as the process runs.
    public static func memory(_ initial: Value? = nil) -> AnyValueStore<Value> {
        AnyValueStore(MemoryValueStore(initial))
    }

    /// The stored value, nil when there is none or it cannot be read.
    public func load() -> Value? { loadValue() }

    /// Replaces the stored value.
    public func save(_ value: Value) { saveValue(value) }

    /// Forgets the stored value.
    public func clear() { clearValue() }
}
