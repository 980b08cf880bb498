import MeroKit

/// The SSE sessions of a node: those in memory, and what is stored of all.
///
/// The node's end takes the first kind away; a stored session comes back when a client opens a stream with its id.
final class SseSessionTable: Sendable {
    enum Standing: Sendable {
        case live(SseSession)
        case stored(SseRecord)
        case expired
        case unknown
    }

    private struct State {
        var live: [UInt64: SseSession] = [:]
        var stored: [UInt64: SseRecord] = [:]
        var journal: Journal?

        mutating func store(_ record: SseRecord?, _ number: UInt64) throws {
            try journal?.record([(String(number), record?.tree)]) {
                Dictionary(uniqueKeysWithValues: stored.map { (String($0.key), $0.value.tree) })
            }
            stored[number] = record
        }
    }

    private let hub: EventHub
    private let clock: DevClock
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(hub: EventHub, clock: DevClock, directory: DataDirectory?) throws {
        self.hub = hub
        self.clock = clock
        var state = State()
        var entries: [String: JsonTree] = [:]
        if let directory { (state.journal, entries) = try directory.open("sse-sessions") }
        for (name, tree) in entries {
            if let number = UInt64(name), let record = SseRecord(tree) { state.stored[number] = record }
        }
        self.state = Locked(state)
    }

    /// Throws `DevNodeError` when it cannot be stored.
    func create(_ principal: EventPrincipal) throws -> SseSession {
        let now = clock.seconds
        return try state.withLock { state in
            try sweep(&state, now)
            var number = UInt64.random(in: .min ... .max)
            while state.stored[number] != nil { number = UInt64.random(in: .min ... .max) }
            return try takeUp(
                number, SseRecord(principal: principal, counter: 0, touchedAt: now, contexts: [], groups: []), &state)
        }
    }

    /// The session of an earlier connection; nil when it is unknown, expired or someone else's. What its principal may not
    /// hear any more is gone from it. Throws `DevNodeError` when it cannot be stored.
    func resume(_ number: UInt64, _ principal: EventPrincipal) throws -> SseSession? {
        let now = clock.seconds
        return try state.withLock { state in
            if let session = state.live[number] {
                return session.principal == principal && !session.isExpired(at: now) ? session : nil
            }
            guard let record = state.stored[number], record.principal == principal, !record.isExpired(at: now) else {
                return nil
            }
            return try takeUp(number, record, &state)
        }
    }

    private func takeUp(_ number: UInt64, _ record: SseRecord, _ state: inout State) throws -> SseSession {
        let session = SseSession(
            number: number, principal: record.principal, counter: record.counter, touchedAt: record.touchedAt)
        session.attach(to: hub) { [weak self] session in
            // A session that lost something and cannot be stored is re-authorised when it is taken up again.
            try? self?.store(session)
        }
        _ = session.subscription?.restore(contextIds: record.contexts, groupIds: record.groups)
        do {
            try state.store(session.record, number)
        } catch {
            session.end()
            throw error
        }
        state.live[number] = session
        return session
    }

    func standing(_ number: UInt64) -> Standing {
        let now = clock.seconds
        return state.withLock { state in
            if let session = state.live[number] { return session.isExpired(at: now) ? .expired : .live(session) }
            guard let record = state.stored[number] else { return .unknown }
            return record.isExpired(at: now) ? .expired : .stored(record)
        }
    }

    /// Throws `DevNodeError`.
    func store(_ session: SseSession) throws {
        let record = session.record
        try state.withLock { state in
            guard state.live[session.number] === session else { return }
            try state.store(record, session.number)
        }
    }

    /// Forgets what is only in memory.
    func endProcess() {
        let live = state.withLock { state in
            defer { state.live.removeAll() }
            return Array(state.live.values)
        }
        for session in live { session.end() }
    }

    /// An expired session is kept for another day, so that asking for it tells so.
    private func sweep(_ state: inout State, _ now: Int64) throws {
        let old = state.stored.filter { now - $0.value.touchedAt >= 2 * SseSession.idleLimit }.keys
        for number in old {
            state.live.removeValue(forKey: number)?.end()
            try state.store(nil, number)
        }
    }
}
