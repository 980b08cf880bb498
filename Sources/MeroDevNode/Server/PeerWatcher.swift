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
    }

    private let thread = PollThread()
    private let state = Locked(State())

    /// Calls `left` once, on the watcher's thread, when the peer of this socket has closed its side.
    ///
    /// - Returns: what to remove before the descriptor is closed; nil when the watcher cannot work.
    func add(_ descriptor: Int32, left: @escaping @Sendable () -> Void) -> Int? {
        guard descriptor >= 0, thread.start({ [self] in loop() }) else { return nil }
        let watch = state.withLock { state in
            state.nextWatch += 1
            state.watches[state.nextWatch] = Watch(descriptor: descriptor, left: left)
            return state.nextWatch
        }
        thread.wakeUp()
        return watch
    }

    func remove(_ watch: Int) {
        // A descriptor that is being polled stays open in the kernel after its close, so the poll has to end.
        if state.withLock({ $0.watches.removeValue(forKey: watch) }) != nil { thread.wakeUp() }
    }

    /// Joins the thread. Blocks for as long as a callback runs.
    func stop() {
        state.withLock { $0.watches.removeAll() }
        thread.stop()
    }

    private func loop() {
        while let wake = thread.beginRound() {
            var ids: [Int] = []
            var polled = [pollfd(fd: wake, events: Int16(POLLIN), revents: 0)]
            for (id, watch) in state.withLock({ $0.watches }) {
                ids.append(id)
                polled.append(pollfd(fd: watch.descriptor, events: merokit_poll_hangup(), revents: 0))
            }
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { return }
            for (id, entry) in zip(ids, polled.dropFirst()) where entry.revents != 0 {
                // A descriptor that was closed and given out again meanwhile belongs to a watch that was removed.
                state.withLock { $0.watches.removeValue(forKey: id) }?.left()
            }
        }
    }
}
