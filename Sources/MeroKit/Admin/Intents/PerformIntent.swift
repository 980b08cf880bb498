/// Body of `POST /contexts/{id}/intents`. Spec: 20, section 4.7.
public struct PerformIntentRequest: Codable, Sendable {
    /// The contract's method.
    public var method: String
    /// Its arguments, as the warrant commits to them.
    public var argsJson: JSONValue
    /// The warrant, in hex.
    public var warrant: String
    /// The device's certificate, in hex.
    public var authorProof: String

    /// Makes a value of its parts.
    public init(method: String, argsJson: JSONValue, warrant: String, authorProof: String) {
        self.method = method
        self.argsJson = argsJson
        self.warrant = warrant
        self.authorProof = authorProof
    }
}

/// What a write under a warrant came to. Spec: 20, section 4.7.
public struct PerformIntentResponseData: Codable, Sendable {
    /// The root of the context's state after the write.
    public let rootHash: String
    /// What the method returned; nil for null.
    public let returns: JSONValue?

    /// Makes a value of its parts.
    public init(rootHash: String, returns: JSONValue? = nil) {
        self.rootHash = rootHash
        self.returns = returns
    }
}
