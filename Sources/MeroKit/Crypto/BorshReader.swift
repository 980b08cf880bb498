import Foundation

/// Why bytes are no borsh of the expected layout.
package enum BorshError: Error, Equatable {
    /// They end inside the named field.
    case truncated(String)
    /// So many follow the last field.
    case trailing(Int)
    /// The named field holds a value that it cannot have.
    case invalid(String)
}

/// Reads borsh, and never beyond the end: every size is checked before anything is taken or allocated.
///
/// Spec: 50, section 1.3.
package struct BorshReader {
    private let bytes: Data
    private var position: Data.Index

    package init(_ bytes: Data) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    package var remaining: Int { bytes.endIndex - position }

    /// How many bytes have been read.
    package var offset: Int { position - bytes.startIndex }

    /// What has been read since the given offset.
    package func slice(from offset: Int) -> Data { Data(bytes[(bytes.startIndex + offset)..<position]) }

    package mutating func raw(_ count: Int, _ field: String) throws(BorshError) -> Data {
        guard count >= 0, count <= remaining else { throw .truncated(field) }
        defer { position += count }
        return Data(bytes[position..<(position + count)])
    }

    package mutating func u8(_ field: String) throws(BorshError) -> UInt8 { UInt8(try integer(1, field)) }

    package mutating func u32(_ field: String) throws(BorshError) -> UInt32 { UInt32(try integer(4, field)) }

    package mutating func u64(_ field: String) throws(BorshError) -> UInt64 { try integer(8, field) }

    package mutating func bool(_ field: String) throws(BorshError) -> Bool {
        switch try u8(field) {
        case 0: return false
        case 1: return true
        default: throw .invalid(field)
        }
    }

    package mutating func string(_ field: String) throws(BorshError) -> String {
        let content = try raw(Int(try u32(field)), field)
        let text = String(decoding: content, as: UTF8.self)
        // Decoding repairs what is no UTF-8, and then the bytes differ.
        guard text.utf8.elementsEqual(content) else { throw .invalid(field) }
        return text
    }

    package mutating func optionString(_ field: String) throws(BorshError) -> String? {
        try bool(field) ? try string(field) : nil
    }

    package mutating func optionBytes(_ count: Int, _ field: String) throws(BorshError) -> Data? {
        try bool(field) ? try raw(count, field) : nil
    }

    /// A list of items of one fixed size.
    package mutating func list(of size: Int, _ field: String) throws(BorshError) -> [Data] {
        let count = Int(try u32(field))
        guard size > 0, count <= remaining / size else { throw .truncated(field) }
        var items: [Data] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try raw(size, field)) }
        return items
    }

    package mutating func strings(_ field: String) throws(BorshError) -> [String] {
        let count = Int(try u32(field))
        // Each takes four bytes at least.
        guard count <= remaining / 4 else { throw .truncated(field) }
        var items: [String] = []
        items.reserveCapacity(count)
        for _ in 0..<count { items.append(try string(field)) }
        return items
    }

    /// Throws when something is left over.
    package func finish() throws(BorshError) {
        if remaining > 0 { throw .trailing(remaining) }
    }

    private mutating func integer(_ size: Int, _ field: String) throws(BorshError) -> UInt64 {
        try raw(size, field).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
