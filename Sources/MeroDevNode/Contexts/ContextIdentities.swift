import Foundation
import MeroKit

/// Identities that the node made, or was given, for contexts: it keeps their private keys.
///
/// Spec: 20, section 6.2.
final class ContextIdentities: Sendable {
    private struct State {
        /// Seeds by public key, both in hex.
        var seeds: [String: JsonTree] = [:]
        var journal: Journal?
    }

    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(directory: DataDirectory?) throws {
        var state = State()
        if let directory { (state.journal, state.seeds) = try directory.open("node-identities") }
        self.state = Locked(state)
    }

    /// Keeps an identity, a new one unless its seed of 32 bytes is given, and returns its public key in hex. Throws
    /// `AccountError` and `DevNodeError`.
    func keep(seed: [UInt8] = SecureRandom.bytes(32)) throws -> String {
        let key = Hex.encode(try Ed25519.publicKey(seed: Data(seed)))
        try state.withLock { state in
            let seeds = state.seeds
            try state.journal?.record([(key, .string(Hex.encode(seed)))]) { seeds }
            state.seeds[key] = .string(Hex.encode(seed))
        }
        return key
    }

    func has(_ key: String) -> Bool { state.withLock { $0.seeds[key] != nil } }
}
