import Foundation

/// Trusts a quote of the image that Calimero signed and the node says to run.
///
/// For each quote it asks the node for its release, gets that from a mirror, verifies who signed it, and then the quote. None
/// of whom it asks is trusted.
///
/// ```swift
/// let relays = AttestedRelayKeyVerifier { relayURL in
///     guard let url = URL(string: relayURL) else { throw MeroError.network("Invalid URL: \(relayURL)") }
///     let admin = AdminApi(http: URLSessionHttpClient(baseURL: url))
///     return try SignedReleaseVerifier(admin: admin, minReleaseVersion: "2.3.99")
/// }
/// ```
///
/// Spec: 80, sections 7.5 and 7.6.
public struct SignedReleaseVerifier: TransportQuoteVerifier {
    /// Its quotes are verified with collateral.
    public var includeCollateral: Bool { true }

    private let admin: AdminApi
    private let profile: String
    private let minReleaseVersion: String
    private let releaseVersion: String?
    private let signer: ReleaseSigner
    private let trustRoot: SigstoreTrustRoot?
    private let rootCA: Data
    private let clock: @Sendable () -> Date
    private let source: NodeReleaseSource

    /// - Parameters:
    ///   - admin: Of the node that is judged.
    ///   - profile: The variant of the image. `debug` images give whoever runs them a shell.
    ///   - minReleaseVersion: The oldest release that is trusted. Signatures never expire; only this keeps old flaws out.
    ///   - releaseVersion: Taken when the node tells its release to sealed requests only.
    ///   - signer: Who has to have signed the release.
    ///   - trustRoot: Whose certificates and log entries count; nil: Sigstore's public good instance.
    ///   - rootCA: The certificate, in DER, that the quote's chains have to end at.
    ///   - clock: The time to judge the quote by. Releases are judged by none.
    ///   - source: Gets releases; by default the cloud's mirror.
    /// - Throws: `AttestationError`, `.invalidInput`, for a version that is none.
    public init(
        admin: AdminApi, profile: String = "locked-read-only", minReleaseVersion: String, releaseVersion: String? = nil,
        signer: ReleaseSigner = ReleaseSigner(), trustRoot: SigstoreTrustRoot? = nil,
        rootCA: Data = IntelRoot.certificate, clock: @escaping @Sendable () -> Date = { Date() },
        source: @escaping NodeReleaseSource = { version in try await fetchNodeRelease(version) }
    ) throws(AttestationError) {
        guard ReleaseVersion(minReleaseVersion) != nil, releaseVersion.map({ ReleaseVersion($0) != nil }) ?? true else {
            throw AttestationError(.invalidInput, "The release's version is not a version")
        }
        self.admin = admin
        self.profile = profile
        self.minReleaseVersion = minReleaseVersion
        self.releaseVersion = releaseVersion
        self.signer = signer
        self.trustRoot = trustRoot
        self.rootCA = rootCA
        self.clock = clock
        self.source = source
    }

    /// True, or it throws: `AttestationError`, `MeroError` when the node or the mirror does not answer, and
    /// `CancellationError`.
    public func verify(
        quoteB64: String, nonce: String, reportDataSuffix: String, collateral: JSONValue?
    ) async throws -> Bool {
        let version = try await fetchNodeReleaseVersion(admin: admin, releaseVersion: releaseVersion)
        let release = try await source(version)
        guard release.version == version else {
            throw AttestationError(.refused, "The release is not the one that was asked for")
        }
        let trusted = try trustSignedRelease(
            release, profile: profile, minReleaseVersion: minReleaseVersion, signer: signer, trustRoot: trustRoot)
        return try await QuoteVerifier(trusting: trusted, rootCA: rootCA, clock: clock).verify(
            quoteB64: quoteB64, nonce: nonce, reportDataSuffix: reportDataSuffix, collateral: collateral)
    }
}
