import Foundation

extension SseConnection {
    /// Seconds.
    struct Timing: Sendable {
        /// Between the end of one connection and the next attempt, unless the node asks for another time.
        var retryDelay: TimeInterval = 3
        /// Without any byte. A node sends a comment every 15 s.
        var inactivity: TimeInterval = 60
        /// Until the stream has opened with its first frame; and for the answer to a subscription.
        var opening: TimeInterval = 30

        /// What becomes of a node's wish. Spec: 40, section 2.7.
        static func retryDelay(asked milliseconds: UInt64) -> TimeInterval {
            min(max(Double(milliseconds) / 1000, 0.1), 60)
        }
    }

    /// What happens on the connection. All are called in order of happening, from any thread; they must be quick.
    struct Observer: Sendable {
        var deliver: @Sendable (_ events: [ContextEvent], _ byteCount: Int) -> Void
        /// A failed attempt, after which the next one follows.
        var failed: @Sendable (any Error) -> Void = { _ in }
        /// It is over: with an error, or because it was stopped.
        var ended: @Sendable ((any Error)?) -> Void = { _ in }
        var statusChanged: @Sendable (EventStreamStatus) -> Void = { _ in }
    }
}
