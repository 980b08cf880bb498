import Foundation

/// Makes the headers that authorise one request of an event stream: one `Authorization`, or one `X-Calimero-Proof`.
///
/// Asked once per request, with the path as it is sent (the base URL's own included) and the exact bytes of the body.
/// Throwing `MeroError.authRevoked` or a `MeroError.http` with a 4xx other than 429 ends the stream with that error; anything
/// else is a failed attempt, followed by the next after the usual delay. Spec: 40, section 2.8.
public typealias SseAuthorizer =
    @Sendable (_ method: String, _ path: String, _ body: Data?) async throws -> [String: String]

/// Who a stream speaks as, and whom it asks when the node does not agree.
struct StreamCredentials: Sendable {
    enum Source: Sendable {
        /// Asked once per connection attempt. Nil and blank: nobody is signed in at present.
        case bearer(@Sendable () async -> String?)
        /// Asked once per connection attempt for a token that may have to be fetched first. See `CredentialRefusal`.
        case session(@Sendable () async throws -> String)
        case authorizer(SseAuthorizer)
    }

    let source: Source
    /// What a 401 leads to.
    var onRefused: StreamRefusal.Hook = { _, _ in .retryAfterDelay }
    /// Told once the node has revoked the credential, with the reason and the token that was shown.
    var onRevoked: @Sendable (_ reason: String, _ presented: String?) async -> Void = { _, _ in }
    /// Told that the node took the token: a stream is open.
    var onAccepted: @Sendable (_ presented: String?) -> Void = { _ in }

    /// A token for a request; nil from an authorizer, which makes headers instead, and while nobody is signed in.
    ///
    /// Throws `CredentialRefusal` and what may be gone the next time.
    func token() async throws -> String? {
        switch source {
        case .authorizer: return nil
        case .bearer(let ask): return await ask().flatMap { $0.isBlank ? nil : $0 }
        case .session(let ask):
            do {
                return try await ask()
            } catch {
                throw CredentialRefusal(of: error) ?? error
            }
        }
    }
}

/// A credential could not be made, and asking again does not mend it.
struct CredentialRefusal: Error {
    let error: any Error

    init(error: any Error) { self.error = error }

    /// Nil for what may be gone a moment later.
    init?(of error: any Error) {
        switch error {
        case MeroError.authRevoked, AccountError.invalidInput: self.init(error: error)
        case MeroError.http(let answer) where 400..<500 ~= answer.status && answer.status != 429:
            self.init(error: error)
        default: return nil
        }
    }
}
