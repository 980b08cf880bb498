/// A list of certificates that their issuer took back, version 2.
///
/// Spec: 80, section 4.1.
package struct RevocationList: Sendable, Equatable {
    static let maximumSize = 1 << 20

    /// In DER, as names are compared.
    let issuer: [UInt8]
    /// Seconds since 1970; valid at both ends.
    let thisUpdate: Int64
    let nextUpdate: Int64
    /// Serial numbers.
    let revoked: Set<[UInt8]>
    let signed: [UInt8]
    let signature: X509Signature

    package init(der: [UInt8]) throws(AttestationError) {
        guard der.count <= Self.maximumSize else { throw DerReader.malformed("a revocation list that is too large") }
        try DerReader.checkShape(der)
        let (body, signature) = try X509Signature.envelope(der, "revocation list")
        self.signature = signature
        signed = body.encoded
        var fields = body.inner
        guard try fields.next(DerTag.integer, "version").small() == 1 else {
            throw DerReader.malformed("a revocation list that is not of version 2")
        }
        guard try X509Signature.algorithm(fields.next(DerTag.sequence, "algorithm")) == signature.hash else {
            throw DerReader.malformed("a revocation list that names two algorithms of signing")
        }
        issuer = try fields.next(DerTag.sequence, "issuer").encoded
        thisUpdate = try fields.next().time()
        // Optional in X.509; a list that never ends would keep what was revoked since from being seen.
        nextUpdate = try fields.next().time()
        revoked = try Self.serials(fields.nextIf(DerTag.sequence))
        if let element = try fields.nextIf(DerTag.context(0)) { try Self.check(X509Extensions(element)) }
        try fields.finish()
    }

    func isValid(at now: Int64) -> Bool { thisUpdate <= now && now <= nextUpdate }

    private static func serials(_ list: DerElement?) throws(AttestationError) -> Set<[UInt8]> {
        guard var entries = list?.inner else { return [] }
        var serials: Set<[UInt8]> = []
        while !entries.isAtEnd {
            var parts = try entries.next(DerTag.sequence, "revoked certificate").inner
            serials.insert(try X509Signature.serial(parts.next(DerTag.integer, "serial number")))
            _ = try parts.next().time()
            if let list = try parts.nextIf(DerTag.sequence), !(try X509Extensions(list: list)).critical.isEmpty {
                // It may say that the entry is another issuer's.
                throw DerReader.malformed("a revoked certificate with an unknown critical extension")
            }
            try parts.finish()
        }
        return serials
    }

    /// A critical extension here says that the list is not the whole one.
    private static func check(_ extensions: X509Extensions) throws(AttestationError) {
        guard extensions.critical.isSubset(of: [.crlNumber, .authorityKeyIdentifier]) else {
            throw DerReader.malformed("a revocation list with an unknown critical extension")
        }
    }
}
