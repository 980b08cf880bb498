/// Which trusted environments a namespace admits.
///
/// Spec: 30, section 8.1.
public struct GetTeeAdmissionPolicyResponseData: Codable, Sendable {
    /// Measurements of the environment.
    public let allowedMrtd: [String]
    /// Values of the first run-time register.
    public let allowedRtmr0: [String]
    /// Values of the second run-time register.
    public let allowedRtmr1: [String]
    /// Values of the third run-time register.
    public let allowedRtmr2: [String]
    /// Values of the fourth run-time register.
    public let allowedRtmr3: [String]
    /// How up to date the platform has to be, e.g. `UpToDate`.
    public let allowedTcbStatuses: [String]
    /// Whether a mock environment will do.
    public let acceptMock: Bool
    /// Whether there is a policy; nil on old nodes.
    public let enabled: Bool?
    /// Which signed releases are admitted.
    public let signedRelease: SignedReleaseTeePolicy?
    /// What they are admitted as; nil on old nodes, and for an unknown word.
    public let mode: TeeAdmissionMode?

    /// Makes a value of its parts.
    public init(
        allowedMrtd: [String], allowedRtmr0: [String], allowedRtmr1: [String], allowedRtmr2: [String],
        allowedRtmr3: [String], allowedTcbStatuses: [String], acceptMock: Bool, enabled: Bool? = nil,
        signedRelease: SignedReleaseTeePolicy? = nil, mode: TeeAdmissionMode? = nil
    ) {
        self.allowedMrtd = allowedMrtd
        self.allowedRtmr0 = allowedRtmr0
        self.allowedRtmr1 = allowedRtmr1
        self.allowedRtmr2 = allowedRtmr2
        self.allowedRtmr3 = allowedRtmr3
        self.allowedTcbStatuses = allowedTcbStatuses
        self.acceptMock = acceptMock
        self.enabled = enabled
        self.signedRelease = signedRelease
        self.mode = mode
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            allowedMrtd: try fields.decode([String].self, forKey: .allowedMrtd),
            allowedRtmr0: try fields.decode([String].self, forKey: .allowedRtmr0),
            allowedRtmr1: try fields.decode([String].self, forKey: .allowedRtmr1),
            allowedRtmr2: try fields.decode([String].self, forKey: .allowedRtmr2),
            allowedRtmr3: try fields.decode([String].self, forKey: .allowedRtmr3),
            allowedTcbStatuses: try fields.decode([String].self, forKey: .allowedTcbStatuses),
            acceptMock: try fields.decode(Bool.self, forKey: .acceptMock),
            enabled: try fields.decodeIfPresent(Bool.self, forKey: .enabled),
            signedRelease: try fields.decodeIfPresent(SignedReleaseTeePolicy.self, forKey: .signedRelease),
            mode: try fields.decodeKnown(TeeAdmissionMode.self, forKey: .mode))
    }
}
