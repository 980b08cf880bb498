/// The images, and the states of their platforms, that are trusted.
///
/// Spec: 80, section 6.2.
public struct TrustedMeasurements: Sendable, Equatable {
    /// An environment has to be exactly one of these.
    public var allowedMeasurements: [TdMeasurements]
    /// In Intel's words, e.g. `UpToDate`.
    public var allowedTcbStatuses: [String]

    /// Makes a value of its parts.
    public init(allowedMeasurements: [TdMeasurements], allowedTcbStatuses: [String] = ["UpToDate"]) {
        self.allowedMeasurements = allowedMeasurements
        self.allowedTcbStatuses = allowedTcbStatuses
    }
}

/// What releases say may be trusted: each one's image of a profile, and the statuses that all of them take.
///
/// During a roll-out pass the old release and the new one. Throws `AttestationError`: `.refused` when they do not agree on any
/// status, or one is not of a node image or does not have the profile. Spec: 80, section 6.2.
///
/// - Parameters:
///   - releases: Whose signatures were verified, see `verifySignedNodeRelease`.
///   - profile: `locked-read-only` in production. `debug` images give whoever runs them a shell.
public func trustedMeasurements(
    fromReleases releases: [PublishedMrtds], profile: String
) throws(AttestationError) -> TrustedMeasurements {
    guard !releases.isEmpty else { throw AttestationError(.invalidInput, "No release given") }
    var trusted = TrustedMeasurements(allowedMeasurements: [], allowedTcbStatuses: [])
    for (index, release) in releases.enumerated() {
        let tag = release.tag ?? "without a tag"
        guard release.role ?? "node" == "node" else {
            throw AttestationError(.refused, "Release \(tag) is not of a node image")
        }
        guard let found = release.profiles[profile] else {
            throw AttestationError(.refused, "Release \(tag) has no profile \"\(profile)\"")
        }
        var statuses: [String] = []
        for text in found.allowedTcbStatuses ?? ["uptodate"] {
            // A revoked platform is never trusted, whoever says so.
            let known = TcbStatus.allCases.filter { $0 != .revoked }
            guard let status = known.first(where: { $0.rawValue.lowercased() == text.lowercased() }) else {
                throw AttestationError(.refused, "Release \(tag) allows a TCB status that this client does not know")
            }
            statuses.append(status.rawValue)
        }
        if index == 0 {
            trusted.allowedTcbStatuses = statuses.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        } else {
            trusted.allowedTcbStatuses.removeAll { !statuses.contains($0) }
        }
        trusted.allowedMeasurements.append(found.measurements)
    }
    guard !trusted.allowedTcbStatuses.isEmpty else {
        throw AttestationError(.refused, "The releases have no TCB status in common")
    }
    return trusted
}
