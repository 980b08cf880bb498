/// A string as it stands in the text, without its quotes. Grammar and UTF-8 have been checked.
struct JSONStringToken {
    let bytes: UnsafeRawBufferPointer
    let hasEscapes: Bool

    var string: String {
        hasEscapes ? unescaped : String(decoding: bytes, as: UTF8.self)
    }

    /// True when the string consists of exactly these UTF-8 bytes, whichever way it is spelled.
    func equals(_ other: [UInt8]) -> Bool {
        if hasEscapes { return unescaped.utf8.elementsEqual(other) }
        return bytes.count == other.count && bytes.elementsEqual(other)
    }

    private var unescaped: String {
        // No escape is shorter than what it stands for.
        String(unsafeUninitializedCapacity: bytes.count) { output in
            var written = 0
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                if byte != UInt8(ascii: "\\") {
                    output[written] = byte
                    written += 1
                    index += 1
                    continue
                }
                index += 2
                switch bytes[index - 1] {
                case UInt8(ascii: "b"): output[written] = 0x08
                case UInt8(ascii: "f"): output[written] = 0x0C
                case UInt8(ascii: "n"): output[written] = 0x0A
                case UInt8(ascii: "r"): output[written] = 0x0D
                case UInt8(ascii: "t"): output[written] = 0x09
                case UInt8(ascii: "u"):
                    var scalar = UInt32(JSONStringToken.hexUnit(bytes, at: index))
                    index += 4
                    if scalar & 0xFC00 == 0xD800 {
                        let low = UInt32(JSONStringToken.hexUnit(bytes, at: index + 2))
                        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
                        index += 6
                    }
                    written += JSONStringToken.write(scalar, to: output, at: written)
                    continue
                case let other: output[written] = other
                }
                written += 1
            }
            return written
        }
    }

    /// The value of four hex digits. Other characters have been refused before.
    static func hexUnit(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt16 {
        var unit: UInt16 = 0
        for digit in bytes[index..<index + 4] { unit = unit << 4 | UInt16(hexDigit(digit) ?? 0) }
        return unit
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
        default: return nil
        }
    }

    private static func write(_ scalar: UInt32, to output: UnsafeMutableBufferPointer<UInt8>, at index: Int) -> Int {
        func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(scalar >> shift & 0x3F) }
        switch scalar {
        case 0..<0x80:
            output[index] = UInt8(scalar)
            return 1
        case 0x80..<0x800:
            output[index] = 0xC0 | UInt8(scalar >> 6)
            output[index + 1] = continuation(0)
            return 2
        case 0x800..<0x10000:
            output[index] = 0xE0 | UInt8(scalar >> 12)
            output[index + 1] = continuation(6)
            output[index + 2] = continuation(0)
            return 3
        default:
            output[index] = 0xF0 | UInt8(scalar >> 18)
            output[index + 1] = continuation(12)
            output[index + 2] = continuation(6)
            output[index + 3] = continuation(0)
            return 4
        }
    }
}

/// A number as it stands in the text. Grammar has been checked.
struct JSONNumberToken {
    let bytes: UnsafeRawBufferPointer
    let isNegative: Bool
    /// The digits as one integer, the fraction's included; nil when there are too many for it.
    let significand: UInt64?
    /// The power of ten that `significand` is to be multiplied with.
    let exponent: Int

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The nearest double; nil when the number is too large for one.
    var double: Double? {
        if let significand {
            // Both operands are exact, so the one rounding of the operation is the correct one (Clinger's fast path).
            if significand <= 1 << 53, exponent == 0, significand > 0 {
                return isNegative ? -Double(significand) : Double(significand)
            }
            if significand <= 1 << 53, let power = Self.power(of: exponent.magnitude) {
                let magnitude = exponent < 0 ? Double(significand) / power : Double(significand) * power
                return isNegative ? -magnitude : magnitude
            }
            if significand == 0 { return isNegative ? -0.0 : 0 }
        }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    private static func power(of exponent: UInt) -> Double? {
        exponent < UInt(powers.count) ? powers[Int(exponent)] : nil
    }

    /// The powers of ten that are exact as doubles.
    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]
}
