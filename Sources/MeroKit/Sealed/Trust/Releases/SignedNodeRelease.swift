import Foundation

/// Verifies that Calimero's release workflow signed a file of measurements, and reads it. Asks nobody and no clock: a release
/// that verifies once always does.
///
/// Throws `AttestationError`. Spec: 80, section 7.4.
///
/// - Parameters:
///   - publishedMrtds: The exact bytes of `published-mrtds.json`.
///   - bundle: The text of the bundle that cosign wrote beside it.
///   - expectedVersion: What the release's tag has to be; nil takes any. See `trustSignedRelease` for a floor.
///   - detachedSignature: The text of the `.sig` file, which then has to be that of the bundle.
///   - signer: Who has to have signed.
///   - trustRoot: Whose certificates and log entries count; nil: Sigstore's public good instance.
public func verifySignedNodeRelease(
    publishedMrtds: Data, bundle: Data, expectedVersion: String? = nil, detachedSignature: String? = nil,
    signer: ReleaseSigner = ReleaseSigner(), trustRoot: SigstoreTrustRoot? = nil
) throws(AttestationError) -> PublishedMrtds {
    try SignedNodeRelease(file: publishedMrtds, bundle: CosignBundle(text: bundle)).verified(
        expectedVersion, detachedSignature, signer, trustRoot)
}

/// The same for a bundle that is part of a larger JSON text.
public func verifySignedNodeRelease(
    publishedMrtds: Data, bundle: JSONValue, expectedVersion: String? = nil, detachedSignature: String? = nil,
    signer: ReleaseSigner = ReleaseSigner(), trustRoot: SigstoreTrustRoot? = nil
) throws(AttestationError) -> PublishedMrtds {
    try SignedNodeRelease(file: publishedMrtds, bundle: CosignBundle(bundle)).verified(
        expectedVersion, detachedSignature, signer, trustRoot)
}

/// What a release that is not older than a minimum lets one trust.
///
/// The minimum is not optional: signatures never expire, and an old image whose flaws are known would pass without it. Throws
/// `AttestationError`. Spec: 80, section 7.5.
///
/// - Parameters:
///   - release: As it was handed out.
///   - profile: `locked-read-only` in production.
///   - minReleaseVersion: The oldest version that is trusted, e.g. `2.3.99`.
///   - signer: Who has to have signed.
///   - trustRoot: Whose certificates and log entries count; nil: Sigstore's public good instance.
public func trustSignedRelease(
    _ release: NodeRelease, profile: String, minReleaseVersion: String, signer: ReleaseSigner = ReleaseSigner(),
    trustRoot: SigstoreTrustRoot? = nil
) throws(AttestationError) -> TrustedMeasurements {
    guard let version = ReleaseVersion(release.version) else {
        throw AttestationError(.malformed, "The release's version is not a version")
    }
    guard let minimum = ReleaseVersion(minReleaseVersion) else {
        throw AttestationError(.invalidInput, "The minimum release version is not a version")
    }
    let published = try verifySignedNodeRelease(
        publishedMrtds: Data(release.publishedMrtds.utf8), bundle: Data(release.bundle.utf8),
        expectedVersion: release.version, signer: signer, trustRoot: trustRoot)
    guard version >= minimum else {
        throw AttestationError(
            .refused, "Release \(version.text) is older than the minimum trusted, \(minimum.text)")
    }
    return try trustedMeasurements(fromReleases: [published], profile: profile)
}

/// A file and the bundle that is said to sign it.
///
/// Spec: 80, section 7.4.
struct SignedNodeRelease {
    let file: Data
    let bundle: CosignBundle

    func verified(
        _ expectedVersion: String?, _ detachedSignature: String?, _ signer: ReleaseSigner,
        _ trustRoot: SigstoreTrustRoot?
    ) throws(AttestationError) -> PublishedMrtds {
        let root = if let trustRoot { trustRoot } else { try SigstoreTrustRoot.publicGood() }
        if let detachedSignature {
            guard Self.trimmed(detachedSignature) == Self.trimmed(bundle.signatureText) else {
                throw AttestationError(.unverified, "The detached signature is not the one in the bundle")
            }
        }
        try checkLog(root)
        let entry = try RekorEntry(body: bundle.body)
        guard entry.fileHash == Hex.encode(sha256(file)) else {
            throw AttestationError(.unverified, "The file's SHA-256 is not the one Rekor logged")
        }
        guard entry.signature == bundle.signature else {
            throw AttestationError(.unverified, "The bundle's signature is not the one Rekor logged")
        }
        let der = try Self.certificate(bundle.certificate, "The bundle's certificate")
        guard try Self.certificate(entry.certificate, "Rekor's certificate") == der else {
            throw AttestationError(.unverified, "The bundle's certificate is not the one Rekor logged")
        }
        let leaf = try naming("The bundle's certificate") { () throws(AttestationError) in
            try X509Certificate(der: der)
        }
        guard leaf.publicKey.curve == .p256,
            leaf.publicKey.verifies(der: bundle.signature, over: Array(file), hash: .sha256)
        else { throw AttestationError(.unverified, "The file is not signed by the key of the bundle's certificate") }
        try FulcioChain(authorities: root.authorities).check(leaf, at: bundle.integratedTime)
        try FulcioIdentity(leaf).check(signer)
        return try measurements(expectedVersion)
    }

    private func checkLog(_ root: SigstoreTrustRoot) throws(AttestationError) {
        let id = bundle.logId.lowercased()
        guard let log = root.logs.first(where: { $0.id == id }) else {
            throw AttestationError(.unverified, "The bundle names a log which the Sigstore trust root does not know")
        }
        guard log.key.verifies(der: bundle.signedEntryTimestamp, over: bundle.signedEntry, hash: .sha256) else {
            throw AttestationError(.unverified, "Rekor's signed entry timestamp does not verify")
        }
        guard bundle.integratedTime >= log.start, bundle.integratedTime <= log.end ?? .max else {
            throw AttestationError(.unverified, "The entry was logged when its log was not in use")
        }
    }

    /// The workflow signs other files, too, that also have a role and profiles.
    private func measurements(_ expectedVersion: String?) throws(AttestationError) -> PublishedMrtds {
        let published = try PublishedMrtds(file: file)
        guard published.role == "node" else {
            throw AttestationError(.refused, "The signed release is not of a node image")
        }
        let isMeasured = published.profiles.values.allSatisfy { profile in
            profile.measurements.registers.allSatisfy { TdMeasurements.isRegister($0.value) }
        }
        guard let tag = published.tag, !published.profiles.isEmpty, isMeasured else {
            throw PublishedMrtds.notMeasurements
        }
        guard expectedVersion.map({ Array($0.utf8) == Array(tag.utf8) }) ?? true else {
            throw AttestationError(.refused, "The signed release is \(tag), not \(expectedVersion ?? "")")
        }
        return published
    }

    private static func certificate(_ pem: [UInt8], _ what: String) throws(AttestationError) -> [UInt8] {
        let blocks = try naming(what) { () throws(AttestationError) in try PemBlocks.decode(pem) }
        guard blocks.count == 1 else {
            throw AttestationError(.malformed, "\(what) is not exactly one PEM certificate")
        }
        return blocks[0]
    }

    private static func trimmed(_ text: String) -> [UInt8] {
        Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }
}
