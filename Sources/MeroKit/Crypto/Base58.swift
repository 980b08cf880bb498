import Foundation

/// Base58 with the alphabet of Bitcoin. Zero bytes at the start become as many `1`s.
///
/// The time it takes grows with the square of the length, so texts have a limit. Spec: 50, section 17.
package enum Base58 {
    private static let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

    private static let values: [UInt8?] = {
        var values = [UInt8?](repeating: nil, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        let zeros = bytes.prefix { $0 == 0 }.count
        let digits = convert(Array(bytes)[zeros...], from: .bytes, to: .base58)
        let ones = [UInt8](repeating: alphabet[0], count: zeros)
        return String(decoding: ones + digits.map { alphabet[Int($0)] }, as: UTF8.self)
    }

    /// Characters of the longest text that is read: an invitation's token. It takes a tenth of a second.
    package static let longestText = 16 << 10

    /// Nil for a character that is not of the alphabet, and for a text that is too long.
    ///
    /// - Parameter lengths: How many characters the text may have.
    package static func decode(_ text: String, lengths: ClosedRange<Int> = 0...longestText) -> [UInt8]? {
        guard lengths.contains(text.utf8.count) else { return nil }
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count)
        for character in text.utf8 {
            guard let value = values[Int(character)] else { return nil }
            digits.append(value)
        }
        let zeros = digits.prefix { $0 == 0 }.count
        return [UInt8](repeating: 0, count: zeros) + convert(digits[zeros...], from: .base58, to: .bytes)
    }

    /// A number's digits, highest first, in another base.
    ///
    /// Works on groups of digits that fit in 32 bits: a twentieth of the steps.
    private static func convert(
        _ digits: ArraySlice<UInt8>, from: Base, to: Base
    ) -> ArraySlice<UInt8> {
        // Groups of the new base, lowest first while it grows.
        var limbs: [UInt64] = []
        var rest = digits
        while !rest.isEmpty {
            let excess = rest.count % from.groupSize
            let group = rest.prefix(excess == 0 ? from.groupSize : excess)
            rest = rest.dropFirst(group.count)
            var carry: UInt64 = 0
            var factor: UInt64 = 1
            for digit in group {
                carry = carry * from.radix + UInt64(digit)
                factor *= from.radix
            }
            for index in limbs.indices {
                carry += limbs[index] * factor
                limbs[index] = carry % to.group
                carry /= to.group
            }
            while carry > 0 {
                limbs.append(carry % to.group)
                carry /= to.group
            }
        }
        var output: [UInt8] = []
        output.reserveCapacity(limbs.count * to.groupSize)
        for var limb in limbs {
            for _ in 0..<to.groupSize {
                output.append(UInt8(limb % to.radix))
                limb /= to.radix
            }
        }
        output.reverse()
        return output.drop { $0 == 0 }
    }

    private struct Base {
        let radix: UInt64
        /// How many digits make a group, and how many values a group has: at most 2^32.
        let groupSize: Int
        let group: UInt64

        static let bytes = Base(radix: 256, groupSize: 4, group: 1 << 32)
        static let base58 = Base(radix: 58, groupSize: 5, group: 58 * 58 * 58 * 58 * 58)
    }
}
