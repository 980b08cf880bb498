import Foundation

/// The user of the cloud who is signed in.
///
/// Spec: 70, section 2.2.
public struct CloudUser: Codable, Sendable, Equatable {
    /// Empty while it is unknown: a client made from a stored token does not know whose it is.
    public let email: String
    /// The name to show.
    public let name: String?
    /// The URL of a portrait.
    public let picture: String?

    /// Makes a value of its parts.
    public init(email: String, name: String? = nil, picture: String? = nil) {
        self.email = email
        self.name = name
        self.picture = picture
    }
}

/// A login to the cloud: which user is signed in. It says nothing about accounts and devices.
///
/// As JSON it is the cloud's own `{"session_token": …, "expires_at": …, "user": {…}}`. Printing it never shows the token.
/// Spec: 70, section 2.2.
public struct CloudLoginSession: Codable, Sendable, Equatable {
    /// Sent with every call as this user. The cloud replaces it now and then.
    public let sessionToken: String
    /// Unix seconds; 0 means that it is unknown, never that it has passed.
    public let expiresAt: Int64
    /// Who is signed in.
    public let user: CloudUser

    /// Makes a value of its parts.
    public init(sessionToken: String, expiresAt: Int64, user: CloudUser) {
        self.sessionToken = sessionToken
        self.expiresAt = expiresAt
        self.user = user
    }

    private enum CodingKeys: String, CodingKey {
        case sessionToken = "session_token"
        case expiresAt = "expires_at"
        case user
    }

    /// Throws `MeroError.decoding` without a token.
    init(_ answer: JSONValue) throws {
        guard let token = answer.text("session_token") else {
            throw MeroError.decoding("the cloud's login brought no session token")
        }
        let user = answer["user"]
        self.init(
            sessionToken: token, expiresAt: answer.integer("expires_at") ?? 0,
            user: CloudUser(
                email: user?["email"]?.stringValue ?? "", name: user?["name"]?.stringValue,
                picture: user?["picture"]?.stringValue))
    }

    /// The same user's session after the cloud replaced the token. An expiry that is no positive number changes nothing.
    func rolled(to token: String, expires: String?) -> CloudLoginSession {
        let seconds = expires.flatMap { Double($0.trimmingCharacters(in: .whitespaces)) }.flatMap { seconds in
            seconds > 0 ? Int64(exactly: seconds.rounded(.down)) : nil
        }
        return CloudLoginSession(sessionToken: token, expiresAt: seconds ?? expiresAt, user: user)
    }
}

extension CloudLoginSession: Redacting {
    var printedFields: [PrintedField] {
        [.secret("sessionToken"), .shown("expiresAt", expiresAt), .shown("user", user)]
    }
}

/// Something of the cloud's to sign with an account's root.
///
/// Spec: 70, sections 3.1 and 3.3.
public struct CloudChallenge: Sendable, Equatable {
    /// Signed as it stands; opaque, good once.
    public let nonce: String
    /// Milliseconds since 1970; nil when the cloud does not say.
    public let expiresAtMs: Int64?

    /// Makes a value of its parts.
    public init(nonce: String, expiresAtMs: Int64?) {
        self.nonce = nonce
        self.expiresAtMs = expiresAtMs
    }

    /// Throws `MeroError.decoding` without a nonce.
    init(_ answer: JSONValue) throws {
        guard let nonce = answer.text("nonce") else { throw MeroError.decoding("the cloud's challenge has no nonce") }
        self.init(nonce: nonce, expiresAtMs: answer.integer("expires_at_ms"))
    }
}

/// An account root's answer to a challenge of the cloud.
///
/// Made by `loginProof` and `linkProof` of a root in memory, or by whatever else holds the root, e.g. a node's
/// `sign-with-root`. Spec: 50, section 18.2.
public struct AccountRootProof: Sendable, Equatable {
    /// 64 hex characters.
    public let rootPublicKey: String
    /// The challenge's nonce, as it came.
    public let nonce: String
    /// In base64.
    public let signature: String

    /// Makes a value of its parts.
    public init(rootPublicKey: String, nonce: String, signature: String) {
        self.rootPublicKey = rootPublicKey
        self.nonce = nonce
        self.signature = signature
    }

    init(_ proof: CloudProof, nonce: String, root: AccountRoot) throws {
        self.init(rootPublicKey: root.publicKey, nonce: nonce, signature: try root.answer(proof, nonce: nonce))
    }

    /// Of a root, that its account signs in to the cloud. Throws `AccountError.invalidInput`.
    public static func loginProof(nonce: String, root: AccountRoot) throws -> AccountRootProof {
        try AccountRootProof(.accountLogin, nonce: nonce, root: root)
    }

    /// Of a root, that its account belongs to a cloud user. A grant is signed like a nonce. Throws
    /// `AccountError.invalidInput`.
    public static func linkProof(nonce: String, root: AccountRoot) throws -> AccountRootProof {
        try AccountRootProof(.accountLink, nonce: nonce, root: root)
    }
}
