/// What a quote says, once Intel's signatures stand behind it.
///
/// Spec: 80, section 4.
public struct VerifiedReport: Sendable, Equatable {
    /// How recent the platform is, in Intel's words: `UpToDate`, `OutOfDate` and so on. Never `Revoked`.
    public let status: String
    /// Intel's advisories that apply to the platform, e.g. `INTEL-SA-00001`. None comes twice.
    public let advisoryIds: [String]
    /// What the environment is.
    public let report: TdReport
    /// The kind of platform, 12 hex characters.
    public let fmspc: String
}
