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
    /// The stored value; nil only when nothing is stored. Throws `SecureValueStoreError.unreadable` when something is and
    /// cannot be read. A store that does not implement this asks `load()`, which cannot tell the two apart.
    func read() throws -> Value?
    /// Stores a first value and never replaces one: false when something is stored already. Throws
    /// `SecureValueStoreError.unwritable`. A store that does not implement this asks `load()` before and after `save(_:)`.
    func create(_ value: Value) throws -> Bool
}

extension SecureValueStore {
    /// What `load()` says.
    public func read() throws -> Value? { load() }

    /// Saves the value unless `read()` finds one, and looks whether it is there.
    public func create(_ value: Value) throws -> Bool {
        guard try read() == nil else { return false }
        save(value)
        guard try read() != nil else { throw SecureValueStoreError.unwritable("what was saved is not there") }
        return true
    }
}

/// A store that says where it keeps its value, so that two stores of one place are known to be the same.
protocol PlacedValueStore {
    var place: String { get }
}

/// A store of whatever kind, for one type of values.
///
/// ```swift
/// let keys = try DeviceKeys.stored(in: .keychain(account: "cloud-device-keys"))          // Apple
/// let keys = try DeviceKeys.stored(in: AnyValueStore(FileValueStore(url: file)))          // Linux
/// ```
public struct AnyValueStore<Value: Codable & Sendable>: SecureValueStore {
    private let loadValue: @Sendable () -> Value?
    private let saveValue: @Sendable (Value) -> Void
    private let clearValue: @Sendable () -> Void
    private let readValue: @Sendable () throws -> Value?
    private let createValue: @Sendable (Value) throws -> Bool
    /// Where the store keeps its value, nil for one that does not tell.
    let place: String?

    /// Stands for `store`.
    public init<S: SecureValueStore>(_ store: S) where S.Value == Value {
        place = (store as? any PlacedValueStore)?.place
        readValue = { try store.read() }
        createValue = { try store.create($0) }
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

    /// The stored value; nil only when nothing is stored. Throws what the store throws.
    public func read() throws -> Value? { try readValue() }

    /// Stores a first value and never replaces one: false when something is stored already. Throws what the store throws.
    public func create(_ value: Value) throws -> Bool { try createValue(value) }
}
