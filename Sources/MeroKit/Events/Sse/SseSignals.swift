/// What a stream has said about itself and nobody has attended to yet.
///
/// However often a node says it, only what still counts is kept: the last session, and that something was lost or is over.
final class SseSignals: Sendable {
    private struct State {
        var sessionId: String?
        var isLost = false
    }

    private let state = Locked(State())
    /// One element, however much is to be taken.
    let news: AsyncStream<Void>
    /// One element once the connection is of no use any more. A stream of its own: it must be heard while a session that
    /// was announced is still being subscribed to.
    let end: AsyncStream<Void>
    private let newsContinuation: AsyncStream<Void>.Continuation
    private let endContinuation: AsyncStream<Void>.Continuation

    init() {
        (news, newsContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (end, endContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func put(_ signal: SseReceiver.Signal) {
        switch signal {
        case .connected(let sessionId): state.withLock { $0.sessionId = sessionId }
        case .lost: state.withLock { $0.isLost = true }
        case .over:
            endContinuation.yield()
            return
        }
        newsContinuation.yield()
    }

    /// A session that was announced and not taken up yet.
    var hasSession: Bool { state.withLock { $0.sessionId != nil } }

    func take() -> (sessionId: String?, isLost: Bool) {
        state.withLock { state in
            defer { state = State() }
            return (state.sessionId, state.isLost)
        }
    }
}
