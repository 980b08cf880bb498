import MeroKit

/// What outlives the connections of an SSE client: an id, subscriptions and a count of frames.
///
/// Spec: 40, sections 2.5 and 2.6.
final class SseSession: Sendable {
    /// Seconds a session lives after its last subscribe or unsubscribe.
    static let idleLimit: Int64 = 86_400

    private struct State {
        var counter: UInt64
        var touchedAt: Int64
        var connection: SseConnection?
        var subscription: EventSubscription?
    }

    let number: UInt64
    let principal: EventPrincipal
    private let state: Locked<State>

    init(number: UInt64, principal: EventPrincipal, counter: UInt64, touchedAt: Int64) {
        self.number = number
        self.principal = principal
        state = Locked(State(counter: counter, touchedAt: touchedAt))
    }

    /// Makes it a subscriber of the hub. Called once, before anybody else knows the session.
    func attach(to hub: EventHub, pruned: @escaping @Sendable (SseSession) -> Void) {
        let subscription = hub.attach(principal) { [weak self] in
            if let self { pruned(self) }
        } deliver: { [weak self] message in
            self?.deliver(message) ?? false
        }
        state.withLock { $0.subscription = subscription }
    }

    var subscription: EventSubscription? { state.withLock { $0.subscription } }
    var counter: UInt64 { state.withLock { $0.counter } }

    func isExpired(at now: Int64) -> Bool { state.withLock { now - $0.touchedAt >= Self.idleLimit } }
    func touch(at now: Int64) { state.withLock { $0.touchedAt = now } }

    /// The next number of a frame, used up.
    func nextNumber() -> UInt64 {
        state.withLock { state in
            state.counter += 1
            return state.counter
        }
    }

    /// Sends the connect frame, then serves this connection instead of the one before, which ends.
    func bind(_ connection: SseConnection, isReconnect: Bool, retry: Int) {
        let connect: JsonTree = [
            "type": "connect", "session_id": .string(String(number)), "reconnect": .bool(isReconnect),
        ]
        let previous = state.withLock { state in
            _ = connection.send(number: 0, retry: retry, data: connect.bytes)
            defer { state.connection = connection }
            return state.connection
        }
        previous?.finish()
    }

    func unbind(_ connection: SseConnection) {
        state.withLock { if $0.connection === connection { $0.connection = nil } }
    }

    /// The count moves only with frames that are emitted.
    private func deliver(_ message: EventMessage) -> Bool {
        state.withLock { state in
            guard let connection = state.connection else { return false }
            let data = Array("{".utf8) + message.member + Array("}".utf8)
            guard connection.send(number: state.counter + 1, data: data) else { return false }
            state.counter += 1
            return true
        }
    }

    func end() { subscription?.detach() }

    var record: SseRecord {
        let (counter, touchedAt, subscription) = state.withLock { ($0.counter, $0.touchedAt, $0.subscription) }
        return SseRecord(
            principal: principal, counter: counter, touchedAt: touchedAt, contexts: subscription?.contexts ?? [],
            groups: subscription?.groups ?? [])
    }
}

/// A session as it is stored.
struct SseRecord: Sendable, Equatable {
    var principal: EventPrincipal
    var counter: UInt64
    var touchedAt: Int64
    var contexts: [String]
    var groups: [String]

    func isExpired(at now: Int64) -> Bool { now - touchedAt >= SseSession.idleLimit }
}

extension SseRecord {
    var tree: JsonTree {
        [
            "principal": principal.tree, "counter": JsonTree(counter), "touched": JsonTree(touchedAt),
            "contexts": JsonTree(contexts), "groups": JsonTree(groups),
        ]
    }

    init?(_ tree: JsonTree) {
        guard let principal = tree["principal"], let counter = tree["counter"]?.integer(UInt64.self),
            let touchedAt = tree["touched"]?.integer(Int64.self)
        else { return nil }
        self.init(
            principal: EventPrincipal(principal), counter: counter, touchedAt: touchedAt,
            contexts: (tree["contexts"]?.arrayValue ?? []).compactMap(\.stringValue),
            groups: (tree["groups"]?.arrayValue ?? []).compactMap(\.stringValue))
    }
}
