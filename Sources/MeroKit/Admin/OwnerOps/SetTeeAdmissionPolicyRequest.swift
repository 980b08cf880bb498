/// Body of `PUT /admin-api/groups/{id}/settings/tee-admission-policy`: either measurements or signed releases.
///
/// Make one with `measurement(…)` or `signedRelease(…)`.
///
/// Spec: 30, section 8.1.
public struct SetTeeAdmissionPolicyRequest: Codable, Sendable {
    /// Measurements of the environment.
    public var allowedMrtd: [String]
    /// Values of the first run-time register; may be empty.
    public var allowedRtmr0: [String]
    /// Values of the second run-time register.
    public var allowedRtmr1: [String]
    /// Values of the third run-time register.
    public var allowedRtmr2: [String]
    /// Values of the fourth run-time register.
    public var allowedRtmr3: [String]
    /// How up to date the platform has to be, e.g. `UpToDate`.
    public var allowedTcbStatuses: [String]
    /// Whether a mock environment will do.
    public var acceptMock: Bool
    /// Which signed releases are admitted. With it, all measurements are empty.
    public var signedRelease: SignedReleaseTeePolicy?
    /// What they are admitted as; the node takes nil for `replica`.
    public var mode: TeeAdmissionMode?
    /// Made by `AccountRoot.authorize`. Nil when the node holds the owner's root and signs by itself; never empty.
    public var rootProof: String?

    /// Makes a value of its parts.
    public init(
        allowedMrtd: [String], allowedRtmr0: [String], allowedRtmr1: [String], allowedRtmr2: [String],
        allowedRtmr3: [String], allowedTcbStatuses: [String], acceptMock: Bool,
        signedRelease: SignedReleaseTeePolicy? = nil, mode: TeeAdmissionMode? = nil, rootProof: String? = nil
    ) {
        self.allowedMrtd = allowedMrtd
        self.allowedRtmr0 = allowedRtmr0
        self.allowedRtmr1 = allowedRtmr1
        self.allowedRtmr2 = allowedRtmr2
        self.allowedRtmr3 = allowedRtmr3
        self.allowedTcbStatuses = allowedTcbStatuses
        self.acceptMock = acceptMock
        self.signedRelease = signedRelease
        self.mode = mode
        self.rootProof = rootProof
    }

    /// A policy that admits by measurement. All lists but that of the first register need an entry.
    public static func measurement(
        allowedMrtd: [String], allowedRtmr0: [String] = [], allowedRtmr1: [String], allowedRtmr2: [String],
        allowedRtmr3: [String], allowedTcbStatuses: [String], acceptMock: Bool = false,
        mode: TeeAdmissionMode? = nil, rootProof: String? = nil
    ) -> SetTeeAdmissionPolicyRequest {
        SetTeeAdmissionPolicyRequest(
            allowedMrtd: allowedMrtd, allowedRtmr0: allowedRtmr0, allowedRtmr1: allowedRtmr1,
            allowedRtmr2: allowedRtmr2, allowedRtmr3: allowedRtmr3, allowedTcbStatuses: allowedTcbStatuses,
            acceptMock: acceptMock, mode: mode, rootProof: rootProof)
    }

    /// A policy that admits signed releases.
    public static func signedRelease(
        _ policy: SignedReleaseTeePolicy, allowedTcbStatuses: [String], acceptMock: Bool = false,
        mode: TeeAdmissionMode? = nil, rootProof: String? = nil
    ) -> SetTeeAdmissionPolicyRequest {
        SetTeeAdmissionPolicyRequest(
            allowedMrtd: [], allowedRtmr0: [], allowedRtmr1: [], allowedRtmr2: [], allowedRtmr3: [],
            allowedTcbStatuses: allowedTcbStatuses, acceptMock: acceptMock, signedRelease: policy, mode: mode,
            rootProof: rootProof)
    }
}
