/// Certificates as text.
package enum PemBlocks {
    static let maximumSize = 1 << 20
    /// A chain has three.
    static let maximumCount = 8

    private static let begin = Array("-----BEGIN CERTIFICATE-----".utf8)
    private static let end = Array("-----END CERTIFICATE-----".utf8)

    /// The certificates of a text that has nothing else in it but white space, in its order. At least one.
    static func certificates(_ text: some Collection<UInt8>) throws(AttestationError) -> [X509Certificate] {
        let blocks = try decode(text)
        var certificates: [X509Certificate] = []
        for (index, block) in blocks.enumerated() {
            certificates.append(
                try naming("certificate \(index + 1)") { () throws(AttestationError) in try X509Certificate(der: block)
                })
        }
        return certificates
    }

    /// The bytes in the blocks of such a text.
    package static func decode(_ text: some Collection<UInt8>) throws(AttestationError) -> [[UInt8]] {
        guard text.count <= maximumSize else { throw DerReader.malformed("a chain of certificates that is too long") }
        let text = Array(text)
        var blocks: [[UInt8]] = []
        var position = 0
        while true {
            while position < text.count, StrictBase64.isSpace(text[position]) { position += 1 }
            guard position < text.count else { break }
            guard blocks.count < maximumCount else { throw DerReader.malformed("too many certificates in a chain") }
            guard text[position...].starts(with: begin) else { throw malformed }
            let start = position + begin.count
            guard let stop = text[start...].firstIndex(of: UInt8(ascii: "-")), text[stop...].starts(with: end),
                let bytes = StrictBase64.decode(text[start..<stop]), !bytes.isEmpty
            else { throw malformed }
            blocks.append(bytes)
            position = stop + end.count
        }
        guard !blocks.isEmpty else { throw malformed }
        return blocks
    }

    private static let malformed = AttestationError(.malformed, "no text of certificates in PEM")
}
