import Foundation

/// Writes borsh: integers with their lowest byte first, no padding, a count of 32 bits before texts and lists.
///
/// ```swift
/// var writer = BorshWriter()
/// writer.u64(42)
/// writer.string("general")
/// writer.data  // 2a00000000000000 07000000 67656e6572616c
/// ```
///
/// Spec: 50, section 1.3.
public struct BorshWriter: Sendable {
    private var bytes: [UInt8] = []

    /// What has been written so far.
    public var data: Data { Data(bytes) }

    /// Nothing written yet.
    public init() {}

    /// With room for so many bytes.
    package init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// 4 bytes.
    public mutating func u32(_ value: UInt32) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// 8 bytes.
    public mutating func u64(_ value: UInt64) {
        Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// The text as UTF-8 behind the number of its bytes.
    public mutating func string(_ value: String) {
        count(value.utf8.count)
        text(value)
    }

    /// The text as UTF-8, where its end is known otherwise.
    package mutating func text(_ value: String) { bytes.append(contentsOf: value.utf8) }

    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// An optional of a fixed size: `00` for nil, else `01` and the bytes as they are.
    public mutating func optionBytes(_ value: Data?) {
        bytes.append(value == nil ? 0 : 1)
        if let value { raw(value) }
    }

    package mutating func u8(_ value: UInt8) { bytes.append(value) }

    package mutating func bool(_ value: Bool) { bytes.append(value ? 1 : 0) }

    /// Bytes whose number the layout knows.
    package mutating func raw(_ value: Data) { value.withUnsafeBytes { bytes.append(contentsOf: $0) } }

    package mutating func optionString(_ value: String?) {
        bytes.append(value == nil ? 0 : 1)
        if let value { string(value) }
    }

    package mutating func strings(_ values: [String]) {
        count(values.count)
        for value in values { string(value) }
    }

    /// A list of items of one fixed size.
    package mutating func list(_ items: [Data]) {
        count(items.count)
        for item in items { raw(item) }
    }

    /// A map, ordered by the bytes of its keys. Throws `AccountError.invalidInput` for a key that repeats byte by byte.
    package mutating func map(_ entries: [(key: String, value: String)]) throws {
        let ordered = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (entry, next) in zip(ordered, ordered.dropFirst()) where entry.key.utf8.elementsEqual(next.key.utf8) {
            throw AccountError.invalidInput("a key of the data repeats")
        }
        count(ordered.count)
        for (key, value) in ordered {
            string(key)
            string(value)
        }
    }

    private mutating func count(_ count: Int) { u32(UInt32(clamping: count)) }
}
