import Foundation
import MeroKit

/// The key-value store that the public examples use.
///
/// `set(key, value)`, `get(key)` (null when absent), `get_result(key)` (an error when absent), `get_unchecked(key)` (a
/// panic when absent), `len`, `remove(key)` (the old value or null), `clear`, `entries`. It emits `Inserted`,
/// `Updated`, `Removed` and `Cleared`.
public struct KeyValueContract: DevContract {
    /// `kv-store`.
    public let name = "kv-store"
    /// See the type.
    public let methods: [String: DevMethod]

    /// A store with nothing in it.
    public init() {
        methods = [
            "set": .mutate { call in
                let key: String = try call.arg("key")
                let value: String = try call.arg("value")
                let isNew = call.state[key] == nil
                call.state[key] = .string(value)
                call.emit(isNew ? "Inserted" : "Updated", ["key": .string(key), "value": .string(value)])
                return nil
            },
            "get": .read { call in call.state[try call.arg("key")] },
            "get_result": .read { call in
                let key: String = try call.arg("key")
                guard let value = call.state[key] else { throw DevContractError.failure("key not found: \(key)") }
                return value
            },
            "get_unchecked": .read { call in
                let key: String = try call.arg("key")
                guard let value = call.state[key] else { throw DevContractError.panic("key not found: \(key)") }
                return value
            },
            "len": .read { .number(Double($0.state.count)) },
            "remove": .mutate { call in
                let key: String = try call.arg("key")
                guard let old = call.state.removeValue(forKey: key) else { return nil }
                call.emit("Removed", ["key": .string(key)])
                return old
            },
            "clear": .mutate { call in
                call.state.removeAll()
                call.emit("Cleared")
                return nil
            },
            "entries": .read { .object($0.state.values) },
        ]
    }
}
