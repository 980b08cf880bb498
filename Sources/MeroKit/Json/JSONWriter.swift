import Foundation

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

    /// Writes a value.
    ///
    /// Throws for NaN and the infinities, unless the style has a spelling for them.
    ///
    /// - Parameter depth: How many containers may be inside one another, the most that a reader would follow. Nil: any
    ///   number of them.
    package mutating func write(
        _ value: JSONValue, depth: Int? = JSONParser.maximumDepth
    ) throws(JSONWritingError) {
        try write(tree: value, depth: depth)
    }

    /// Writes a value, its numbers digit by digit as they were read unless the style is canonical. Of members with equal
    /// keys the first is written. Throws when the style is canonical and a number is too large for it.
    package mutating func write(_ value: ExactJSON) throws(JSONWritingError) { try write(tree: value, depth: nil) }

    /// Keeps its own stack, as the parser does: a value may be nested deeper than a thread's would bear.
    private mutating func write<Tree: JSONWritable>(tree: Tree, depth: Int?) throws(JSONWritingError) {
        guard var level = try begin(tree) else { return }
        var outer: [JSONLevel<Tree>] = []
        while true {
            if outer.count >= depth ?? .max { throw .tooDeep }
            guard let next = next(of: &level) else {
                bytes.append(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
                guard let parent = outer.popLast() else { return }
                level = parent
                continue
            }
            if let inner = try begin(next) {
                outer.append(level)
                level = inner
            }
        }
    }

    /// Writes a value that contains nothing, or the opening bracket of one that may.
    @inline(__always)
    private mutating func begin<Tree: JSONWritable>(_ tree: Tree) throws(JSONWritingError) -> JSONLevel<Tree>? {
        switch try tree.part(for: style) {
        case .literal(let text): write(raw: text.utf8)
        case .string(let text): write(string: text)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            return JSONLevel(elements: elements, members: [], isObject: false)
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            return JSONLevel(elements: [], members: members, isObject: true)
        }
        return nil
    }

    /// The next value of a container, with the comma and the key before it written.
    @inline(__always)
    private mutating func next<Tree: JSONWritable>(of level: inout JSONLevel<Tree>) -> Tree? {
        let index = level.written
        guard index < (level.isObject ? level.members.count : level.elements.count) else { return nil }
        level.written += 1
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        guard level.isObject else { return level.elements[index] }
        write(string: level.members[index].key)
        bytes.append(UInt8(ascii: ":"))
        return level.members[index].value
    }

    /// Puts in JSON text that is already finished.
    package mutating func write(raw json: some Sequence<UInt8>) { bytes.append(contentsOf: json) }

    /// Writes a string with its quotes.
    package mutating func write(string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { utf8 in
            if Self.isPlain(utf8) { return bytes.append(contentsOf: utf8) }
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

    /// Without an early end, so that the compiler can look at many bytes at a time.
    private static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in utf8 {
            special |=
                (byte < 0x20 ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
        }
        return special == 0
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
}

/// A container that is being written.
private struct JSONLevel<Tree> {
    let elements: [Tree]
    let members: [(key: String, value: Tree)]
    let isObject: Bool
    /// How many of its values are written.
    var written = 0
}

/// A value, as a writer sees it.
private enum JSONPart<Tree> {
    /// A text without quotes.
    case literal(String)
    case string(String)
    case array([Tree])
    /// In the order in which they are written.
    case object([(key: String, value: Tree)])
}

/// A tree that can be written.
private protocol JSONWritable {
    func part(for style: JSONWriter.Style) throws(JSONWritingError) -> JSONPart<Self>
}

extension JSONValue: JSONWritable {
    fileprivate func part(for style: JSONWriter.Style) throws(JSONWritingError) -> JSONPart<JSONValue> {
        switch self {
        case .null: return .literal("null")
        case .bool(let value): return .literal(value ? "true" : "false")
        case .number(let value): return .literal(try Self.spelling(of: value, style))
        case .string(let value): return .string(value)
        case .array(let elements): return .array(elements)
        case .object(let members):
            return .object(members.sorted { $0.key.precedesInBytes($1.key) })
        }
    }

    private static func spelling(of number: Double, _ style: JSONWriter.Style) throws(JSONWritingError) -> String {
        if style == .canonical { return CanonicalJSON.spelling(of: number) }
        guard number.isFinite else { throw .notFinite }
        if number == 0 { return number.sign == .minus ? "-0" : "0" }
        if let digits = CanonicalJSON.integerDigits(of: number) { return digits }
        return number.description
    }
}

extension ExactJSON: JSONWritable {
    fileprivate func part(for style: JSONWriter.Style) throws(JSONWritingError) -> JSONPart<ExactJSON> {
        switch self {
        case .null: return .literal("null")
        case .bool(let value): return .literal(value ? "true" : "false")
        case .number(let text):
            return .literal(style == .canonical ? try CanonicalJSON.spelling(ofNumber: text) : text)
        case .string(let value): return .string(value)
        case .array(let elements): return .array(elements)
        case .object(let members):
            var ordered: [(key: String, value: ExactJSON)] = []
            ordered.reserveCapacity(members.count)
            // The sort is stable, so of equal keys the first in the text comes first here too.
            for member in members.sorted(by: { $0.key.precedesInBytes($1.key) }) {
                if let last = ordered.last, last.key.utf8.elementsEqual(member.key.utf8) { continue }
                ordered.append((member.key, member.value))
            }
            return .object(ordered)
        }
    }
}

extension String {
    /// Swift's own order of strings is another one: it looks at characters, and holds some spellings for equal.
    fileprivate func precedesInBytes(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

/// Why a value has no JSON text.
package enum JSONWritingError: Error, Sendable {
    /// NaN, infinity, or a number beyond the range of a double: JSON has no such thing, or nobody could read it.
    case notFinite
    /// More containers inside one another than a reader would follow.
    case tooDeep
}

extension JSONWritingError: LocalizedError {
    /// One line for a person.
    package var errorDescription: String? {
        switch self {
        case .notFinite: return "JSON has neither NaN nor infinity, and no number beyond the range of a double"
        case .tooDeep: return "the value is nested more than \(JSONParser.maximumDepth) levels deep"
        }
    }
}
