/// How a chain of certificates is judged: leaf first, down from a root that is known beforehand.
///
/// Spec: 80, section 4.1.
struct CertificateChain {
    /// The extensions that are judged here, or say nothing that a chain is asked for.
    private static let known: Set<DerOid> = [
        .basicConstraints, .keyUsage, .extendedKeyUsage, .subjectKeyIdentifier, .authorityKeyIdentifier, .sgx,
    ]

    /// What the chain is of, for the reasons of refusals.
    let name: String
    let certificates: [X509Certificate]

    /// - Parameter text: In PEM.
    init(_ name: String, pem text: some Collection<UInt8>) throws(AttestationError) {
        self.name = name
        certificates = try naming(name) { () throws(AttestationError) in try PemBlocks.certificates(text) }
        guard certificates.count >= 2 else {
            throw AttestationError(.malformed, "\(name): a chain without the authority that issued its certificate")
        }
    }

    /// The certificate at its end, once all that stands above it holds.
    ///
    /// - Parameters:
    ///   - anchor: The root. One that is part of the chain is not trusted for that.
    ///   - lists: Whose revoked certificates are not taken. Each issuer needs one.
    ///   - now: Seconds since 1970.
    func verifiedLeaf(
        anchor: X509Certificate, lists: [RevocationList], at now: Int64
    ) throws(AttestationError) -> X509Certificate {
        guard let leaf = certificates.first, let top = certificates.last else { throw refused("it is empty") }
        for certificate in certificates + [anchor] { try check(certificate, at: now) }
        guard leaf.basicConstraints?.isAuthority != true else { throw refused("its leaf is an authority") }
        var issuers = Array(certificates.dropFirst())
        if top != anchor { issuers.append(anchor) }
        // Without the anchor, which nothing revokes but its own entry in a list.
        let below = certificates.filter { $0 != anchor }
        guard below.count == issuers.count else { throw refused("the root is in the midst of it") }
        for (depth, (certificate, issuer)) in zip(below, issuers).enumerated() {
            try check(certificate, issuedBy: issuer, below: depth)
            try checkRevocation(of: certificate, issuedBy: issuer, lists, at: now)
        }
        guard !lists.contains(where: { $0.revoked.contains(anchor.serial) }) else {
            throw refused("its root is revoked")
        }
        return leaf
    }

    private func check(_ certificate: X509Certificate, at now: Int64) throws(AttestationError) {
        guard certificate.isValid(at: now) else {
            throw AttestationError(.notCurrent, "\(name): a certificate is not valid now")
        }
        guard certificate.publicKey.curve == .p256, certificate.signature.hash == .sha256 else {
            throw refused("a certificate does not use P-256 with SHA-256")
        }
        guard certificate.extensions.critical.isSubset(of: Self.known) else {
            throw refused("a certificate has an unknown critical extension")
        }
    }

    /// - Parameter depth: How many authorities stand below the issuer.
    private func check(
        _ certificate: X509Certificate, issuedBy issuer: X509Certificate, below depth: Int
    ) throws(AttestationError) {
        guard certificate.issuer == issuer.subject else {
            throw refused("a certificate was issued by another than the next one")
        }
        guard let constraints = issuer.basicConstraints, constraints.isAuthority,
            issuer.keyUsage?.signsCertificates != false
        else { throw refused("an issuer is no authority") }
        guard (constraints.pathLength ?? depth) >= depth else { throw refused("an issuer allows no chain this long") }
        guard issuer.signed(certificate) else { throw refused("the signature of a certificate does not hold") }
    }

    private func checkRevocation(
        of certificate: X509Certificate, issuedBy issuer: X509Certificate, _ lists: [RevocationList], at now: Int64
    ) throws(AttestationError) {
        let lists = lists.filter { $0.issuer == certificate.issuer }
        guard !lists.isEmpty else { throw refused("an issuer has no list of revoked certificates") }
        for list in lists {
            guard issuer.keyUsage?.signsRevocationLists != false, list.signature.hash == .sha256,
                list.signature.holds(over: list.signed, by: issuer.publicKey)
            else { throw refused("the signature of a list of revoked certificates does not hold") }
            guard list.isValid(at: now) else {
                throw AttestationError(.notCurrent, "\(name): a list of revoked certificates is not valid now")
            }
            guard !list.revoked.contains(certificate.serial) else { throw refused("a certificate is revoked") }
        }
    }

    private func refused(_ reason: String) -> AttestationError {
        AttestationError(.unverified, "\(name): \(reason)")
    }
}
