import Foundation

/// Any JSON value.
///
/// Numbers are `Double`: an integer beyond 2^53 loses digits here. Where all 64 bits matter, decode into a type with
/// `UInt64` or `Int64`, and pass arguments through the `Encodable` overload of `execute`.
///
/// ```swift
/// let arguments: [String: JSONValue] = ["id": 42, "tags": ["a", "b"], "parent": nil]
/// arguments["tags"]?.arrayValue?.first?.stringValue  // "a"
/// ```
///
/// Spec: 10, section 10.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number. Integers beyond 2^53 lose digits here: decode them into types of your own.
    case number(Double)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Values by name.
    case object([String: JSONValue])
}

extension JSONValue: Equatable {
    /// Whether both are the same JSON value. Members have no order.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        // With a stack of its own: values may be nested deeper than a thread's would bear.
        var pending: [(JSONValue, JSONValue)] = []
        guard isEqual(left, right, &pending) else { return false }
        while let (left, right) = pending.popLast() {
            guard isEqual(left, right, &pending) else { return false }
        }
        return true
    }

    /// - Parameter pending: Gets the pairs of what is inside.
    private static func isEqual(
        _ left: JSONValue, _ right: JSONValue, _ pending: inout [(JSONValue, JSONValue)]
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.number(let left), .number(let right)): return left == right
        case (.string(let left), .string(let right)): return left == right
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            for (left, right) in zip(left, right) {
                guard compare(left, right, &pending) else { return false }
            }
            return true
        case (.object(let left), .object(let right)):
            guard left.count == right.count else { return false }
            for (key, left) in left {
                guard let right = right[key], compare(left, right, &pending) else { return false }
            }
            return true
        default: return false
        }
    }

    /// At once what contains nothing, which nearly all values do; false only for what is surely not equal.
    private static func compare(
        _ left: JSONValue, _ right: JSONValue, _ pending: inout [(JSONValue, JSONValue)]
    ) -> Bool {
        guard left.isContainer else { return isEqual(left, right, &pending) }
        pending.append((left, right))
        return true
    }

    private var isContainer: Bool {
        switch self {
        case .array, .object: return true
        default: return false
        }
    }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as Swift prints an enum: `number(42.0)`.
    public var description: String { printed(isNamed: false) }
    /// The same with the type's name in front of every case.
    public var debugDescription: String { printed(isNamed: true) }

    private enum Piece {
        case text(String)
        case value(JSONValue)
    }

    /// Swift's own way would go as deep into the stack as the value is nested.
    private func printed(isNamed: Bool) -> String {
        var output = ""
        var pending = [Piece.value(self)]
        var prefix = isNamed ? "MeroKit.JSONValue." : ""
        while let piece = pending.popLast() {
            guard case .value(let value) = piece else {
                if case .text(let text) = piece { output += text }
                continue
            }
            switch value {
            case .null: output += "\(prefix)null"
            case .bool(let value): output += "\(prefix)bool(\(value))"
            case .number(let value): output += "\(prefix)number(\(value))"
            case .string(let value): output += "\(prefix)string(\(value.debugDescription))"
            case .array(let elements):
                output += "\(prefix)array(["
                pending.append(.text("])"))
                for (index, element) in elements.enumerated().reversed() {
                    pending.append(.value(element))
                    if index > 0 { pending.append(.text(", ")) }
                }
            case .object(let members):
                output += "\(prefix)object(\(members.isEmpty ? "[:" : "[")"
                pending.append(.text("])"))
                for (index, member) in members.enumerated().reversed() {
                    pending.append(.value(member.value))
                    pending.append(.text("\(index > 0 ? ", " : "")\(member.key.debugDescription): "))
                }
            }
            // What is inside is always named.
            prefix = "MeroKit.JSONValue."
        }
        return output
    }
}

extension JSONValue {
    /// Parses one JSON text. Throws `JSONSyntaxError`, also for a number too large for a double.
    package init(jsonBytes: some ContiguousBytes) throws {
        self = try Self.parse(jsonBytes)
    }
}

extension JSONValue: JSONTree {
    static func number(of token: JSONNumberToken) -> JSONValue? { token.double.map(JSONValue.number) }

    static func object(
        keys: UnsafeMutableBufferPointer<JSONStringToken>, values: UnsafeMutableBufferPointer<JSONValue>,
        _ shapes: JSONShapes
    ) -> JSONValue {
        .object(shapes.object(keys: keys, values: values))
    }
}

extension JSONValue {
    /// The text, nil when this is none.
    public var stringValue: String? { if case .string(let value) = self { return value } else { return nil } }
    /// The number, nil when this is none.
    public var doubleValue: Double? { if case .number(let value) = self { return value } else { return nil } }
    /// True or false, nil when this is neither. Numbers are neither.
    public var boolValue: Bool? { if case .bool(let value) = self { return value } else { return nil } }
    /// The elements, nil when this is no array.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { return value } else { return nil } }
    /// The members, nil when this is no object.
    public var objectValue: [String: JSONValue]? {
        if case .object(let value) = self { return value } else { return nil }
    }
    /// The number as an integer; nil when it is none, has a fraction or does not fit.
    public var intValue: Int? { doubleValue.flatMap { Int(exactly: $0) } }
    /// The member of an object, nil when this is no object or has no such member. A member that is `null` is `.null`.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }
}

extension JSONValue: Codable {
    /// Takes whatever stands there: null, bool, number, string, array, object, asked for in this order.
    public init(from decoder: any Decoder) throws {
        if let value = try JSONDocument.value(at: decoder) {
            self = value
            return
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value as what it is. Throws `EncodingError` for one that is nested more than 512 levels deep, since an
    /// encoder goes as deep into the stack.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= JSONParser.maximumDepth else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: [], debugDescription: JSONWritingError.tooDeep.localizedDescription))
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer beyond 2^53 becomes the nearest double.
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// A repeated key keeps its last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
