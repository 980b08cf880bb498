/// Lower-case hexadecimal, the spelling of every id, key and signed object on the wire.
///
/// Spec: 50, section 1.2.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(bytes: bytes) }

    static func encode(bytes: some Sequence<UInt8>) -> String {
        let whole: String? = bytes.withContiguousStorageIfAvailable { encode(UnsafeRawBufferPointer($0)) }
        if let whole { return whole }
        return Array(bytes).withUnsafeBytes { encode($0) }
    }

    private static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        digits.withUnsafeBufferPointer { digits in
            String(unsafeUninitializedCapacity: 2 * bytes.count) { output in
                for (index, byte) in bytes.enumerated() {
                    output[2 * index] = digits[Int(byte >> 4)]
                    output[2 * index + 1] = digits[Int(byte & 15)]
                }
                return 2 * bytes.count
            }
        }
    }

    /// Accepts either case; nil for an odd length or any other character.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode(utf8: $0) }
    }

    private static func decode(utf8 characters: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard characters.count.isMultiple(of: 2) else { return nil }
        let count = characters.count / 2
        // Anything but a digit sets one of the high bits, which no digit has.
        var wrong: UInt8 = 0
        let output = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: count) { output, written in
                for index in 0..<count {
                    let high = values[Int(characters[2 * index])]
                    let low = values[Int(characters[2 * index + 1])]
                    wrong |= high | low
                    output[index] = high << 4 | low & 15
                }
                written = count
            }
        }
        return wrong & 0xf0 == 0 ? output : nil
    }

    /// What each character is worth; 255 for one that is no digit.
    private static let values: [UInt8] = (0...255).map { character in
        switch UInt8(character) {
        case let digit where digit >= UInt8(ascii: "0") && digit <= UInt8(ascii: "9"): return digit - UInt8(ascii: "0")
        case let digit where digit >= UInt8(ascii: "a") && digit <= UInt8(ascii: "f"):
            return digit - UInt8(ascii: "a") + 10
        case let digit where digit >= UInt8(ascii: "A") && digit <= UInt8(ascii: "F"):
            return digit - UInt8(ascii: "A") + 10
        default: return .max
        }
    }
}

/// The URL-safe base64 alphabet of RFC 4648, section 5.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Without padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 4 + 2) / 3)
        var buffer = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | Int(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                output.append(alphabet[buffer >> bits & 63])
            }
            buffer &= 0xff
        }
        if bits > 0 { output.append(alphabet[buffer << (6 - bits) & 63]) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Takes the URL-safe and the standard alphabet, padded or not; nil for anything else.
    package static func decode(_ text: String) -> [UInt8]? {
        var characters = Array(text.utf8)
        while characters.last == UInt8(ascii: "=") { characters.removeLast() }
        guard characters.count % 4 != 1 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(characters.count * 3 / 4)
        var buffer = 0
        var bits = 0
        for character in characters {
            guard let value = value(of: character) else { return nil }
            buffer = (buffer << 6 | value) & 0xfff
            bits += 6
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(buffer >> bits & 0xff))
            }
        }
        return output
    }

    private static func value(of character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return Int(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return Int(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return Int(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"), UInt8(ascii: "+"): return 62
        case UInt8(ascii: "_"), UInt8(ascii: "/"): return 63
        default: return nil
        }
    }
}

/// Bytes nobody can predict, from the system's own generator.
package enum SecureRandom {
    package static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
