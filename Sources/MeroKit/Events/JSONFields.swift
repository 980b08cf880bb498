import Foundation

/// The members of one JSON object, found but not read.
///
/// Holds no bytes of its own: only for use while the text that it was made from is at hand. Of a repeated member the first
/// counts. A member that is `null`, or is not what it is asked for as, is like none.
struct JSONFields {
    private let text: JSONCursor
    private var members: [(key: JSONStringToken, range: Range<Int>)] = []

    /// Of the object that the cursor stands before.
    init(_ cursor: JSONCursor) {
        var cursor = cursor
        self.init(readFrom: &cursor)
    }

    private init(readFrom cursor: inout JSONCursor) {
        text = cursor
        cursor.enterObject()
        while let key = cursor.nextKey() {
            guard let range = cursor.skip() else { break }
            members.append((key, range))
        }
    }

    /// Where a member's value stands.
    subscript(key: StaticString) -> Range<Int>? {
        members.first { $0.key.equals(key) }?.range
    }

    func string(_ key: StaticString) -> String? {
        guard var cursor = cursor(key) else { return nil }
        return cursor.string()?.string
    }

    /// An integer as it is written: every digit counts, a fraction or an exponent makes it none.
    func integer<Integer: FixedWidthInteger>(_ key: StaticString, as type: Integer.Type = Integer.self) -> Integer? {
        guard let range = self[key] else { return nil }
        return text.integer(in: range)
    }

    /// Whether there is such a member, and not just as `null`.
    func has(_ key: StaticString) -> Bool {
        guard var cursor = cursor(key) else { return false }
        return cursor.nextByte != UInt8(ascii: "n")
    }

    func isTrue(_ key: StaticString) -> Bool {
        guard var cursor = cursor(key) else { return false }
        return cursor.nextByte == UInt8(ascii: "t")
    }

    /// An array of integers 0...255.
    func bytes(_ key: StaticString) -> Data? {
        guard let range = self[key] else { return nil }
        return text.byteArray(in: range)
    }

    func object(_ key: StaticString) -> JSONFields? {
        guard var cursor = cursor(key), cursor.nextByte == UInt8(ascii: "{") else { return nil }
        return JSONFields(cursor)
    }

    /// The objects in an array; elements of another kind are left out.
    func objects(_ key: StaticString) -> [JSONFields] {
        guard var cursor = cursor(key), cursor.nextByte == UInt8(ascii: "[") else { return [] }
        var objects: [JSONFields] = []
        cursor.enterArray()
        while cursor.nextElement() {
            if cursor.nextByte == UInt8(ascii: "{") {
                objects.append(JSONFields(readFrom: &cursor))
            } else {
                cursor.skip()
            }
        }
        return objects
    }

    private func cursor(_ key: StaticString) -> JSONCursor? {
        self[key].map { text.part($0) }
    }
}

extension JSONCursor {
    /// Over another part of the same bytes.
    fileprivate func part(_ range: Range<Int>) -> JSONCursor { JSONCursor(bytes, in: range) }

    fileprivate func integer<Integer: FixedWidthInteger>(in range: Range<Int>) -> Integer? {
        let text = bytes[range.clamped(to: 0..<bytes.count)]
        var value: Integer = 0
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard !digits.isEmpty else { return nil }
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (tens, tensOverflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflow) =
                isNegative
                ? tens.subtractingReportingOverflow(Integer(digit)) : tens.addingReportingOverflow(Integer(digit))
            guard !tensOverflow, !overflow else { return nil }
            value = sum
        }
        return value
    }

    /// What `[123,34,107]` stands for: contracts emit bytes, and JSON has no better way to say them.
    fileprivate func byteArray(in range: Range<Int>) -> Data? {
        let range = range.clamped(to: 0..<bytes.count)
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "[") else { return nil }
        let elements = UnsafeRawBufferPointer(rebasing: bytes[(range.lowerBound + 1)..<(range.upperBound - 1)])
        if elements.allSatisfy({ $0 <= 0x20 }) { return Data() }
        var output = Data(count: 1 + elements.count(of: UInt8(ascii: ",")))
        let isComplete = output.withUnsafeMutableBytes { elements.readBytes(into: $0) }
        return isComplete ? output : nil
    }
}

extension UnsafeRawBufferPointer {
    /// Reads the numbers of a list like `123,34,107`. False when one is not in 0...255, or they are not as many as asked for.
    fileprivate func readBytes(into output: UnsafeMutableRawBufferPointer) -> Bool {
        var index = 0
        for written in 0..<output.count {
            if let (value, length) = shortNumber(at: index) {
                output[written] = value
                index += length
            } else {
                guard let value = number(at: &index) else { return false }
                output[written] = value
            }
        }
        return index > count
    }

    /// A number with the comma right behind it, read without a branch per digit.
    @inline(__always)
    private func shortNumber(at index: Int) -> (value: UInt8, length: Int)? {
        guard index + 4 <= count else { return nil }
        let word = loadUnaligned(fromByteOffset: index, as: UInt32.self).littleEndian
        let digits = word ^ 0x3030_3030
        let others = ((digits & 0x7F7F_7F7F) &+ 0x7676_7676 | word) & 0x8080_8080
        let length = others.trailingZeroBitCount / 8
        guard length > 0, length < 4, self[index + length] == UInt8(ascii: ",") else { return nil }
        // The last digit into the highest byte, with nothing but zeros below the first.
        let aligned = digits << UInt32(8 * (4 - length))
        let value = aligned >> 24 + (aligned >> 16 & 0xFF) * 10 + (aligned >> 8 & 0xFF) * 100
        return value <= 255 ? (UInt8(truncatingIfNeeded: value), length + 1) : nil
    }

    /// A number with white space around it; steps over the comma, or the end, behind it.
    private func number(at index: inout Int) -> UInt8? {
        while index < count, self[index] <= 0x20 { index += 1 }
        let start = index
        var value = 0
        while index < count, index - start < 4 {
            let digit = self[index] &- UInt8(ascii: "0")
            if digit > 9 { break }
            value = value * 10 + Int(digit)
            index += 1
        }
        let isEmpty = index == start
        while index < count, self[index] <= 0x20 { index += 1 }
        guard !isEmpty, index >= count || self[index] == UInt8(ascii: ",") else { return nil }
        index += 1
        return UInt8(exactly: value)
    }

    /// How often a byte below 0x80 occurs.
    fileprivate func count(of byte: UInt8) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var count = 0
        var index = 0
        while index + 8 <= self.count {
            let difference = loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ ones &* UInt64(byte)
            let isOther = ((difference & ~(ones << 7)) &+ ones &* 0x7F | difference) & ones << 7
            count += 8 - isOther.nonzeroBitCount
            index += 8
        }
        while index < self.count {
            if self[index] == byte { count += 1 }
            index += 1
        }
        return count
    }
}
