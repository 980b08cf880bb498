/// A certificate of version 3 with a key on P-256 or P-384, signed by ECDSA. There are no others in attestations and
/// signed releases, and no others are read.
///
/// Spec: 80, sections 4.1 and 7.4.
package struct X509Certificate: Sendable, Equatable {
    /// Far above any that is used.
    static let maximumSize = 65_536

    /// All of it.
    let der: [UInt8]
    /// What the issuer signed.
    let signed: [UInt8]
    let signature: X509Signature
    let serial: [UInt8]
    /// In DER, as names are compared.
    let issuer: [UInt8]
    let subject: [UInt8]
    /// Seconds since 1970; valid at both ends.
    let notBefore: Int64
    let notAfter: Int64
    let publicKey: EcdsaPublicKey
    let extensions: X509Extensions
    let basicConstraints: X509BasicConstraints?
    /// Nil when the certificate does not say what its key is for.
    let keyUsage: X509KeyUsage?

    package init(der: [UInt8]) throws(AttestationError) {
        guard der.count <= Self.maximumSize else { throw DerReader.malformed("a certificate that is too large") }
        try DerReader.checkShape(der)
        let (body, signature) = try X509Signature.envelope(der, "certificate")
        self.der = der
        self.signature = signature
        signed = body.encoded
        var fields = body.inner
        let version = try fields.next(DerTag.context(0), "version").inner
        guard try Self.number(version) == 2 else { throw DerReader.malformed("a certificate that is not of version 3") }
        serial = try X509Signature.serial(fields.next(DerTag.integer, "serial number"))
        guard try X509Signature.algorithm(fields.next(DerTag.sequence, "algorithm")) == signature.hash else {
            throw DerReader.malformed("a certificate that names two algorithms of signing")
        }
        issuer = try fields.next(DerTag.sequence, "issuer").encoded
        (notBefore, notAfter) = try Self.validity(fields.next(DerTag.sequence, "validity"))
        subject = try fields.next(DerTag.sequence, "subject").encoded
        publicKey = try Self.publicKey(fields.next(DerTag.sequence, "public key"))
        extensions = try X509Extensions(fields.next(DerTag.context(3), "extensions"))
        try fields.finish()
        basicConstraints = try extensions[.basicConstraints].map(X509BasicConstraints.init(_:))
        keyUsage = try extensions[.keyUsage].map(X509KeyUsage.init(_:))
    }

    /// Whether this key signed that certificate. Names and dates are not looked at.
    func signed(_ other: X509Certificate) -> Bool { other.signature.holds(over: other.signed, by: publicKey) }

    func isValid(at now: Int64) -> Bool { notBefore <= now && now <= notAfter }

    private static func number(_ reader: DerReader) throws(AttestationError) -> Int {
        var reader = reader
        let number = try reader.next(DerTag.integer, "number").small()
        try reader.finish()
        return number
    }

    private static func validity(_ element: DerElement) throws(AttestationError) -> (Int64, Int64) {
        var times = element.inner
        let bounds = (try times.next().time(), try times.next().time())
        try times.finish()
        return bounds
    }

    /// A SubjectPublicKeyInfo.
    static func publicKey(_ element: DerElement) throws(AttestationError) -> EcdsaPublicKey {
        var parts = element.inner
        var algorithm = try parts.next(DerTag.sequence, "algorithm").inner
        guard try algorithm.next().oid() == .ecPublicKey else { throw unsupportedKey }
        let curve: EcdsaCurve
        switch try algorithm.next().oid() {
        case .p256: curve = .p256
        case .p384: curve = .p384
        default: throw unsupportedKey
        }
        try algorithm.finish()
        let point = try parts.next(DerTag.bitString, "public key").bits()
        try parts.finish()
        guard point.first == 0x04, let key = EcdsaPublicKey(curve, point: point.dropFirst()) else {
            throw unsupportedKey
        }
        return key
    }

    private static let unsupportedKey = AttestationError(.malformed, "a key that is not on P-256 or P-384")
}
