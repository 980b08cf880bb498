import Foundation

/// Something that goes wrong with a request on purpose.
///
/// A request takes the injected faults that match it in the order of their injection, up to and including the first that
/// settles its outcome; ``delay(_:)`` and ``slowBody(chunk:interval:)`` settle nothing and so combine with what follows.
/// Faults behind the settling one wait for the next request, so that several injections read as a script.
public enum DevFault: Sendable {
    /// Waits this many seconds, then goes on.
    case delay(TimeInterval)
    /// Never answers. Ends when the client leaves or the node stops.
    case stall
    /// The connection is dropped without an answer; the handler never runs.
    case cutBeforeHandler
    /// The handler runs, then the connection is dropped without an answer.
    case cutAfterHandler
    /// The head of the answer and this many bytes of its body (never all of them), then the connection is dropped.
    case cutMidBody(after: Int)
    /// This answer instead of running the handler.
    case status(Int, retryAfter: String? = nil, body: Data? = nil, headers: [String: String] = [:])
    /// The answer trickles: `chunk` bytes, then `interval` seconds of silence.
    case slowBody(chunk: Int, interval: TimeInterval)
    /// 200 with these bytes, whatever they are, instead of running the handler.
    case answer(Data, contentType: String = "application/json")
    /// This request's access token counts as expired: 401 with `x-auth-error: token_expired`.
    case tokenExpired
    /// Revokes the key behind the caller's token first, then lets the guard judge the request.
    case revokeFamily
}
