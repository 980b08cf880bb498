import Foundation
import MeroKit

/// The transport key of a process and the sessions opened to it. Both are gone with the process.
final class SealedSessionTable: Sendable {
    struct Session: Sendable {
        let requestKey: [UInt8]
        let responseKey: [UInt8]
        let endsAt: Date
        var lastUse: Date
        /// Ids seen, the highest of them; all below are refused.
        var seen: Set<UInt64> = []
        var floor: UInt64 = 0

        /// False for an id that was used, or that is too old to tell.
        mutating func admit(_ id: UInt64, window: Int) -> Bool {
            guard id > floor, !seen.contains(id) else { return false }
            seen.insert(id)
            if seen.count > window, let oldest = seen.min() {
                seen.remove(oldest)
                floor = oldest
            }
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

    func put(_ session: Session, id: Data) { state.withLock { $0.sessions[id] = session } }

    /// Nil for a session that is unknown, over or was idle for too long.
    func session(_ id: Data, now: Date, idleLimit: TimeInterval) -> Session? {
        state.withLock { state in
            guard let session = state.sessions[id] else { return nil }
            guard now < session.endsAt, now.timeIntervalSince(session.lastUse) < idleLimit else {
                state.sessions[id] = nil
                return nil
            }
            return session
        }
    }

    /// Spends a request id. False when it is spent already, or the session has gone meanwhile.
    func admit(_ requestId: UInt64, of id: Data, now: Date, window: Int) -> Bool {
        state.withLock { state in
            guard state.sessions[id]?.admit(requestId, window: window) == true else { return false }
            state.sessions[id]?.lastUse = now
            return true
        }
    }
}
