/// The JSON text of one event, checked as a whole, with the place of what is read from it later.
struct EventText: Sendable {
    private let block: EventBlock
    // Narrow, since an event is copied on its way. No frame is that large.
    private let start: UInt32
    private let count: UInt32
    private let dataStart: UInt32
    /// Of no data, where nothing stands.
    private let dataCount: UInt32

    /// - Parameters:
    ///   - range: Where a valid JSON text stands in the block, an object: the event.
    ///   - data: The place of the event's data in the text.
    init(_ block: EventBlock, _ range: Range<Int>, data: Range<Int>?) {
        self.block = block
        start = UInt32(clamping: range.lowerBound)
        count = UInt32(clamping: range.count)
        dataStart = UInt32(clamping: data?.lowerBound ?? 0)
        dataCount = UInt32(clamping: data?.count ?? 0)
    }

    /// Of an event that was made here. Nil when it has no JSON text: a number in it is none.
    init?(_ payload: JSONValue) {
        guard let bytes = try? JSONWriter.bytes(of: payload) else { return nil }
        self = bytes.withUnsafeBytes { buffer in
            var arena = EventArena()
            return arena.text(of: buffer, data: JSONFields(JSONCursor(buffer))["data"])
        }
    }

    /// The whole event.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try block.withBytes(Int(start)..<Int(start) + Int(count), body)
    }

    /// The whole event, parsed when it is first asked for.
    var value: JSONValue {
        block.tree(at: Int(start)) {
            // What is no JSON never becomes an event.
            withBytes { try? JSONValue.parse($0, isChecked: true) } ?? .null
        }
    }

    /// Gives the members of the event's data. Nil when the data are no object.
    func withData<Value>(_ body: (JSONFields) -> Value?) -> Value? {
        guard dataCount > 0 else { return nil }
        return withBytes { buffer in
            var cursor = JSONCursor(buffer, in: Int(dataStart)..<Int(dataStart) + Int(dataCount))
            return cursor.nextByte == UInt8(ascii: "{") ? body(JSONFields(cursor)) : nil
        }
    }
}
