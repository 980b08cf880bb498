import CMicrohttpd
import Foundation
import MeroKit

/// Tells when clients leave: a suspended connection is not looked at by libmicrohttpd.
///
/// One thread, started with the first watch, polls all descriptors for the peer's close.
final class PeerWatcher: Sendable {
    private struct Watch {
        let descriptor: Int32
        let left: @Sendable () -> Void
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var nextWatch = 0
        var isStopped = false
        var thread: pthread_t?
        /// Reading end and writing end of the pipe that wakes the thread.
        var wake: (read: Int32, write: Int32)?
        var hasWakePending = false

        mutating func wakeUp() {
            guard let wake, !hasWakePending else { return }
            hasWakePending = true
            var byte: UInt8 = 1
            _ = write(wake.write, &byte, 1)
        }
    }

    private let state = Locked(State())

    /// Calls `left` once, on the watcher's thread, when the peer of this socket has closed its side.
    ///
    /// - Returns: what to remove before the descriptor is closed; nil when the watcher cannot work.
    func add(_ descriptor: Int32, left: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard !state.isStopped, descriptor >= 0, startIfNeeded(&state) else { return nil }
            state.nextWatch += 1
            state.watches[state.nextWatch] = Watch(descriptor: descriptor, left: left)
            state.wakeUp()
            return state.nextWatch
        }
    }

    func remove(_ watch: Int) {
        state.withLock { state in
            // A descriptor that is being polled stays open in the kernel after its close, so the poll has to end.
            if state.watches.removeValue(forKey: watch) != nil { state.wakeUp() }
        }
    }

    /// Joins the thread. Blocks for as long as a callback runs.
    func stop() {
        let (thread, wake) = state.withLock { state in
            state.isStopped = true
            state.watches.removeAll()
            state.wakeUp()
            defer { state.thread = nil }
            return (state.thread, state.wake)
        }
        guard let thread, let wake else { return }
        pthread_join(thread, nil)
        state.withLock { $0.wake = nil }
        close(wake.read)
        close(wake.write)
    }

    private func startIfNeeded(_ state: inout State) -> Bool {
        if state.thread != nil { return true }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        state.wake = (ends[0], ends[1])
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let context = Unmanaged.passRetained(self).toOpaque()
        let failure = pthread_create(
            &thread, nil,
            { context in
                PeerWatcher.enter(context)
                return nil
            }, context)
        guard failure == 0 else {
            Unmanaged<PeerWatcher>.fromOpaque(context).release()
            close(ends[0])
            close(ends[1])
            state.wake = nil
            return false
        }
        state.thread = thread
        return true
    }

    private static func enter(_ context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        Unmanaged<PeerWatcher>.fromOpaque(context).takeRetainedValue().loop()
    }

    private func loop() {
        while true {
            let round = state.withLock { state -> (ids: [Int], polled: [pollfd])? in
                guard !state.isStopped, let wake = state.wake else { return nil }
                var drained = [UInt8](repeating: 0, count: 64)
                while read(wake.read, &drained, drained.count) > 0 {}
                state.hasWakePending = false
                var ids: [Int] = []
                var polled = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
                for (id, watch) in state.watches {
                    ids.append(id)
                    polled.append(pollfd(fd: watch.descriptor, events: merokit_poll_hangup(), revents: 0))
                }
                return (ids, polled)
            }
            guard let ids = round?.ids, var polled = round?.polled else { return }
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { return }
            for (id, entry) in zip(ids, polled.dropFirst()) where entry.revents != 0 {
                // A descriptor that was closed and given out again meanwhile belongs to a watch that was removed.
                state.withLock { $0.watches.removeValue(forKey: id) }?.left()
            }
        }
    }
}
