/// Body of `POST /groups/{id}/governance-intents`. Spec: 30, section 3.
public struct GovernanceIntentRequest: Codable, Sendable {
    /// The warrant, in hex.
    public var warrant: String
    /// The device's certificate, in hex.
    public var authorProof: String
    /// The change, borsh in hex.
    public var op: String

    /// Makes a value of its parts.
    public init(warrant: String, authorProof: String, op: String) {
        self.warrant = warrant
        self.authorProof = authorProof
        self.op = op
    }
}

/// What a change under a warrant came to. Spec: 30, section 3.
public struct GovernanceIntentResponseData: Codable, Sendable, Equatable {
    /// The group that was acted on.
    public let groupId: String
    /// After a founding: whether the namespace was opened to attested machines.
    public let teeEnabled: Bool?
    /// Why it was not.
    public let teeError: String?

    /// Makes a value of its parts.
    public init(groupId: String, teeEnabled: Bool? = nil, teeError: String? = nil) {
        self.groupId = groupId
        self.teeEnabled = teeEnabled
        self.teeError = teeError
    }
}
