import Foundation
import MeroKit

/// The transport key of a process and the sessions opened to it. Both are gone with the process.
final class SealedSessionTable: Sendable {
    /// What one handshake has brought.
    struct Keys: Sendable {
        let requestKey: AesGcmKey
        let responseKey: AesGcmKey
        let endsAt: Date
    }

    private struct Session {
        let keys: Keys
        var lastUse: Date
        var isUsed = false
        /// The highest ids seen, in order; all up to `floor` are refused.
        var seen: [UInt64] = []
        var floor: UInt64 = 0

        func isAlive(at now: Date, idleLimit: TimeInterval) -> Bool {
            now < keys.endsAt && now.timeIntervalSince(lastUse) < idleLimit
        }

        /// False for an id that was used, or that is too old to tell.
        mutating func admit(_ id: UInt64, window: Int) -> Bool {
            guard id > floor else { return false }
            // Ids come in order but for a few, so that the place is near the end.
            let place = (seen.lastIndex { $0 <= id }).map { $0 + 1 } ?? 0
            guard place == 0 || seen[place - 1] != id else { return false }
            seen.insert(id, at: place)
            if seen.count > window { floor = seen.removeFirst() }
            return true
        }
    }

    private struct State {
        var secret: SecretBytes
        var publicKey: [UInt8]
        var sessions: [Data: Session] = [:]
    }

    private let state: Locked<State>

    init() throws { state = Locked(try Self.fresh()) }

    private static func fresh() throws -> State {
        let secret = SecretBytes(random: 32)
        return State(secret: secret, publicKey: Array(try X25519.publicKey(secret: secret)))
    }

    var publicKey: [UInt8] { state.withLock { $0.publicKey } }

    var key: (secret: SecretBytes, publicKey: [UInt8]) { state.withLock { ($0.secret, $0.publicKey) } }

    var count: Int { state.withLock { $0.sessions.count } }

    /// As a restart does.
    func renewKey() {
        guard let fresh = try? Self.fresh() else { return }
        state.withLock { $0 = fresh }
    }

    func forgetSessions() { state.withLock { $0.sessions = [:] } }

    /// - Parameter limit: how many there can be.
    func put(_ keys: Keys, id: Data, now: Date, idleLimit: TimeInterval, limit: Int) {
        state.withLock { state in
            if state.sessions.count >= limit {
                state.sessions = state.sessions.filter { $0.value.isAlive(at: now, idleLimit: idleLimit) }
            }
            while state.sessions.count >= max(1, limit) {
                // Oldest first, those that never carried a request before all others.
                let leaving = state.sessions.min {
                    ($0.value.isUsed ? 1 : 0, $0.value.lastUse) < ($1.value.isUsed ? 1 : 0, $1.value.lastUse)
                }
                if let leaving { state.sessions[leaving.key] = nil }
            }
            state.sessions[id] = Session(keys: keys, lastUse: now)
        }
    }

    /// Nil for a session that is unknown, over or was idle for too long.
    func session(_ id: Data, now: Date, idleLimit: TimeInterval) -> Keys? {
        state.withLock { state in
            guard let session = state.sessions[id] else { return nil }
            guard session.isAlive(at: now, idleLimit: idleLimit) else {
                state.sessions[id] = nil
                return nil
            }
            return session.keys
        }
    }

    /// Spends a request id. False when it is spent already, or the session has gone meanwhile.
    func admit(_ requestId: UInt64, of id: Data, now: Date, window: Int) -> Bool {
        state.withLock { state in
            guard state.sessions[id]?.admit(requestId, window: window) == true else { return false }
            state.sessions[id]?.lastUse = now
            state.sessions[id]?.isUsed = true
            return true
        }
    }
}
