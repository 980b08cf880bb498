import Foundation

/// The session of an account at a relay, opened when somebody asks for its token.
///
/// Held by the observer and by its streams, so that none of them keeps another alive. Spec: 60, section 9.2.
final class RelaySession: Sendable {
    private struct State {
        var tokens: TokenData?
        /// The next token follows one that the relay refused.
        var followsRefusal = false
        /// A token that followed a refused one and was not taken yet.
        var suspect: String?
    }

    private let login: @Sendable () async throws -> TokenData
    private let now: @Sendable () -> Date
    private let state = Locked(State())
    private let flight = SingleFlight<String>(endsWhenAbandoned: true)

    /// Seconds before its expiry from which on a token is not shown any more.
    private static let margin: TimeInterval = 30

    init(now: @escaping @Sendable () -> Date = { Date() }, login: @escaping @Sendable () async throws -> TokenData) {
        self.login = login
        self.now = now
    }

    /// The current token, or that of a login which all who ask meanwhile share.
    ///
    /// A failed login is not remembered. A caller that is cancelled leaves, and the login goes on for the others; once
    /// nobody waits for it, as when the observer or its streams are gone, it ends.
    func accessToken() async throws -> String {
        if let token = current { return token }
        return try await flight.value { [self] in
            // The flight before this one may have ended while its caller was on the way here.
            if let token = current { return token }
            let tokens = try await login()
            state.withLock { state in
                state.tokens = tokens
                if state.followsRefusal { state.suspect = tokens.accessToken }
                state.followsRefusal = false
            }
            return tokens.accessToken
        }.value
    }

    /// Nil also when the token does not say how long it lives: nobody guesses then.
    private var current: String? {
        guard let tokens = state.withLock({ $0.tokens }), let expiry = Self.expiry(of: tokens.accessToken),
            expiry.timeIntervalSince(now()) > Self.margin
        else { return nil }
        return tokens.accessToken
    }

    private static func expiry(of token: String) -> Date? { SessionClaims(token: token)?.expiresAt }

    func invalidate() { state.withLock { $0.tokens = nil } }

    /// A stream opened with this token.
    func accepted(_ token: String?) {
        state.withLock { if $0.suspect == token { $0.suspect = nil } }
    }

    /// The relay answered 401 to a stream with this token. False when a new login would not help either.
    func mayLogInAfterRefusal(of token: String?) -> Bool {
        state.withLock { state in
            let isFresh = token != nil && token == state.suspect
            if token == nil || state.tokens?.accessToken == token {
                state.tokens = nil
                state.followsRefusal = !isFresh
                state.suspect = nil
            }
            return !isFresh
        }
    }

    /// The streams' way to this session.
    var streamCredentials: StreamCredentials {
        StreamCredentials(
            source: .session { try await self.accessToken() },
            onRefused: { answer, presented in
                self.mayLogInAfterRefusal(of: presented) ? .retryNow : .finish(MeroError.http(answer))
            },
            onRevoked: { _, presented in _ = self.mayLogInAfterRefusal(of: presented) },
            onAccepted: { self.accepted($0) })
    }
}
