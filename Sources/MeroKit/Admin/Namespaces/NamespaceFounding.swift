/// What a namespace's id is derived from, and what proves who founded it.
///
/// Spec: 30, section 4.1.
public struct NamespaceFounding: Codable, Sendable, Equatable {
    /// The founder's account.
    public let founderAccountId: String
    /// 32 bytes in hex.
    public let salt: String

    /// Makes a value of its parts.
    public init(founderAccountId: String, salt: String) {
        self.founderAccountId = founderAccountId
        self.salt = salt
    }
}
