import Foundation

/// The 24 words that stand for the 32 bytes of a root secret: BIP39's entropy encoding, and nothing further of BIP39.
///
/// Spec: 50, section 3.3.
enum RecoveryPhrase {
    private static let wordCount = 24
    private static let bitsPerWord = 11

    private static let words = list.split(whereSeparator: \.isWhitespace).map(String.init)

    private static let indices = Dictionary(
        words.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })

    static func encode(_ secret: SecretBytes) -> String {
        var bytes = secret.withUnsafeBytes { Array($0) }
        bytes.append(Digest.sha256(bytes)[0])
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        var phrase: [String] = []
        var buffer = 0
        var bits = 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xf_ffff
            bits += 8
            if bits >= bitsPerWord {
                bits -= bitsPerWord
                phrase.append(words[buffer >> bits & 0x7ff])
            }
        }
        return phrase.joined(separator: " ")
    }

    /// Takes either case and any white space. Throws `RecoveryPhraseError`.
    static func decode(_ phrase: String) throws(RecoveryPhraseError) -> SecretBytes {
        let given = phrase.lowercased().split(whereSeparator: \.isWhitespace)
        guard given.count == wordCount else { throw .wordCount(given.count) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(wordCount * bitsPerWord / 8)
        defer { bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        var buffer = 0
        var bits = 0
        for (offset, word) in given.enumerated() {
            guard let index = indices[String(word)] else { throw .unknownWord(position: offset + 1) }
            buffer = (buffer << bitsPerWord | index) & 0xf_ffff
            bits += bitsPerWord
            while bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xff))
            }
        }
        let checksum = bytes.removeLast()
        guard Digest.sha256(bytes)[0] == checksum else { throw .checksum }
        return SecretBytes(bytes)
    }
}
