import Foundation
import MeroKit

/// One event stream, from the command's start to whatever ends it.
struct StreamRun: Sendable {
    enum End: Sendable {
        /// The command has what it wants.
        case enough
        /// The time is up.
        case timeUp
    }

    let sse: SseClient
    var contexts: [String] = []
    var groups: [String] = []
    /// Seconds, nil for no end.
    let timeLimit: TimeInterval?
    let output: any TextSink

    /// What a command does with it. Calls overlap only between the three.
    struct Handlers: Sendable {
        /// Returns false when no more events are wanted.
        let event: @Sendable (ContextEvent) async throws -> Bool
        let status: @Sendable (EventStreamStatus) async throws -> Void
        /// Called twice a second. Returns as `event` does.
        var tick: (@Sendable () async throws -> Bool)?
    }

    /// - Throws: What a handler throws, what ends the stream (`MeroError`), `OutputClosed` when the reader of the output has
    ///   left, `CancellationError`.
    func run(_ handlers: Handlers) async throws -> End {
        let (statuses, reported) = AsyncStream.makeStream(of: EventStreamStatus.self)
        let events = sse.events(contextIds: contexts, groupIds: groups) { reported.yield($0) }
        return try await withThrowingTaskGroup(of: End.self) { group in
            let failure = Locked<(any Error)?>(nil)
            group.addTask {
                do {
                    for try await event in events where try await !handlers.event(event) { return .enough }
                    // Without an error a stream ends only with the task.
                    throw CancellationError()
                } catch let error as MeroError {
                    // What the status has to say about it comes first.
                    failure.withLock { $0 = error }
                    reported.finish()
                    while true { try await Task.sleep(nanoseconds: 3_600_000_000_000) }
                }
            }
            group.addTask {
                for await status in statuses {
                    try await handlers.status(status)
                    if let error = status.lastError as? MeroError, error.meansSignedOut { throw error }
                }
                try Task.checkCancellation()
                throw failure.withLock { $0 } ?? CancellationError()
            }
            group.addTask {
                try await output.untilClosed()
                throw OutputClosed()
            }
            if let timeLimit {
                group.addTask {
                    try await Task.sleep(nanoseconds: UInt64(timeLimit * 1e9))
                    return .timeUp
                }
            }
            if let tick = handlers.tick {
                group.addTask {
                    while true {
                        try await Task.sleep(nanoseconds: 500_000_000)
                        if try await !tick() { return .enough }
                    }
                }
            }
            defer { group.cancelAll() }
            guard let end = try await group.next() else { throw CancellationError() }
            return end
        }
    }
}

extension MeroError {
    /// An app's stream would wait until somebody signs in again, which a command cannot see.
    fileprivate var meansSignedOut: Bool {
        switch self {
        case .noCredentials: return true
        case .http(let answer): return answer.status == 401 && answer.headers["x-auth-error"] != "token_expired"
        default: return false
        }
    }
}
