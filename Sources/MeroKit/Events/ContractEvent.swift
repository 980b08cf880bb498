import Foundation

/// What a contract emitted while it changed its state.
///
/// ```swift
/// for emitted in event.contractEvents where emitted.kind == "Inserted" {
///     let entry = try emitted.decode(Entry.self)
/// }
/// ```
///
/// Spec: 40, section 3.1.
public struct ContractEvent: Sendable, Equatable {
    /// The name that the contract gave it.
    public let kind: String
    /// Whatever the contract emitted. Contracts written in Rust emit JSON text in UTF-8.
    public let data: Data
    /// The contract's method that is called for the event on each node, if any.
    public let handler: String?

    /// An event of a contract, for previews and tests.
    public init(kind: String, data: Data, handler: String? = nil) {
        self.kind = kind
        self.data = data
        self.handler = handler
    }

    /// Reads `data` as JSON. Throws `MeroError.decoding` when it is none, or is no `T`.
    public func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        do {
            return try MeroJSON.decode(type, from: data)
        } catch {
            throw MeroError.decoding("contract event \(kind): \(ReplyDecoding.excerpt(of: data))")
        }
    }

    /// `data` as JSON, nil when it is none.
    public var json: JSONValue? { try? JSONValue(jsonBytes: data) }

    /// Nil when it has no name, or data that are no array of bytes.
    init?(_ fields: JSONFields) {
        guard let kind = fields.string("kind"), let data = fields.bytes("data") else { return nil }
        self.init(kind: kind, data: data, handler: fields.string("handler"))
    }
}

extension ContextEvent {
    /// What the contract emitted, in order; empty for every kind but `StateMutation`.
    ///
    /// Read from the event's text on each call. Entries whose data are no array of bytes are left out.
    /// Spec: 40, sections 3.1 and 3.2.
    public var contractEvents: [ContractEvent] {
        guard kind == "StateMutation" else { return [] }
        return withData { $0.objects("events").compactMap(ContractEvent.init) } ?? []
    }
}
