/// Counts for as long as the process runs: for tests, and for devices that live no longer.
///
/// A device that goes on after a restart needs a store that does, too. Spec: 60, section 4.2.
public final class MemoryWarrantNonceStore: WarrantNonceStore {
    private let sequences = Locked<[String: UInt64]>([:])

    /// Every sequence begins at 1.
    public init() {}

    /// The next number; 0 once all are spent.
    public func next(relay: String) -> UInt64 {
        sequences.withLock { sequences in
            let key = WarrantNonceSequence.key(relay)
            guard let next = WarrantNonceSequence.next(after: sequences[key] ?? 0) else { return 0 }
            sequences[key] = next
            return next
        }
    }

    /// Sees to it that `next` returns at least `floor`.
    public func advance(relay: String, to floor: UInt64) {
        sequences.withLock { sequences in
            let key = WarrantNonceSequence.key(relay)
            if let raised = WarrantNonceSequence.raised(sequences[key] ?? 0, to: floor) { sequences[key] = raised }
        }
    }

    /// Whether the last number there is has been handed out.
    public func isSpent(relay: String) -> Bool {
        sequences.withLock { $0[WarrantNonceSequence.key(relay)] == .max }
    }
}
