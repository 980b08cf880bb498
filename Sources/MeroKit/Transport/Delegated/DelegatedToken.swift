import Foundation

/// The token of an account's session at a relay, for its reads.
///
/// Not the observer's: a token that hides its lifetime goes on being used here, and a failed login is no error, since the
/// request then goes out bare and its 401 says more. Spec: 60, section 9.3.
final class DelegatedToken: Sendable {
    private let login: @Sendable () async throws -> TokenData
    private let now: @Sendable () -> Date
    private let tokens = Locked<TokenData?>(nil)
    private let flight = SingleFlight<String?>(endsWhenAbandoned: true)

    private static let margin: TimeInterval = 30

    init(now: @escaping @Sendable () -> Date = { Date() }, login: @escaping @Sendable () async throws -> TokenData) {
        self.login = login
        self.now = now
    }

    /// Nil when there is no session to be had. Throws `CancellationError` only.
    func token() async throws -> String? {
        if let token = current { return token }
        return try await flight.value { [self] in
            if let token = current { return token }
            guard let tokens = try? await login() else { return nil }
            self.tokens.withLock { $0 = tokens }
            return tokens.accessToken
        }.value
    }

    private var current: String? {
        guard let token = tokens.withLock({ $0?.accessToken }) else { return nil }
        guard let expiry = SessionClaims(token: token)?.expiresAt else { return token }
        return expiry.timeIntervalSince(now()) > Self.margin ? token : nil
    }
}
