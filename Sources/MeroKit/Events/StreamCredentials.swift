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
        case authorizer(SseAuthorizer)
    }

    let source: Source
    /// What a 401 leads to.
    var onRefused: StreamRefusal.Hook = { _, _ in .retryAfterDelay }
    /// Told once the node has revoked the credential, with the reason and the token that was shown.
    var onRevoked: @Sendable (_ reason: String, _ presented: String?) async -> Void = { _, _ in }
}
