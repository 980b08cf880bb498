/// The texts of events that came together, in one piece of memory.
///
/// An allocation for each would be made by the thread that reads the network and freed by the one that consumes: the
/// system's allocator then makes the two wait for each other (measured: a third of the time of a busy stream).
final class EventBlock: @unchecked Sendable {
    // Safe to share: the bytes are written by the one arena that made the block, each before the event that they belong to
    // is handed to anybody, and never again; `latest` is only touched inside `gate`.

    private let base: UnsafeMutableRawPointer
    private let capacity: Int
    private var count = 0
    /// The tree that was asked for last: whoever looks at an event looks at several of its members.
    private var latest: (start: Int, tree: JSONValue)?

    /// One lock for all: a lock of its own would cost a block more than the rest of it, and this one is never held for
    /// longer than it takes to look.
    private static let gate = Gate()

    init(capacity: Int) {
        self.capacity = capacity
        base = .allocate(byteCount: max(capacity, 1), alignment: 1)
    }

    deinit { base.deallocate() }

    /// Returns where the bytes stand; nil when there is no room for them.
    func append(_ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard bytes.count <= capacity - count else { return nil }
        if let source = bytes.baseAddress { base.advanced(by: count).copyMemory(from: source, byteCount: bytes.count) }
        defer { count += bytes.count }
        return count..<count + bytes.count
    }

    func withBytes<Value>(_ range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws -> Value) rethrows -> Value {
        try body(UnsafeRawBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    /// What the text that begins here was parsed to, once it was.
    func tree(at start: Int, _ parse: () -> JSONValue) -> JSONValue {
        if let known = Self.gate.pass({ latest?.start == start ? latest?.tree : nil }) { return known }
        // Two threads may both come here, and do the same work.
        let parsed = parse()
        // The one before is let go of outside of the lock.
        let previous = Self.gate.pass {
            defer { latest = (start, parsed) }
            return latest
        }
        withExtendedLifetime(previous) {}
        return parsed
    }
}
