/// One way to log in to a node.
///
/// Spec: 10, section 9.4.
public struct Provider: Codable, Sendable {
    /// What `TokenRequest.authMethod` takes: `user_password`, `account_proof`.
    public var name: String
    /// `credentials`.
    public var type: String
    /// For a person.
    public var description: String
    /// For `user_password`: at least one user exists.
    public var configured: Bool
    /// The provider's own settings, none of them secret.
    public var config: [String: JSONValue]

    /// Makes a value of its parts.
    public init(name: String, type: String, description: String, configured: Bool, config: [String: JSONValue]) {
        self.name = name
        self.type = type
        self.description = description
        self.configured = configured
        self.config = config
    }
}

/// Answer of `GET /auth/providers`: exactly the providers that the node has enabled. Spec: 10, section 9.4.
public struct ProvidersResponse: Codable, Sendable {
    /// In the order of the node.
    public var providers: [Provider]
    /// How many there are.
    public var count: Int

    /// Makes a value of its parts.
    public init(providers: [Provider], count: Int) {
        self.providers = providers
        self.count = count
    }
}
