import Foundation

/// Base58 with the alphabet of Bitcoin. Zero bytes at the start become as many `1`s.
///
/// The time it takes grows with the square of the length: bound what comes from outside. Spec: 50, section 17.
package enum Base58 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let zeros = bytes.prefix { $0 == 0 }.count
        let digits = convert(bytes.dropFirst(zeros), from: 256, to: 58)
        let ones = [UInt8](repeating: alphabet[0], count: zeros)
        return String(decoding: ones + digits.map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Nil for a character that is not of the alphabet.
    package static func decode(_ text: String) -> [UInt8]? {
        var digits: [UInt8] = []
        for character in text.utf8 {
            guard let value = values[Int(character)] else { return nil }
            digits.append(value)
        }
        let zeros = digits.prefix { $0 == 0 }.count
        return [UInt8](repeating: 0, count: zeros) + convert(digits.dropFirst(zeros), from: 58, to: 256)
    }

    /// The digits of a number, highest first, in another base.
    private static func convert(_ digits: some Collection<UInt8>, from: Int, to: Int) -> [UInt8] {
        // Lowest first while it grows.
        var output: [UInt8] = []
        for digit in digits {
            var carry = Int(digit)
            for index in output.indices {
                carry += Int(output[index]) * from
                output[index] = UInt8(carry % to)
                carry /= to
            }
            while carry > 0 {
                output.append(UInt8(carry % to))
                carry /= to
            }
        }
        return output.reversed()
    }
}
