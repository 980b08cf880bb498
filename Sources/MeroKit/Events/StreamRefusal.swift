/// How an event stream goes on after the node refused it with a 401.
enum StreamRefusal: Sendable {
    /// There is another credential: open the stream again without waiting.
    case retryNow
    /// Open it again after the usual delay.
    case retryAfterDelay
    /// The stream ends with this error.
    case finish(any Error)

    /// Asked before the next attempt, with the answer that refused. Given by the stream's owner, which can refresh a token or
    /// replace a credential; it must not return before that is done.
    ///
    /// Spec: 40, section 2.3.
    typealias Hook = @Sendable (HTTPError) async -> StreamRefusal
}
