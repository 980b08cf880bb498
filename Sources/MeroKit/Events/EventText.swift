/// The JSON text of one event, checked as a whole, with the places of what is read from it later.
final class EventText: @unchecked Sendable {
    // Safe to share: all is constant but `tree`, and that is only touched while `gate` is locked.

    /// As they came: more than the event may stand in them.
    private let bytes: [UInt8]
    private let result: Range<Int>
    private let data: Range<Int>?
    private var tree: JSONValue?

    /// One lock for all: a lock of its own would cost an event more than the rest of it, and this one is never held for
    /// longer than it takes to look.
    private static let gate = Gate()

    /// - Parameters:
    ///   - bytes: Holds a valid JSON text where the ranges say so.
    ///   - result: The place of the event, an object.
    ///   - data: The place of the event's data.
    init(bytes: [UInt8], result: Range<Int>, data: Range<Int>?) {
        self.bytes = bytes
        self.result = result
        self.data = data
    }

    /// Of an event that was made here. Nil when it has no JSON text: a number in it is none.
    convenience init?(_ payload: JSONValue) {
        guard let bytes = try? JSONWriter.bytes(of: payload) else { return nil }
        let data = bytes.withUnsafeBytes { JSONFields(JSONCursor($0))["data"] }
        self.init(bytes: bytes, result: 0..<bytes.count, data: data)
    }

    /// The whole event.
    var resultBytes: ArraySlice<UInt8> { bytes[result] }

    /// The whole event, parsed when it is first asked for.
    var resultValue: JSONValue {
        if let known = Self.gate.pass({ tree }) { return known }
        // Two threads may both come here, and do the same work. What is no JSON never becomes an event.
        let parsed = (try? JSONValue(jsonBytes: resultBytes)) ?? .null
        Self.gate.pass { tree = parsed }
        return parsed
    }

    /// Gives the members of the event's data. Nil when the data are no object.
    func withData<Value>(_ body: (JSONFields) -> Value?) -> Value? {
        guard let data else { return nil }
        return bytes.withUnsafeBytes { buffer in
            var cursor = JSONCursor(buffer, in: data)
            return cursor.nextByte == UInt8(ascii: "{") ? body(JSONFields(cursor)) : nil
        }
    }
}
