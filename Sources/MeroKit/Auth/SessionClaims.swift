import Foundation

/// When a token expires, by its own account; `fallback` when it does not say.
///
/// The signature is not checked: only the node can. Spec: 10, section 7.2.
public func expiresAtFromJWT(_ token: String, fallback: Date) -> Date {
    SessionClaims(token: token)?.expiresAt ?? fallback
}

/// What a token says about its session.
///
/// For information only: the signature is not checked, and the node decides again on every call. Spec: 10, sections 7.2
/// to 7.4.
///
/// ```swift
/// if let claims = SessionClaims(token: tokens.accessToken), claims.grants("context:subscribe") { startEvents() }
/// ```
public struct SessionClaims: Sendable, Equatable {
    /// The user's opaque id, the account's for an account session.
    public let subject: String?
    /// The key behind the session. Tokens of nodes before rc.83 have none, and current nodes refuse them.
    public let keyId: String?
    /// What the session is bound to. Binds to a host only when it reads as a URL.
    public let nodeUrl: String?
    /// The device of an account session, hex.
    public let device: String?
    /// `access` or `refresh`.
    public let tokenType: String?
    /// The scopes of the session, an upper bound.
    public let permissions: [String]
    /// When the token was made.
    public let issuedAt: Date?
    /// A node accepts an access token up to 60 seconds longer.
    public let expiresAt: Date?

    /// Nil when the token is no JWT with a JSON object in it.
    public init?(token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])),
            let payload = try? JSONValue(jsonBytes: bytes), case .object = payload
        else { return nil }
        subject = payload["sub"]?.stringValue
        keyId = payload["key_id"]?.stringValue
        nodeUrl = payload["node_url"]?.stringValue
        device = payload["device"]?.stringValue
        tokenType = payload["token_type"]?.stringValue
        permissions = payload["permissions"]?.arrayValue?.compactMap(\.stringValue) ?? []
        // A time that no calendar shows is none.
        func time(_ name: String) -> Date? {
            payload[name]?.doubleValue.flatMap { seconds in
                seconds.magnitude < 1e12 ? Date(timeIntervalSince1970: seconds) : nil
            }
        }
        issuedAt = time("iat")
        expiresAt = time("exp")
    }

    /// Whether the session's permissions cover a scope, e.g. `context:execute` or `context:execute[<context>,,<method>]`.
    ///
    /// Advisory: true does not keep the node from answering 403.
    public func grants(_ scope: String) -> Bool {
        PermissionScope.grants(permissions, scope)
    }
}
