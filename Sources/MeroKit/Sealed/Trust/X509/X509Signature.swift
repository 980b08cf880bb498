/// The signature on a certificate or a revocation list.
struct X509Signature: Sendable, Equatable {
    let hash: EcdsaHash
    /// In DER.
    let bytes: [UInt8]

    func holds(over message: [UInt8], by key: EcdsaPublicKey) -> Bool {
        key.verifies(der: bytes, over: message, hash: hash)
    }

    /// What is signed, and the signature: the form that certificates and revocation lists share.
    static func envelope(
        _ der: [UInt8], _ what: String
    ) throws(AttestationError) -> (body: DerElement, signature: X509Signature) {
        var parts = try DerReader.whole(der, DerTag.sequence, what).inner
        let body = try parts.next(DerTag.sequence, what)
        let hash = try algorithm(parts.next(DerTag.sequence, "algorithm"))
        let bytes = try parts.next(DerTag.bitString, "signature").bits()
        try parts.finish()
        return (body, X509Signature(hash: hash, bytes: bytes))
    }

    static func algorithm(_ element: DerElement) throws(AttestationError) -> EcdsaHash {
        var parts = element.inner
        let hash: EcdsaHash
        switch try parts.next().oid() {
        case .ecdsaWithSHA256: hash = .sha256
        case .ecdsaWithSHA384: hash = .sha384
        default: throw DerReader.malformed("a signature that is neither ECDSA with SHA-256 nor with SHA-384")
        }
        try parts.finish()
        return hash
    }

    /// A serial number, in the one spelling that it has.
    static func serial(_ element: DerElement) throws(AttestationError) -> [UInt8] {
        let serial = try element.natural()
        guard serial.count <= 20 else { throw DerReader.malformed("a serial number that is too long") }
        return serial
    }
}
