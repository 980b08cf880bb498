import Foundation

/// A value that a whole JSON text can be turned into.
protocol JSONTree {
    static var null: Self { get }
    static func bool(_ value: Bool) -> Self
    static func string(_ value: String) -> Self
    static func array(_ elements: [Self]) -> Self
    /// Nil when the number cannot be represented.
    static func number(of token: JSONNumberToken) -> Self?
    /// Keys and values in the order of the text, as many of the one as of the other. Keys may repeat. All values are to be
    /// moved out: the memory is taken for uninitialised afterwards.
    static func object(
        keys: UnsafeMutableBufferPointer<JSONStringToken>, values: UnsafeMutableBufferPointer<Self>,
        _ shapes: JSONShapes
    ) -> Self
}

extension JSONTree {
    /// Parses one whole JSON text. Throws `JSONSyntaxError`.
    static func parse(_ bytes: some ContiguousBytes) throws -> Self {
        try bytes.withUnsafeBytes { try parse($0) }
    }

    /// The same for bytes that are only at hand during the call.
    ///
    /// - Parameter isChecked: They are known to be UTF-8.
    static func parse(_ bytes: UnsafeRawBufferPointer, isChecked: Bool = false) throws -> Self {
        // Most texts are small: their values are put together on the stack, without an allocation.
        try withUnsafeTemporaryAllocation(of: Self.self, capacity: 64) { values in
            try withUnsafeTemporaryAllocation(of: JSONStringToken.self, capacity: 32) { keys in
                try withUnsafeTemporaryAllocation(of: JSONTreeMark.self, capacity: 16) { marks in
                    var builder = JSONTreeBuilder(
                        values: ValueStack(values), keys: ValueStack(keys), marks: ValueStack(marks))
                    defer { builder.destroy() }
                    try JSONParser.parse(bytes, isChecked: isChecked, into: &builder)
                    return builder.result
                }
            }
        }
    }
}

/// Where an open container's own values and keys begin.
private struct JSONTreeMark {
    let values: Int
    let keys: Int
}

/// Makes a tree of what the parser reports.
private struct JSONTreeBuilder<Tree: JSONTree>: JSONHandler {
    /// Every value that is read and not yet part of a finished container; in the end, the one value of the text.
    private var values: ValueStack<Tree>
    /// The keys of the open objects.
    private var keys: ValueStack<JSONStringToken>
    /// Of every open container.
    private var marks: ValueStack<JSONTreeMark>
    private let shapes = JSONShapes.take()

    init(values: ValueStack<Tree>, keys: ValueStack<JSONStringToken>, marks: ValueStack<JSONTreeMark>) {
        self.values = values
        self.keys = keys
        self.marks = marks
    }

    var result: Tree {
        mutating get { values.pop() ?? .null }
    }

    /// To be called in the end, whatever the end is.
    mutating func destroy() {
        values.destroy()
        keys.destroy()
        marks.destroy()
        shapes.giveBack()
    }

    mutating func null(from start: Int, to end: Int) { values.push(.null) }
    mutating func bool(_ value: Bool, from start: Int, to end: Int) { values.push(.bool(value)) }
    mutating func string(_ token: JSONStringToken, from start: Int, to end: Int) {
        values.push(.string(token.string))
    }
    mutating func key(_ token: JSONStringToken) { keys.push(token) }

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

    mutating func beginObject(at start: Int) {
        marks.push(JSONTreeMark(values: values.count, keys: keys.count))
    }
    mutating func beginArray(at start: Int) {
        marks.push(JSONTreeMark(values: values.count, keys: keys.count))
    }

    mutating func endArray(at end: Int) {
        guard let mark = marks.pop() else { return }
        values.push(.array(values.take(from: mark.values)))
    }

    mutating func endObject(at end: Int) {
        guard let mark = marks.pop() else { return }
        values.push(.object(keys: keys.drain(from: mark.keys), values: values.drain(from: mark.values), shapes))
    }
}

/// Values on their way into their containers.
///
/// They leave it by being moved. An `Array` would copy each one and destroy the original: for the numbers of a large event
/// that takes longer than reading them. Begins in memory that is lent to it.
private struct ValueStack<Value> {
    private(set) var count = 0
    private var capacity: Int
    private var base: UnsafeMutablePointer<Value>?
    private var ownsMemory = false

    init(_ lent: UnsafeMutableBufferPointer<Value>) {
        base = lent.baseAddress
        capacity = lent.baseAddress == nil ? 0 : lent.count
    }

    mutating func destroy() {
        base?.deinitialize(count: count)
        count = 0
        if ownsMemory { base?.deallocate() }
        base = nil
        capacity = 0
        ownsMemory = false
    }

    @inline(__always)
    mutating func push(_ value: consuming Value) {
        if count == capacity { grow() }
        guard let base else { return }
        (base + count).initialize(to: value)
        count += 1
    }

    mutating func pop() -> Value? {
        guard count > 0, let base else { return nil }
        count -= 1
        return (base + count).move()
    }

    /// All values from this place on, which the caller has to move out of there before anything else is pushed.
    mutating func drain(from mark: Int) -> UnsafeMutableBufferPointer<Value> {
        defer { count = mark }
        return UnsafeMutableBufferPointer(start: base.map { $0 + mark }, count: count - mark)
    }

    /// All values from this place on.
    mutating func take(from mark: Int) -> [Value] {
        let taken = count - mark
        // An array of nothing made the long way would write to the one that all empty arrays share.
        guard taken > 0, let base else { return [] }
        count = mark
        return Array(unsafeUninitializedCapacity: taken) { buffer, initialized in
            buffer.baseAddress?.moveInitialize(from: base + mark, count: taken)
            initialized = taken
        }
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Value>.allocate(capacity: max(capacity * 2, 16))
        if let base {
            larger.moveInitialize(from: base, count: count)
            if ownsMemory { base.deallocate() }
        }
        base = larger
        capacity = max(capacity * 2, 16)
        ownsMemory = true
    }
}
