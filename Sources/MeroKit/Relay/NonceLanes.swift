import Dispatch

/// Work on nonce stores, in lanes: one after the other in each, and none of them waits for another.
///
/// A store may wait for a disk, a keychain or another process, and so may one that an app has written. Only those who draw
/// from the same store for the same relay wait with it.
final class NonceLanes: Sendable {
    /// A store, and the relay that the number is for.
    struct Key: Hashable, Sendable {
        private let store: ObjectIdentifier
        private let relay: String

        /// Stores that are no objects have no identity: those of one type share their lanes.
        init(_ store: any WarrantNonceStore, _ sequence: String) {
            let kind = type(of: store)
            self.store = kind is AnyClass ? ObjectIdentifier(store as AnyObject) : ObjectIdentifier(kind)
            // A relay's groups draw from the same store as its writes.
            let key = WarrantNonceSequence.key(sequence)
            relay =
                key.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
        }
    }

    private struct State {
        /// What is still to be done, by lane; a lane that is empty is being worked in.
        var lanes: [Key: [@Sendable () -> Void]] = [:]
        /// Lanes that wait for a thread, in the order of their coming.
        var ready: [Key] = []
        var threads: Int
    }

    private let state: Locked<State>

    /// - Parameter threads: How many may be in use at the same time. They end when there is nothing to do.
    init(threads: Int) { state = Locked(State(threads: threads)) }

    /// Does this after everything else in its lane, on a thread that may wait.
    func run(_ key: Key, _ work: @escaping @Sendable () -> Void) {
        let hasThread = state.withLock { state -> Bool in
            let isOpen = state.lanes[key] != nil
            state.lanes[key, default: []].append(work)
            if isOpen { return false }
            state.ready.append(key)
            guard state.threads > 0 else { return false }
            state.threads -= 1
            return true
        }
        // A queue of its own gets a thread of its own, whatever other queues wait for.
        if hasThread { DispatchQueue(label: "MeroKit.NonceLanes").async { self.work() } }
    }

    private func work() {
        while let (key, work) = take() {
            work()
            state.withLock { state in
                // Behind the others: a busy lane must not keep its thread from those that wait for one.
                if state.lanes[key]?.isEmpty == false { state.ready.append(key) } else { state.lanes[key] = nil }
            }
        }
    }

    /// Nil when nothing is left; the thread is given back then.
    private func take() -> (Key, @Sendable () -> Void)? {
        state.withLock { state in
            while !state.ready.isEmpty {
                let key = state.ready.removeFirst()
                if state.lanes[key]?.isEmpty == false, let work = state.lanes[key]?.removeFirst() { return (key, work) }
            }
            state.threads += 1
            return nil
        }
    }
}
