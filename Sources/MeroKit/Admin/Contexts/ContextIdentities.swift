/// A key that a node made, and of which it keeps the private half.
///
/// Spec: 20, section 6.2.
public struct GenerateContextIdentityResponseData: Codable, Sendable {
    /// The public half.
    public let publicKey: String

    /// Makes a value of its parts.
    public init(publicKey: String) { self.publicKey = publicKey }
}

/// Signing keys of devices in a context. They are not account ids.
///
/// Spec: 20, section 6.2.
public struct GetContextIdentitiesResponseData: Codable, Sendable {
    /// Public keys.
    public let identities: [String]
    /// Whose they are; nil on old nodes, and for a word that this package does not know.
    public let identitiesOf: IdentitiesOf?

    /// Makes a value of its parts.
    public init(identities: [String], identitiesOf: IdentitiesOf? = nil) {
        self.identities = identities
        self.identitiesOf = identitiesOf
    }

    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identities: try fields.decode([String].self, forKey: .identities),
            identitiesOf: try fields.decodeKnown(IdentitiesOf.self, forKey: .identitiesOf))
    }
}

/// Whose keys a listing holds. Spec: 20, section 6.2.
public enum IdentitiesOf: String, Codable, Sendable {
    /// Of all members.
    case members
    /// Those that the node signs with.
    case node
    /// The devices of the account that asked.
    case caller
}
