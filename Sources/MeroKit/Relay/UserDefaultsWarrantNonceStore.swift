import Foundation

/// Counts in the user defaults of an app, as decimal texts.
///
/// For one process: user defaults cannot be read and written in one step, so two processes may hand out the same number,
/// and the relay refuses the slower of the two. Where an app shares a device with an extension or a command, use
/// `FileWarrantNonceStore`. Spec: 60, section 4.2.
public final class UserDefaultsWarrantNonceStore: WarrantNonceStore, @unchecked Sendable {
    // Safe to share: user defaults may be used from any thread, and nothing else is stored.
    private let defaults: UserDefaults
    private let prefix: String

    /// One for all stores of the process, since any two may lie over the same defaults.
    private static let gate = Gate()

    /// - Parameters:
    ///   - defaults: Where the counts are written.
    ///   - prefix: Stands before each sequence's key. Two devices need two prefixes.
    public init(defaults: UserDefaults = .standard, prefix: String = "calimero.nonce.") {
        self.defaults = defaults
        self.prefix = prefix
    }

    /// The next number; 0 once all are spent, and when it could not be written.
    public func next(relay: String) -> UInt64 {
        Self.gate.pass {
            guard let next = WarrantNonceSequence.next(after: last(relay)), store(next, relay) else { return 0 }
            return next
        }
    }

    /// Sees to it that `next` returns at least `floor`.
    public func advance(relay: String, to floor: UInt64) {
        Self.gate.pass {
            if let raised = WarrantNonceSequence.raised(last(relay), to: floor) { _ = store(raised, relay) }
        }
    }

    /// Whether the last number there is has been handed out.
    public func isSpent(relay: String) -> Bool { Self.gate.pass { last(relay) == .max } }

    private func name(_ relay: String) -> String { prefix + WarrantNonceSequence.key(relay) }

    private func last(_ relay: String) -> UInt64 {
        WarrantNonceSequence.last(from: defaults.string(forKey: name(relay)))
    }

    private func store(_ last: UInt64, _ relay: String) -> Bool {
        defaults.set(String(last), forKey: name(relay))
        // A crash right after must not bring the old number back.
        return defaults.synchronize()
    }
}
