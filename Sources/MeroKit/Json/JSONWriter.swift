/// Writes JSON text: no white space, members ordered by the UTF-8 bytes of their keys, whole numbers without a fraction.
///
/// The order makes the same value the same text everywhere, whatever order a dictionary has today.
package struct JSONWriter {
    /// How numbers are spelled; all else is the same.
    package enum Style: Sendable {
        /// Negative zero keeps its sign, and what is no number is an error.
        case plain
        /// The one spelling that signed objects commit to. See `CanonicalJSON`.
        case canonical
    }

    private let style: Style
    /// What has been written so far.
    package private(set) var bytes: [UInt8] = []

    /// An empty text.
    package init(style: Style = .plain) { self.style = style }

    /// The text of one value.
    package static func bytes(of value: JSONValue) throws(JSONWritingError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.write(value)
        return writer.bytes
    }

    /// Writes a value. Throws for NaN and the infinities, unless the style has a spelling for them.
    package mutating func write(_ value: JSONValue) throws(JSONWritingError) {
        switch value {
        case .null: write(raw: "null".utf8)
        case .bool(let value): write(raw: (value ? "true" : "false").utf8)
        case .number(let value): write(raw: try spelling(of: value).utf8)
        case .string(let value): write(string: value)
        case .array(let elements):
            var separator = UInt8(ascii: "[")
            for element in elements {
                begin(&separator)
                try write(element)
            }
            end(separator, empty: "[]", close: "]")
        case .object(let members):
            var separator = UInt8(ascii: "{")
            for (key, value) in Self.ordered(members) {
                begin(&separator)
                write(key: key)
                try write(value)
            }
            end(separator, empty: "{}", close: "}")
        }
    }

    /// Writes a value, its numbers digit by digit as they were read unless the style is canonical. Of members with equal
    /// keys the first is written. Throws when the style is canonical and a number is too large for it.
    package mutating func write(_ value: ExactJSON) throws(JSONWritingError) {
        switch value {
        case .null: write(raw: "null".utf8)
        case .bool(let value): write(raw: (value ? "true" : "false").utf8)
        case .number(let text):
            write(raw: (style == .canonical ? try CanonicalJSON.spelling(ofNumber: text) : text).utf8)
        case .string(let value): write(string: value)
        case .array(let elements):
            var separator = UInt8(ascii: "[")
            for element in elements {
                begin(&separator)
                try write(element)
            }
            end(separator, empty: "[]", close: "]")
        case .object(let members):
            var separator = UInt8(ascii: "{")
            for member in Self.ordered(members) {
                begin(&separator)
                write(key: member.key)
                try write(member.value)
            }
            end(separator, empty: "{}", close: "}")
        }
    }

    /// Puts in JSON text that is already finished.
    package mutating func write(raw json: some Sequence<UInt8>) { bytes.append(contentsOf: json) }

    /// Writes a string with its quotes.
    package mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { utf8 in
            var start = 0
            for index in utf8.indices where Self.needsEscape(utf8[index]) {
                bytes.append(contentsOf: utf8[start..<index])
                write(escaped: utf8[index])
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(key: String) {
        write(string: key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Opens the container before its first element, puts a comma before every other.
    private mutating func begin(_ separator: inout UInt8) {
        bytes.append(separator)
        separator = UInt8(ascii: ",")
    }

    private mutating func end(_ separator: UInt8, empty: StaticString, close: Unicode.Scalar) {
        if separator == UInt8(ascii: ",") {
            bytes.append(UInt8(ascii: close))
        } else {
            bytes.append(contentsOf: UnsafeBufferPointer(start: empty.utf8Start, count: empty.utf8CodeUnitCount))
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func write(escaped byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            write(raw: "u00".utf8)
            write(raw: Hex.encode(CollectionOfOne(byte)).utf8)
        default: bytes.append(byte)
        }
    }

    private static func ordered(_ members: [String: JSONValue]) -> [(key: String, value: JSONValue)] {
        members.sorted { precedes($0.key, $1.key) }
    }

    private static func ordered(_ members: [ExactJSON.Member]) -> [ExactJSON.Member] {
        var ordered: [ExactJSON.Member] = []
        // The sort is stable, so of equal keys the first in the text comes first here too.
        for member in members.sorted(by: { precedes($0.key, $1.key) }) {
            if let last = ordered.last, last.key.utf8.elementsEqual(member.key.utf8) { continue }
            ordered.append(member)
        }
        return ordered
    }

    /// Swift's own order of strings is another one: it looks at characters, and holds some spellings for equal.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }

    private func spelling(of number: Double) throws(JSONWritingError) -> String {
        if style == .canonical { return CanonicalJSON.spelling(of: number) }
        guard number.isFinite else { throw .notFinite }
        if number == 0 { return number.sign == .minus ? "-0" : "0" }
        if let digits = CanonicalJSON.integerDigits(of: number) { return digits }
        return number.description
    }
}

/// Why a value has no JSON text.
package enum JSONWritingError: Error, Sendable {
    /// NaN, infinity, or a number beyond the range of a double: JSON has no such thing, or nobody could read it.
    case notFinite
}
