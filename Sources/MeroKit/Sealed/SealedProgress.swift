import Dispatch

/// Reports how far a sealed call has come, on a queue of its own, so that a slow listener holds up neither the thread of the
/// engine nor other calls: what arrives about ten times a second, what is sent as often as the carrier says.
///
/// Nothing is reported once the call has ended.
final class SealedProgress: Sendable {
    typealias Listener = @Sendable (TransferProgress) -> Void

    private struct State {
        var isOver = false
        var nextReceived: UInt64 = 0
        var lastSent: TransferProgress?
        var lastReceived: TransferProgress?

        /// False for what has been told already.
        mutating func takesSent(_ news: TransferProgress) -> Bool {
            defer { lastSent = news }
            return lastSent != news && !isOver
        }

        mutating func takesReceived(_ news: TransferProgress) -> Bool {
            defer { lastReceived = news }
            return lastReceived != news && !isOver
        }
    }

    private static let interval: UInt64 = 100_000_000

    private let upload: Listener?
    private let download: Listener?
    private let now: @Sendable () -> UInt64
    private let queue = DispatchQueue(label: "mero.sealed.progress")
    private let state = Locked(State())

    /// Nil when nobody listens.
    ///
    /// - Parameter now: nanoseconds; given only by tests.
    init?(
        upload: Listener?, download: Listener?,
        now: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds }
    ) {
        guard upload != nil || download != nil else { return nil }
        self.upload = upload
        self.download = download
        self.now = now
    }

    func sent(_ news: TransferProgress) {
        guard let upload, state.withLock({ $0.takesSent(news) }) else { return }
        tell(upload, news)
    }

    func received(_ news: TransferProgress) {
        guard let download else { return }
        let now = now()
        let isDue = state.withLock { state in
            guard now >= state.nextReceived, state.takesReceived(news) else { return false }
            state.nextReceived = now &+ Self.interval
            return true
        }
        if isDue { tell(download, news) }
    }

    /// The last reports of a call that came to its end; `work` runs when all have been delivered.
    func finish(sent: TransferProgress, received: TransferProgress, _ work: @escaping @Sendable () -> Void) {
        let (isSent, isReceived) = state.withLock { ($0.takesSent(sent), $0.takesReceived(received)) }
        if isSent, let upload { tell(upload, sent) }
        if isReceived, let download { tell(download, received) }
        queue.async { [self] in
            end()
            work()
        }
    }

    /// Drops what has not been delivered yet.
    func end() { state.withLock { $0.isOver = true } }

    private func tell(_ listener: @escaping Listener, _ news: TransferProgress) {
        queue.async { [self] in if !state.withLock({ $0.isOver }) { listener(news) } }
    }
}
