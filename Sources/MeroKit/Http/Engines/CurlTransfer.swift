#if canImport(CCurl)
    import Foundation

    /// One call on its way through the event loop: what to send, and who waits for the answer.
    ///
    /// Safe to share: `request` never changes; `isCancelled` is touched only under the lock of the loop's inbox;
    /// `continuation` is set before the transfer enters the inbox, and from then on it and `handle` belong to the event
    /// thread alone.
    final class CurlTransfer: @unchecked Sendable {
        typealias Outcome = Result<CurlAnswer, any Error>

        let request: EngineRequest
        var isCancelled = false
        var continuation: UnsafeContinuation<CurlAnswer, any Error>?
        /// The easy handle that carries the call while it is under way.
        var handle: CurlHandle?

        init(_ request: EngineRequest) { self.request = request }

        /// Answers the caller. Only the first call has an effect, so no race can resume a caller twice.
        func resume(_ outcome: Outcome) {
            guard let waiting = continuation else { return }
            continuation = nil
            waiting.resume(with: outcome)
        }
    }

    /// An answer as it came off the wire. Its header lines are parsed by the caller's task, not by the event thread.
    struct CurlAnswer: Sendable {
        var status: Int
        var headerLines: [UInt8]
        var body: Data

        func response() -> EngineResponse {
            EngineResponse(status: status, headers: CurlHeaderLines.parse(headerLines), body: body)
        }
    }
#endif
