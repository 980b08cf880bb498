/// Where the events of a stream are put: shares memory between those that come together, and keys between all.
struct EventArena: Sendable {
    /// An event that is kept keeps its block, which must not be much larger.
    private static let blockSize = 16 << 10

    var keys = EventKeys()
    private var block: EventBlock?
    private var expected = 0

    /// - Parameter bytes: How long all texts that come together are at most.
    mutating func begin(expecting bytes: Int) {
        block = nil
        expected = bytes
    }

    /// Copies the text of an event.
    ///
    /// - Parameter data: The place of the event's data in it.
    mutating func text(of bytes: UnsafeRawBufferPointer, data: Range<Int>?) -> EventText {
        if let block, let range = block.append(bytes) { return EventText(block, range, data: data) }
        let fresh = EventBlock(capacity: max(bytes.count, min(expected, Self.blockSize)))
        block = fresh
        expected -= min(expected, bytes.count)
        return EventText(fresh, fresh.append(bytes) ?? 0..<0, data: data)
    }
}
