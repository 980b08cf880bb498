/// Body of `POST /groups/{id}/context-intents`. Spec: 20, section 4.7.
public struct CreateContextIntentRequest: Codable, Sendable {
    /// The warrant, in hex.
    public var warrant: String
    /// The device's certificate, in hex.
    public var authorProof: String
    /// Arguments of the application's own initialisation, as the warrant commits to them.
    public var initArgs: JSONValue

    /// Makes a value of its parts.
    public init(warrant: String, authorProof: String, initArgs: JSONValue = .object([:])) {
        self.warrant = warrant
        self.authorProof = authorProof
        self.initArgs = initArgs
    }
}

/// A context that was made under a warrant. Spec: 20, section 4.7.
public struct CreateContextIntentResponseData: Codable, Sendable, Equatable {
    /// The new context.
    public let contextId: String
    /// The group that it belongs to.
    public let groupId: String
    /// The node's identity in it.
    public let memberPublicKey: String

    /// Makes a value of its parts.
    public init(contextId: String, groupId: String, memberPublicKey: String) {
        self.contextId = contextId
        self.groupId = groupId
        self.memberPublicKey = memberPublicKey
    }
}
