/// Body of `POST /admin-api/account/sign-with-root`.
///
/// Spec: 30, section 11.5.
public struct AccountSignWithRootRequest: Codable, Sendable {
    /// One of `linkDomain`, `loginDomain` and `recoveryDomain`.
    public var domain: String
    /// At most 4096 bytes in hex.
    public var payload: String

    /// Makes a value of its parts.
    public init(domain: String, payload: String) {
        self.domain = domain
        self.payload = payload
    }

    /// For the link of an account to a cloud user.
    public static let linkDomain = "mdma.account-link"
    /// For a login at the cloud.
    public static let loginDomain = "mdma.account-login"
    /// For the recovery of an account.
    public static let recoveryDomain = "mdma.account-recovery"

    /// The same for a text, whose UTF-8 is signed.
    public init(domain: String, text: String) { self.init(domain: domain, payload: Hex.encode(text.utf8)) }
}

/// A signature by the root of the node's account, over the domain and the payload.
///
/// Spec: 30, section 11.5.
public struct AccountSignWithRootResponseData: Codable, Sendable, Equatable {
    /// The root's key, hex.
    public let rootPublicKey: String
    /// Ed25519, base64.
    public let signature: String
    /// The account, hex.
    public let accountId: String

    /// Makes a value of its parts.
    public init(rootPublicKey: String, signature: String, accountId: String) {
        self.rootPublicKey = rootPublicKey
        self.signature = signature
        self.accountId = accountId
    }
}
