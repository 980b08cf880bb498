/// Reads fields of fixed size one after the other, integers with their lowest byte first.
struct ByteCursor {
    private let bytes: ArraySlice<UInt8>
    private(set) var position: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var remaining: Int { bytes.endIndex - position }

    mutating func take(_ count: Int, _ what: String) throws(AttestationError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= remaining else {
            throw AttestationError(.malformed, "the quote ends within its \(what)")
        }
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    mutating func u16(_ what: String) throws(AttestationError) -> Int {
        try take(2, what).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func u32(_ what: String) throws(AttestationError) -> Int {
        try take(4, what).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
