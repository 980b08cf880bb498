import Foundation

/// A JSON text that goes over the wire as it stands: every digit of every number survives.
///
/// ```swift
/// let arguments = try RawJSON(#"{"amount": 18446744073709551615}"#)
/// let answer: RawJSON = try await rpc.execute(contextId: id, method: "transfer", argsJson: arguments)
/// print(answer.text)
/// ```
///
/// As the argument or the result of a call it is exact. Nested in a type of your own it keeps the digits of integers up to
/// 64 bits.
public struct RawJSON: Sendable, Equatable {
    /// The text, surrounding white space removed.
    public let text: String

    /// - Throws: `MeroError.decoding` when the text is not exactly one JSON value.
    public init(_ text: String) throws {
        do {
            try self.init(bytes: Data(text.utf8))
        } catch {
            throw MeroError.decoding(error.localizedDescription)
        }
    }

    /// Throws `JSONSyntaxError`.
    init(bytes: Data) throws {
        _ = try ExactJSON(jsonBytes: bytes)
        text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private init(checked text: String) { self.text = text }
}

extension RawJSON: CustomStringConvertible {
    public var description: String { text }
}

extension RawJSON: Codable {
    /// Writes the text anew from what the decoder hands out; `MeroJSON` and `execute` keep it as it came instead.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self.init(checked: "null")
        } else if let value = try? container.decode(Bool.self) {
            self.init(checked: value ? "true" : "false")
        } else if let value = try? container.decode(Int64.self) {
            self.init(checked: String(value))
        } else if let value = try? container.decode(UInt64.self) {
            self.init(checked: String(value))
        } else if let value = try? container.decode([RawJSON].self) {
            self.init(checked: "[\(value.map(\.text).joined(separator: ","))]")
        } else if let value = try? container.decode([String: RawJSON].self) {
            let members = value.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.text)" }
            self.init(checked: "{\(members.joined(separator: ","))}")
        } else {
            let value = try container.decode(JSONValue.self)
            self.init(checked: String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try Node(value: ExactJSON(jsonBytes: Data(text.utf8))).encode(to: encoder)
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.write(string: text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A part of the text on its way into an encoder.
    private struct Node: Encodable {
        let value: ExactJSON

        func encode(to encoder: any Encoder) throws {
            switch value {
            case .array(let elements):
                var container = encoder.unkeyedContainer()
                for element in elements { try container.encode(Node(value: element)) }
            case .object(let members):
                var container = encoder.container(keyedBy: Key.self)
                for member in members.reversed() {
                    try container.encode(Node(value: member.value), forKey: Key(member.key))
                }
            case .null:
                var container = encoder.singleValueContainer()
                try container.encodeNil()
            case .bool(let value):
                var container = encoder.singleValueContainer()
                try container.encode(value)
            case .string(let value):
                var container = encoder.singleValueContainer()
                try container.encode(value)
            case .number(let text):
                var container = encoder.singleValueContainer()
                if let value = Int64(text) {
                    try container.encode(value)
                } else if let value = UInt64(text) {
                    try container.encode(value)
                } else {
                    try container.encode(Double(text) ?? .nan)
                }
            }
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }
}
