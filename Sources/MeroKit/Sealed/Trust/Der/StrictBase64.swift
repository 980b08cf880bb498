/// The standard alphabet with its padding, one spelling for each value. White space is passed over.
///
/// Spec: 80, section 7.3.
package enum StrictBase64 {
    package static func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 * 3)
        var buffer: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text where !isSpace(character) {
            if character == UInt8(ascii: "=") {
                padding += 1
                continue
            }
            guard padding == 0, let value = value(of: character) else { return nil }
            buffer = buffer << 6 | UInt32(value)
            digits += 1
            if digits % 4 == 0 {
                output += [buffer >> 16, buffer >> 8, buffer].map { UInt8(truncatingIfNeeded: $0) }
                buffer = 0
            }
        }
        switch (digits % 4, padding) {
        case (0, 0): return output
        case (2, 2) where buffer & 0x0F == 0: return output + [UInt8(truncatingIfNeeded: buffer >> 4)]
        case (3, 1) where buffer & 0x03 == 0:
            return output + [UInt8(truncatingIfNeeded: buffer >> 10), UInt8(truncatingIfNeeded: buffer >> 2)]
        default: return nil
        }
    }

    static func isSpace(_ character: UInt8) -> Bool {
        character == 0x20 || character == 0x0A || character == 0x0D || character == 0x09
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): return 62
        case UInt8(ascii: "/"): return 63
        default: return nil
        }
    }
}
