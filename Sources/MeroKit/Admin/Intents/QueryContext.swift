/// Body of `POST /contexts/{id}/query`. Spec: 20, section 6.6.
public struct QueryContextRequest: Codable, Sendable {
    /// The contract's method.
    public var method: String
    /// Its arguments.
    public var argsJson: JSONValue

    /// Makes a value of its parts.
    public init(method: String, argsJson: JSONValue = .object([:])) {
        self.method = method
        self.argsJson = argsJson
    }
}

/// What a read as an account returned. Spec: 20, section 6.6.
public struct QueryContextResponseData: Codable, Sendable {
    /// What the method returned; nil for null.
    public let returns: JSONValue?

    /// Makes a value of its parts.
    public init(returns: JSONValue? = nil) { self.returns = returns }
}
