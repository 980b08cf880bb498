import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension Sealing {
    /// The oldest release of a relay's image that is trusted when nothing else is said. It rises with the SDK.
    public static let oldestTrustedRelease = "2.3.99"

    /// Seals to the node at this base URL, which is attested first, and again after it has restarted.
    ///
    /// ```swift
    /// let verifier = try QuoteVerifier(trusting: trusted)
    /// let options = HttpOptions(sealing: .node(at: url, verifier: verifier))
    /// let mero = Mero(config: MeroConfig(baseURL: url, httpOptions: options))
    /// ```
    ///
    /// Calls throw what the verifier throws, `AttestationError`, and `MeroError` when the node does not attest. Spec: 80,
    /// section 2.5.
    ///
    /// - Parameters:
    ///   - baseURL: The node's base URL.
    ///   - verifier: Decides whether a quote is trusted.
    ///   - session: For the attestation; nil takes the platform's default HTTP stack.
    ///   - options: How the attestation itself is asked for, which is in the clear.
    ///   - resendsAfterLostSession: Send a request again, once, when the node does not know the session any more.
    public static func node(
        at baseURL: URL, verifier: any TransportQuoteVerifier, session: URLSession? = nil,
        options: HttpOptions = HttpOptions(), resendsAfterLostSession: Bool = true
    ) -> Sealing {
        .node(
            key: .attested {
                try await fetchAttestedTransportKey(
                    admin: plainAdmin(baseURL, session, options), verifier: verifier)
            }, resendsAfterLostSession: resendsAfterLostSession)
    }

    /// Seals to relays that run a release which Calimero signed. As with `relays`, a relay on this machine is not sealed to.
    ///
    /// Spec: 80, sections 1.10 and 7.
    ///
    /// - Parameters:
    ///   - minReleaseVersion: The oldest release that is trusted.
    ///   - releaseVersion: The release of relays that tell it to sealed requests only.
    ///   - session: For attestations and releases; nil takes the platform's default HTTP stack.
    ///   - options: How attestations and releases are asked for.
    ///   - resendsAfterLostSession: Send a request again, once, when the relay does not know the session any more.
    public static func signedRelays(
        minReleaseVersion: String = oldestTrustedRelease, releaseVersion: String? = nil, session: URLSession? = nil,
        options: HttpOptions = HttpOptions(), resendsAfterLostSession: Bool = true
    ) -> Sealing {
        .relays(resendsAfterLostSession: resendsAfterLostSession) { relayURL in
            let admin = plainAdmin(relayURL, session, options)
            return try await fetchAttestedTransportKey(
                admin: admin,
                verifier: SignedReleaseVerifier(
                    admin: admin, minReleaseVersion: minReleaseVersion, releaseVersion: releaseVersion,
                    source: { version in try await fetchNodeRelease(version, session: session, options: options) }))
        }
    }

    /// An attestation is how the key becomes known, and so cannot be sealed.
    private static func plainAdmin(_ baseURL: URL, _ session: URLSession?, _ options: HttpOptions) -> AdminApi {
        var options = options
        options.sealing = nil
        return AdminApi(http: URLSessionHttpClient(baseURL: baseURL, session: session, options: options))
    }
}
