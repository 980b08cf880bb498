import MeroKit

/// JSON as it was written: numbers keep their text and members their order, so that a 64-bit integer that passes
/// through the node leaves it with the same digits.
enum JsonTree: Sendable, Equatable {
    case null
    case bool(Bool)
    /// The number's own text, already checked against the grammar.
    case number(String)
    case string(String)
    case array([JsonTree])
    case object([JsonMember])

    /// The member of an object; the last one when the name is repeated, as a map would keep it.
    subscript(name: String) -> JsonTree? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    var stringValue: String? {
        if case .string(let text) = self { return text }
        return nil
    }

    var boolValue: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    var arrayValue: [JsonTree]? {
        if case .array(let items) = self { return items }
        return nil
    }

    /// An integer without fraction or exponent, nil when it does not fit.
    func integer<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        guard case .number(let text) = self else { return nil }
        return text == "-0" ? nil : Number(text)
    }
}

struct JsonMember: Sendable, Equatable {
    var name: String
    var value: JsonTree
}

extension JsonTree: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .string(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(integerLiteral value: Int) { self = .number(String(value)) }
    init(arrayLiteral elements: JsonTree...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JsonTree)...) {
        self = .object(elements.map { JsonMember(name: $0.0, value: $0.1) })
    }

    init(_ value: some BinaryInteger) { self = .number(String(value)) }
    init(_ items: [String]) { self = .array(items.map(JsonTree.string)) }
}

extension JsonTree {
    /// Whole doubles are written without a fraction. What JSON cannot say (infinities, NaN) becomes null.
    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .string(let text): self = .string(text)
        case .array(let items): self = .array(items.map(JsonTree.init))
        case .object(let members):
            self = .object(
                members.sorted { $0.key < $1.key }.map { JsonMember(name: $0.key, value: JsonTree($0.value)) })
        case .number(let number):
            if let whole = Int64(exactly: number), whole.magnitude <= 1 << 53, !(number == 0 && number.sign == .minus) {
                self = .number(String(whole))
            } else if number.isFinite {
                self = .number("\(number)")
            } else {
                self = .null
            }
        }
    }

    /// Digits beyond 2^53 are lost here, as in every `JSONValue`.
    var jsonValue: JSONValue {
        switch self {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .number(let text): return .number(Double(text) ?? 0)
        case .string(let text): return .string(text)
        case .array(let items): return .array(items.map(\.jsonValue))
        case .object(let members):
            return .object(Dictionary(members.map { ($0.name, $0.value.jsonValue) }, uniquingKeysWith: { $1 }))
        }
    }
}
