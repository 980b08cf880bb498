/// Body of `POST /contexts/{id}/presence-intents`: a signed presence statement.
///
/// Context and author are not in it: the path and the certificate name them. Spec: 40, section 5.2.
public struct PresenceIntentRequest: Codable, Sendable {
    /// What is published, in hex. Nil retracts, and is sent as `null`.
    public var state: String?
    /// Rises with every statement in the context.
    public var seq: UInt64
    /// Milliseconds since 1970.
    public var sentAtMs: UInt64
    /// By the device, 128 hex characters.
    public var signature: String
    /// The device's certificate, in hex.
    public var authorProof: String

    /// Makes a value of its parts.
    public init(state: String?, seq: UInt64, sentAtMs: UInt64, signature: String, authorProof: String) {
        self.state = state
        self.seq = seq
        self.sentAtMs = sentAtMs
        self.signature = signature
        self.authorProof = authorProof
    }

    /// Writes a missing state as `null`: without the key a node refuses the body.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(state, forKey: .state)
        try container.encode(seq, forKey: .seq)
        try container.encode(sentAtMs, forKey: .sentAtMs)
        try container.encode(signature, forKey: .signature)
        try container.encode(authorProof, forKey: .authorProof)
    }
}
