import Foundation

/// A value that a whole JSON text can be turned into.
protocol JSONTree {
    static var null: Self { get }
    static func bool(_ value: Bool) -> Self
    static func string(_ value: String) -> Self
    static func array(_ elements: [Self]) -> Self
    /// Nil when the number cannot be represented.
    static func number(of token: JSONNumberToken) -> Self?
    /// Keys and values in the order of the text, as many of the one as of the other. Keys may repeat. All are to be moved
    /// out: the memory is taken for uninitialised afterwards.
    static func object(keys: UnsafeMutableBufferPointer<String>, values: UnsafeMutableBufferPointer<Self>) -> Self
}

extension JSONTree {
    /// Parses one whole JSON text. Throws `JSONSyntaxError`.
    static func parse(_ bytes: some ContiguousBytes) throws -> Self {
        try bytes.withUnsafeBytes { try parse($0) }
    }

    /// The same for bytes that are only at hand during the call.
    static func parse(_ bytes: UnsafeRawBufferPointer) throws -> Self {
        var builder = JSONTreeBuilder<Self>()
        try JSONParser.parse(bytes, into: &builder)
        return builder.result
    }
}

/// Makes a tree of what the parser reports.
private struct JSONTreeBuilder<Tree: JSONTree>: JSONHandler {
    /// Every value that is read and not yet part of a finished container; in the end, the one value of the text.
    private let values = ValueStack<Tree>()
    /// The keys of the open objects.
    private let keys = ValueStack<String>()
    /// For every open container, where its own begin in `values` and `keys`.
    private let marks = ValueStack<(values: Int, keys: Int)>()

    var result: Tree { values.take(from: 0).last ?? .null }

    mutating func null(from start: Int, to end: Int) { values.push(.null) }
    mutating func bool(_ value: Bool, from start: Int, to end: Int) { values.push(.bool(value)) }
    mutating func string(_ token: JSONStringToken, from start: Int, to end: Int) {
        values.push(.string(token.string))
    }
    mutating func key(_ token: JSONStringToken) { keys.push(token.string) }

    mutating func number(_ token: JSONNumberToken, from start: Int, to end: Int) throws(JSONSyntaxError) {
        guard let value = Tree.number(of: token) else { throw JSONSyntaxError(.numberOutOfRange, at: start) }
        values.push(value)
    }

    mutating func naturals(_ text: UnsafeRawBufferPointer, from start: Int) throws(JSONSyntaxError) {
        var index = 0
        while index < text.count {
            let token = NaturalNumbers.token(in: text, at: index)
            try number(token, from: start + index, to: start + index + token.bytes.count)
            index += token.bytes.count + 1
        }
    }

    mutating func beginObject(at start: Int) { marks.push((values.count, keys.count)) }
    mutating func beginArray(at start: Int) { marks.push((values.count, keys.count)) }

    mutating func endArray(at end: Int) {
        guard let mark = marks.pop() else { return }
        values.push(.array(values.take(from: mark.values)))
    }

    mutating func endObject(at end: Int) {
        guard let mark = marks.pop() else { return }
        values.push(.object(keys: keys.drain(from: mark.keys), values: values.drain(from: mark.values)))
    }
}

/// Values on their way into their containers.
///
/// They leave it by being moved. An `Array` would copy each one and destroy the original: for the numbers of a large event
/// that takes longer than reading them.
private final class ValueStack<Value> {
    private(set) var count = 0
    private var capacity = 16
    private var base = UnsafeMutablePointer<Value>.allocate(capacity: 16)

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

    @inline(__always)
    func push(_ value: consuming Value) {
        if count == capacity { grow() }
        (base + count).initialize(to: value)
        count += 1
    }

    func pop() -> Value? {
        guard count > 0 else { return nil }
        count -= 1
        return (base + count).move()
    }

    /// All values from this place on, which the caller has to move out of there before anything else is pushed.
    func drain(from mark: Int) -> UnsafeMutableBufferPointer<Value> {
        defer { count = mark }
        return UnsafeMutableBufferPointer(start: base + mark, count: count - mark)
    }

    /// All values from this place on.
    func take(from mark: Int) -> [Value] {
        let taken = count - mark
        // An array of nothing made the long way would write to the one that all empty arrays share.
        guard taken > 0 else { return [] }
        count = mark
        return Array(unsafeUninitializedCapacity: taken) { buffer, initialized in
            buffer.baseAddress?.moveInitialize(from: base + mark, count: taken)
            initialized = taken
        }
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Value>.allocate(capacity: capacity * 2)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
