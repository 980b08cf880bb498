/// What a write through a relay came to.
///
/// Spec: 60, section 5.
public struct IntentResult: Sendable, Equatable {
    /// The root of the context's state after the write; nil means unknown, never "nothing changed".
    public let rootHash: String?
    /// What the method returned; nil for null.
    public let returns: JSONValue?

    /// Makes a value of its parts.
    public init(rootHash: String?, returns: JSONValue?) {
        self.rootHash = rootHash
        self.returns = returns
    }
}

/// A context that a relay made.
///
/// Spec: 60, section 1.4.
public struct CreatedRelayContext: Codable, Sendable, Equatable {
    /// The new context.
    public let contextId: String
    /// The group that it belongs to.
    public let groupId: String
    /// The relay's identity in it.
    public let memberPublicKey: String

    /// Makes a value of its parts.
    public init(contextId: String, groupId: String, memberPublicKey: String) {
        self.contextId = contextId
        self.groupId = groupId
        self.memberPublicKey = memberPublicKey
    }
}
