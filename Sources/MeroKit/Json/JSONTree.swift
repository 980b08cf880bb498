import Foundation

/// A value that a whole JSON text can be turned into.
protocol JSONTree {
    static var null: Self { get }
    static func bool(_ value: Bool) -> Self
    static func string(_ value: String) -> Self
    static func array(_ elements: [Self]) -> Self
    /// Nil when the number cannot be represented.
    static func number(of token: JSONNumberToken) -> Self?
    /// Keys and values in the order of the text, as many of the one as of the other. Keys may repeat.
    static func object(keys: ArraySlice<String>, values: ArraySlice<Self>) -> Self
}

extension JSONTree {
    /// Parses one whole JSON text. Throws `JSONSyntaxError`.
    static func parse(_ bytes: some ContiguousBytes) throws -> Self {
        try bytes.withUnsafeBytes { buffer in
            var builder = JSONTreeBuilder<Self>()
            try JSONParser.parse(buffer, into: &builder)
            return builder.result
        }
    }
}

/// Makes a tree of what the parser reports.
private struct JSONTreeBuilder<Tree: JSONTree>: JSONHandler {
    /// Every value that is read and not yet part of a finished container; in the end, the one value of the text.
    private var values: [Tree] = []
    /// The keys of the open objects.
    private var keys: [String] = []
    /// For every open container, where its own begin in `values` and `keys`.
    private var marks: [(values: Int, keys: Int)] = []

    var result: Tree { values.last ?? .null }

    mutating func null(from start: Int, to end: Int) { values.append(.null) }
    mutating func bool(_ value: Bool, from start: Int, to end: Int) { values.append(.bool(value)) }
    mutating func string(_ token: JSONStringToken, from start: Int, to end: Int) {
        values.append(.string(token.string))
    }
    mutating func key(_ token: JSONStringToken) { keys.append(token.string) }

    mutating func number(_ token: JSONNumberToken, from start: Int, to end: Int) throws(JSONSyntaxError) {
        guard let value = Tree.number(of: token) else { throw JSONSyntaxError(.numberOutOfRange, at: start) }
        values.append(value)
    }

    mutating func beginObject(at start: Int) { marks.append((values.count, keys.count)) }
    mutating func beginArray(at start: Int) { marks.append((values.count, keys.count)) }

    mutating func endArray(at end: Int) {
        guard let mark = marks.popLast() else { return }
        let array = Tree.array(Array(values[mark.values...]))
        values.removeSubrange(mark.values...)
        values.append(array)
    }

    mutating func endObject(at end: Int) {
        guard let mark = marks.popLast() else { return }
        let object = Tree.object(keys: keys[mark.keys...], values: values[mark.values...])
        values.removeSubrange(mark.values...)
        keys.removeSubrange(mark.keys...)
        values.append(object)
    }
}
