/// A context that was joined.
///
/// Spec: 20, section 6.3.
public struct JoinContextResponseData: Codable, Sendable {
    /// The context.
    public let contextId: String
    /// The key that the node signs with in it.
    public let memberPublicKey: String

    /// Makes a value of its parts.
    public init(contextId: String, memberPublicKey: String) {
        self.contextId = contextId
        self.memberPublicKey = memberPublicKey
    }
}
