/// How an HTTP client gets at a session's tokens. `Mero` wires these into its own state; set them yourself only when
/// you use `URLSessionHttpClient` without a `Mero`.
///
/// Spec: 10, sections 2.1 and 4.
public struct TransportHooks: Sendable {
    /// The access token to send right now; nil or blank sends none.
    public var getAuthToken: (@Sendable () async -> String?)?
    /// Performs one refresh, persists the rotated bundle and returns the new access token. Never called twice at once.
    /// A hook that throws `MeroError.authRevoked` has dropped the bundle itself.
    public var refreshToken: (@Sendable () async throws -> String)?
    /// Told the new access token once for each refresh that really happened, before any waiting call is repeated.
    public var onTokenRefresh: (@Sendable (String) async -> Void)?
    /// The token family is gone: drop the bundle.
    public var onAuthRevoked: (@Sendable () async -> Void)?

    /// Like `onAuthRevoked`, told in addition why, and which token the terminal answer was given for. With it the owner
    /// of the session can compare and clear in one step.
    var onTokenRefused: (@Sendable (_ reason: String, _ presented: String?) async -> Void)?

    /// Asked for headers before every single request to the base URL's origin, repetitions included: a proof covers one
    /// request. What it throws ends the call. With it set, `getAuthToken` should be nil.
    var authorize: (@Sendable (_ method: String, _ path: String, _ body: HttpBody?) async throws -> [String: String])?

    /// Hooks; all may be nil, and then requests carry no token.
    public init(
        getAuthToken: (@Sendable () async -> String?)? = nil,
        refreshToken: (@Sendable () async throws -> String)? = nil,
        onTokenRefresh: (@Sendable (String) async -> Void)? = nil,
        onAuthRevoked: (@Sendable () async -> Void)? = nil
    ) {
        self.getAuthToken = getAuthToken
        self.refreshToken = refreshToken
        self.onTokenRefresh = onTokenRefresh
        self.onAuthRevoked = onAuthRevoked
    }
}

extension TransportHooks {
    /// The token to send, nil for none: a blank one counts as none.
    func currentToken() async -> String? {
        guard let token = await getAuthToken?(), !token.isBlank else { return nil }
        return token
    }
}

extension String {
    var isBlank: Bool {
        // Whatever begins with a visible ASCII character, as tokens do.
        if let first = utf8.first, 0x21...0x7e ~= first { return false }
        return allSatisfy(\.isWhitespace)
    }
}
