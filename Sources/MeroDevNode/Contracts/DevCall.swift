import Foundation
import MeroKit

/// One run of a contract's method.
public struct DevCall: Sendable {
    /// The context the method runs in, 64 hex.
    public let contextId: String
    /// The name it was called by.
    public let method: String
    /// Who acts, 64 hex: the node's identity in this context, or the account that it acts for as a relay.
    public let executor: String
    /// The context's state; only a mutating method's changes are kept.
    public var state: DevState

    let arguments: JsonTree
    private(set) var events: [DevEmittedEvent] = []

    init(contextId: String, method: String, executor: String, state: DevState, arguments: JsonTree) {
        self.contextId = contextId
        self.method = method
        self.executor = executor
        self.state = state
        self.arguments = arguments
    }

    /// `argsJson`. Integers beyond 2^53 lose digits here, but not in ``argsText`` and ``arg(_:as:)``.
    public var args: JSONValue { arguments.jsonValue }

    /// `argsJson` as JSON text with the digits the caller sent.
    public var argsText: String { arguments.text }

    /// A named argument. An absent one is read as `null`.
    ///
    /// Throws ``DevContractError/panic(_:)`` when it is missing or of another type, as a compiled application does.
    public func arg<T: Decodable>(_ name: String, as type: T.Type = T.self) throws -> T {
        let value = arguments[name]
        if T.self == String.self, let text = value?.stringValue as? T { return text }
        if T.self == JSONValue.self, let any = value?.jsonValue as? T { return any }
        do {
            return try JSONDecoder().decode(T.self, from: (value ?? .null).data)
        } catch {
            let reason = value == nil ? "missing field `\(name)`" : "invalid value for field `\(name)`"
            throw DevContractError.panic("Failed to deserialize input from JSON: \(reason)")
        }
    }

    /// Tells listeners that something happened. Kept only when the method is mutating and returns.
    public mutating func emit(_ kind: String, _ payload: JSONValue = .null, handler: String? = nil) {
        emit(kind, bytes: JsonTree(payload).data, handler: handler)
    }

    /// As ``emit(_:_:handler:)`` with a payload of any bytes.
    public mutating func emit(_ kind: String, bytes: Data, handler: String? = nil) {
        events.append(DevEmittedEvent(kind: kind, data: bytes, handler: handler))
    }
}

/// An event of a contract.
public struct DevEmittedEvent: Sendable, Equatable {
    /// The event's name.
    public let kind: String
    /// The payload, usually JSON text.
    public let data: Data
    /// The method that other nodes would run for it.
    public let handler: String?

    /// An event as a contract would emit it.
    public init(kind: String, data: Data, handler: String? = nil) {
        self.kind = kind
        self.data = data
        self.handler = handler
    }
}

/// The state of a context: JSON values by key.
public struct DevState: Sendable {
    private var map: UndoMap<JsonTree>

    init(_ entries: [String: JsonTree] = [:]) { map = UndoMap(entries) }

    /// Integers beyond 2^53 lose digits here; see ``text(_:)``.
    public subscript(key: String) -> JSONValue? {
        get { map[key]?.jsonValue }
        set { map[key] = newValue.map { JsonTree($0) } }
    }

    /// The exact JSON text under a key.
    public func text(_ key: String) -> String? { map[key]?.text }

    /// Keeps JSON text under a key, digit for digit. Throws ``DevContractError/failure(_:)`` when it is no JSON.
    public mutating func setText(_ json: String, for key: String) throws {
        do {
            map[key] = try JsonParser.parse(json.utf8)
        } catch {
            throw DevContractError.failure("not JSON: \(error)")
        }
    }

    /// Removes a key and gives what was there.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        let old = map[key]
        if old != nil { map[key] = nil }
        return old?.jsonValue
    }

    /// Removes every key.
    public mutating func removeAll() { for key in map.entries.keys { map[key] = nil } }

    /// How many keys there are.
    public var count: Int { map.entries.count }

    /// The keys in alphabetical order.
    public var keys: [String] { map.entries.keys.sorted() }

    /// All of it.
    public var values: [String: JSONValue] { map.entries.mapValues(\.jsonValue) }

    mutating func put(_ key: String, _ value: JsonTree?) { map[key] = value }

    var entries: [String: JsonTree] { map.entries }
    var changes: [(key: String, old: JsonTree?, new: JsonTree?)] { map.changes.filter { $0.old != $0.new } }
    mutating func commit() { map.commit() }
    mutating func rollback() { map.rollback() }
}
