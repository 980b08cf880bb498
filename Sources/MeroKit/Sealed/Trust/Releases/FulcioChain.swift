/// Whether one of Fulcio's authorities certified a signer at the moment of the signature.
///
/// Spec: 80, section 7.4, step 7.
struct FulcioChain {
    let authorities: [SigstoreTrustRoot.Authority]

    /// - Parameter time: Seconds since 1970, from the log.
    func check(_ leaf: X509Certificate, at time: Int64) throws(AttestationError) {
        guard leaf.isValid(at: time) else {
            throw AttestationError(.unverified, "The file was signed when the certificate was not valid")
        }
        let issuers = authorities.filter { authority in
            guard let first = authority.chain.first else { return false }
            return first.subject == leaf.issuer && first.signed(leaf)
        }
        guard !issuers.isEmpty else {
            throw AttestationError(
                .unverified, "The certificate was not issued by a Fulcio CA in the Sigstore trust root")
        }
        // One name may have had several windows of use.
        guard issuers.contains(where: { Self.holds($0, at: time) }) else {
            throw AttestationError(.unverified, "The Fulcio CA of the certificate does not hold for that time")
        }
    }

    private static func holds(_ authority: SigstoreTrustRoot.Authority, at time: Int64) -> Bool {
        guard authority.start <= time, time <= authority.end ?? .max, let last = authority.chain.last else {
            return false
        }
        let issuers = Array(authority.chain.dropFirst()) + [last]
        return zip(authority.chain, issuers).allSatisfy { certificate, issuer in
            certificate.isValid(at: time) && certificate.issuer == issuer.subject && issuer.signed(certificate)
        }
    }
}
