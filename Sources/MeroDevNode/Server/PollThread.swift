import Foundation
import MeroKit

/// A thread that waits for descriptors, with a pipe that wakes it, started when it is first needed.
final class PollThread: Sendable {
    private struct State {
        var isStopped = false
        var thread: pthread_t?
        /// Reading end and writing end of the pipe.
        var wake: (read: Int32, write: Int32)?
        var hasWakePending = false

        mutating func wakeUp() {
            guard let wake, !hasWakePending else { return }
            hasWakePending = true
            var byte: UInt8 = 1
            _ = write(wake.write, &byte, 1)
        }
    }

    private final class Start: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let state = Locked(State())

    /// Starts the thread, unless it runs. False when it cannot be started, or was stopped.
    ///
    /// - Parameter body: Returns soon after `beginRound` has returned nil.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            if state.thread != nil { return true }
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return false }
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            let start = Unmanaged.passRetained(Start(body))
            let failure = pthread_create(
                &thread, nil,
                { context in
                    PollThread.run(context)
                    return nil
                }, start.toOpaque())
            guard failure == 0 else {
                start.release()
                for end in ends { close(end) }
                return false
            }
            state.thread = thread
            state.wake = (ends[0], ends[1])
            return true
        }
    }

    private static func run(_ context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        // Else it would go by the name of the thread that started it.
        Thread.current.name = "mero.poll"
        Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
    }

    /// Ends the wait that is under way, or the next one.
    func wakeUp() { state.withLock { $0.wakeUp() } }

    /// For the thread, before it looks at what is new: the descriptor to wait for beside the others. Nil when it has to end.
    func beginRound() -> Int32? {
        state.withLock { state in
            guard !state.isStopped, let wake = state.wake else { return nil }
            var drained = [UInt8](repeating: 0, count: 64)
            while read(wake.read, &drained, drained.count) > 0 {}
            state.hasWakePending = false
            return wake.read
        }
    }

    /// Joins the thread, which cannot be started again. Blocks for as long as its callbacks run.
    func stop() {
        let thread = state.withLock { state in
            state.isStopped = true
            state.wakeUp()
            defer { state.thread = nil }
            return state.thread
        }
        guard let thread else { return }
        pthread_join(thread, nil)
        let wake = state.withLock { state in
            defer { state.wake = nil }
            return state.wake
        }
        guard let wake else { return }
        close(wake.read)
        close(wake.write)
    }
}
