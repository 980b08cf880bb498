/// How recent a platform is, in Intel's words.
///
/// Spec: 80, section 4.2, step 11.
enum TcbStatus: String, Sendable, CaseIterable {
    case upToDate = "UpToDate"
    case swHardeningNeeded = "SWHardeningNeeded"
    case configurationNeeded = "ConfigurationNeeded"
    case configurationAndSWHardeningNeeded = "ConfigurationAndSWHardeningNeeded"
    case outOfDate = "OutOfDate"
    case outOfDateConfigurationNeeded = "OutOfDateConfigurationNeeded"
    case revoked = "Revoked"

    /// What is left of a platform's status once that of its TDX module or of its quoting enclave is known, too.
    func merged(with part: TcbStatus, of what: String) throws(AttestationError) -> TcbStatus {
        guard self != .revoked else { throw AttestationError(.unverified, "the platform is revoked") }
        switch part {
        case .upToDate: return self
        case .revoked: throw AttestationError(.unverified, "the \(what) is revoked")
        case .outOfDate: break
        default: throw AttestationError(.unverified, "the \(what) has a status that Intel publishes for none")
        }
        switch self {
        case .upToDate, .swHardeningNeeded: return .outOfDate
        case .configurationNeeded, .configurationAndSWHardeningNeeded: return .outOfDateConfigurationNeeded
        case .outOfDate, .outOfDateConfigurationNeeded, .revoked: return self
        }
    }
}
