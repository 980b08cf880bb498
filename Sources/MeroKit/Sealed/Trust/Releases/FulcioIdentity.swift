/// Whom a certificate of Fulcio's was issued to, and on whose word.
///
/// Spec: 80, section 7.4, steps 8 to 10.
struct FulcioIdentity {
    private static let uri: UInt8 = 0x86

    private let leaf: X509Certificate
    private let identity: [UInt8]
    private let issuer: [UInt8]

    init(_ leaf: X509Certificate) throws(AttestationError) {
        self.leaf = leaf
        guard let names = leaf.extensions[.subjectAlternativeName] else { throw Self.nameless }
        var reader = try DerReader.whole(names, DerTag.sequence, "names").inner
        let name = try reader.next()
        guard name.tag == Self.uri, reader.isAtEnd else { throw Self.nameless }
        identity = Array(name.content)
        if let value = leaf.extensions[.fulcioIssuerV2] {
            issuer = Array(try DerReader.whole(value, DerTag.utf8String, "issuer").content)
        } else {
            issuer = leaf.extensions[.fulcioIssuerV1] ?? []
        }
    }

    func check(_ signer: ReleaseSigner) throws(AttestationError) {
        guard identity == Array(signer.identity.utf8) else {
            throw AttestationError(
                .refused, "The release was signed by \"\(text(identity))\", not by \(signer.identity)")
        }
        guard issuer == Array(signer.issuer.utf8) else {
            throw AttestationError(
                .refused, "The signer was vouched for by \"\(text(issuer))\", not by \(signer.issuer)")
        }
        guard let usages = leaf.extensions[.extendedKeyUsage] else { throw Self.notForCode }
        var reader = try DerReader.whole(usages, DerTag.sequence, "key usages").inner
        var isForCode = false
        while !reader.isAtEnd {
            if try reader.next().oid() == .codeSigning { isForCode = true }
        }
        guard isForCode else { throw Self.notForCode }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static let nameless = AttestationError(.refused, "The certificate does not name exactly one workflow")
    private static let notForCode = AttestationError(.unverified, "The certificate is not one for signing code")
}
