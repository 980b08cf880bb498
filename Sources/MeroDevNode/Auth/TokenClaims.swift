/// What a token of this node says.
///
/// Spec: 10, section 7.3.
struct TokenClaims: Sendable, Equatable {
    enum Kind: String, Sendable {
        case access
        case refresh
    }

    var subject: String
    var keyId: String
    var expiresAt: Int64
    var issuedAt: Int64
    var tokenId: String
    var kind: Kind
    var permissions: [String]
    var nodeURL: String?
    var device: String?
    /// The host of `nodeURL`, filled in when a token is read: only there it is the same for many requests.
    var boundHost: String?
}

/// What is wrong with a token's text, its signature or its claims.
struct TokenProblem: Error, Sendable, Equatable {
    var detail: String
    init(_ detail: String) { self.detail = detail }
}

/// Why a token is not accepted.
enum TokenRefusal: Error, Sendable, Equatable {
    case invalid(TokenProblem)
    case expired
    case wrongHost(String)
    case keyUnknown
    case keyRevoked
    case keyExpired
    case storage
}

/// Who makes a request.
struct Caller: Sendable {
    var claims: TokenClaims
    var key: KeyRecord
    var scopes: ScopeSet

    /// The account whose session or proof this is; nil for the node's owner and for keys.
    var account: String? { key.authMethod == AuthService.accountProvider ? claims.subject : nil }

    /// The device that opened an account's session.
    var device: String? { account == nil ? nil : claims.device }

    /// A client key that is bound to a context or an application reaches no route about another one. Route templates
    /// name such parameters `{context}` and `{application}`.
    func isInsideBindings(_ parameters: [String: String]) -> Bool {
        func agrees(_ bound: String?, _ asked: String?) -> Bool {
            guard let bound, let asked else { return true }
            return bound.lowercased() == asked.lowercased()
        }
        return agrees(scopes.contextBinding?.resource, parameters["context"])
            && agrees(scopes.applicationBinding?.resource, parameters["application"])
    }
}
