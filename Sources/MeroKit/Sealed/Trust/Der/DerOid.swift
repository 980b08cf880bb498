/// An object identifier, by the bytes of its DER content.
struct DerOid: Hashable, Sendable {
    let bytes: [UInt8]

    /// - Parameter bytes: The content of an OBJECT IDENTIFIER element.
    init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// `DerOid(2, 5, 29, 19)`. For identifiers that stand in the source.
    init(_ first: Int, _ second: Int, _ rest: Int...) {
        bytes = Self.base128(first * 40 + second) + rest.flatMap(Self.base128)
    }

    /// An identifier below this one.
    func child(_ arcs: Int...) -> DerOid { DerOid(bytes: bytes + arcs.flatMap(Self.base128)) }

    private static func base128(_ arc: Int) -> [UInt8] {
        var digits = [UInt8(truncatingIfNeeded: arc & 0x7f)]
        var rest = arc >> 7
        while rest > 0 {
            digits.append(UInt8(truncatingIfNeeded: rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return digits.reversed()
    }
}

extension DerOid {
    static let ecPublicKey = DerOid(1, 2, 840, 10045, 2, 1)
    static let p256 = DerOid(1, 2, 840, 10045, 3, 1, 7)
    static let p384 = DerOid(1, 3, 132, 0, 34)
    static let ecdsaWithSHA256 = DerOid(1, 2, 840, 10045, 4, 3, 2)
    static let ecdsaWithSHA384 = DerOid(1, 2, 840, 10045, 4, 3, 3)

    static let subjectKeyIdentifier = DerOid(2, 5, 29, 14)
    static let keyUsage = DerOid(2, 5, 29, 15)
    static let subjectAlternativeName = DerOid(2, 5, 29, 17)
    static let basicConstraints = DerOid(2, 5, 29, 19)
    static let crlNumber = DerOid(2, 5, 29, 20)
    static let authorityKeyIdentifier = DerOid(2, 5, 29, 35)
    static let extendedKeyUsage = DerOid(2, 5, 29, 37)
    static let codeSigning = DerOid(1, 3, 6, 1, 5, 5, 7, 3, 3)

    /// Intel's description of a platform in the certificate of its provisioning key.
    static let sgx = DerOid(1, 2, 840, 113741, 1, 13, 1)

    /// Fulcio's first form of who vouches for the signer: bare bytes.
    static let fulcioIssuerV1 = DerOid(1, 3, 6, 1, 4, 1, 57264, 1, 1)
    /// The present form: a UTF8String.
    static let fulcioIssuerV2 = DerOid(1, 3, 6, 1, 4, 1, 57264, 1, 8)
}
