/// Arrays of bytes, as JSON has them: `[123,34,107]`.
///
/// They are most of what large events consist of, and one number after the other is a slow way to go through them.
enum NaturalNumbers {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let longestNumber = 256
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Where a run of numbers ends that consist of digits alone and have a comma right behind them, eight bytes at a time.
    ///
    /// The first number has to begin at `start`, and at the end another value begins. The run may be shorter than it could
    /// be: its last number, and whatever is wrong, are left to the ordinary way.
    static func end(in bytes: UnsafeRawBufferPointer, from start: Int, to limit: Int) -> Int {
        var index = start
        // In the high bit of each byte: the byte before is a comma (or the bracket); the byte before is a leading zero.
        var carriedStart: UInt64 = 0x80
        var carriedZero: UInt64 = 0
        var lastComma = index
        while index + 8 <= limit {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
            guard word & highBits == 0 else { break }
            // No byte has its high bit set, so no sum carries into the next one.
            let digit = word ^ ones &* 0x30
            let others = (digit &+ ones &* 0x76) & highBits
            let commas = ~((word ^ ones &* 0x2C) &+ ones &* 0x7F) & highBits
            guard others == commas else { break }
            let starts = commas << 8 | carriedStart
            let leadingZeros = ~(digit &+ ones &* 0x7F) & starts & highBits
            let afterZero = leadingZeros << 8 | carriedZero
            guard commas & starts == 0, afterZero & ~commas == 0 else { break }
            if commas != 0 { lastComma = index }
            // One that is so long may be too large for a double, which is not for a run to tell.
            guard index - lastComma <= longestNumber else { break }
            carriedStart = commas >> 56
            carriedZero = leadingZeros >> 56
            index += 8
        }
        while index > start, bytes[index - 1] != UInt8(ascii: ",") { index -= 1 }
        return index
    }

    /// The number that begins here, in a run that was found before.
    @inline(__always)
    static func token(in run: UnsafeRawBufferPointer, at start: Int) -> JSONNumberToken {
        var index = start
        var value: UInt64 = 0
        while index < run.count {
            let digit = run[index] &- UInt8(ascii: "0")
            if digit > 9 { break }
            value = value &* 10 &+ UInt64(digit)
            index += 1
        }
        return JSONNumberToken(
            bytes: UnsafeRawBufferPointer(rebasing: run[start..<index]), isNegative: false,
            significand: index - start <= 19 ? value : nil, exponent: 0)
    }
}
