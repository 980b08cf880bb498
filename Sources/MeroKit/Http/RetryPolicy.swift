/// Which failures a client answers by sending the request again.
///
/// Whatever the policy: at most three attempts, about 250 ms and then 500 ms apart, never for an answer in the 400s
/// except 429, never for a request with `sendOnce`, and never after cancellation. Repeating a request once after a token
/// refresh is not a retry and happens under every policy. Spec: 10, section 2.5.
public enum RetryPolicy: Sendable, Equatable {
    /// Network failures, time-outs, HTTP 5xx and 429. **A write whose answer was lost may then run twice.**
    case documented
    /// Only failures in which the request cannot have reached the node. No method runs twice.
    case onlyIfUnsent
    /// One attempt.
    case never
}
