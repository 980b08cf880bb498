import Foundation
import MeroKit

/// Hands a node's events to the connections that subscribed them, and keeps the presence slices that new subscribers
/// are shown.
///
/// ```swift
/// let subscription = hub.attach(EventPrincipal(caller)) { message in connection.send(message) }
/// let granted = subscription.subscribe(contextIds: [id], groupIds: [])
/// subscription.detach()
/// ```
/// `deliver` is called under the hub's lock, in the order of emission: it must be quick, must not call back, and answers
/// whether the message was taken. A message that is not taken is lost, as on a real node.
///
/// Locks are taken in this order: `gate`, a context's, `state`, and then those of `deliver`.
final class EventHub: Sendable {
    struct Subscriber {
        var contexts: Set<String> = []
        /// Whether the subscriber was an administrator of the group when it subscribed last.
        var groups: [String: Bool] = [:]
        let principal: EventPrincipal
        let pruned: @Sendable () -> Void
        let deliver: @Sendable (EventMessage) -> Bool

        func hears(_ address: EventAddress) -> Bool {
            switch address {
            case .context(let id): return contexts.contains(id)
            case .group(let id): return groups[id] != nil
            case .groupAdmins(let id): return groups[id] == true
            case .everyone: return true
            }
        }
    }

    private struct State {
        var subscribers: [Int: Subscriber] = [:]
        var nextSubscriber = 0
        var presence = PresenceBoard()
        var sweeper: Task<Void, Never>?
        var isClosed = false
    }

    let authority: EventAuthority
    let clock: DevClock
    let link: PeerLink
    /// Held while authority is asked and its verdict applied, so that no grant outlives the membership it rests on.
    private let gate = Gate()
    private let state = Locked(State())
    private let clockObserver = Locked<Int?>(nil)

    init(authority: EventAuthority, clock: DevClock, link: PeerLink = PeerLink(id: "", network: nil)) {
        self.authority = authority
        self.clock = clock
        self.link = link
        let observer = clock.observe { [weak self] in self?.sweep() }
        clockObserver.withLock { $0 = observer }
        _ = authority.contexts.observe { [weak self] notice in self?.tell(notice) }
    }

    deinit { close() }

    /// Ends what the hub does by itself; it delivers nothing more.
    func close() {
        let sweeper = state.withLock { state in
            state.isClosed = true
            state.subscribers.removeAll()
            defer { state.sweeper = nil }
            return state.sweeper
        }
        sweeper?.cancel()
        if let observer = clockObserver.withLock({ $0 }) { clock.stopObserving(observer) }
    }

    // MARK: - Subscribers

    /// - Parameters:
    ///   - pruned: called when a change of membership has taken ids away, not under the hub's lock.
    ///   - deliver: takes one message; false when there is no room or nobody to take it.
    func attach(
        _ principal: EventPrincipal, pruned: @escaping @Sendable () -> Void = {},
        deliver: @escaping @Sendable (EventMessage) -> Bool
    ) -> EventSubscription {
        let number = state.withLock { state in
            state.nextSubscriber += 1
            if !state.isClosed {
                state.subscribers[state.nextSubscriber] = Subscriber(
                    principal: principal, pruned: pruned, deliver: deliver)
            }
            return state.nextSubscriber
        }
        return EventSubscription(hub: self, number: number, principal: principal)
    }

    func detach(_ number: Int) { _ = state.withLock { $0.subscribers.removeValue(forKey: number) } }

    func subscriber(_ number: Int) -> Subscriber? { state.withLock { $0.subscribers[number] } }

    /// Asks the authority about every id, grants what it allows and takes away what it refuses now.
    ///
    /// - Parameter seeds: whether the subscriber is shown who is present.
    func subscribe(
        _ number: Int, _ principal: EventPrincipal, contexts: [String], groups: [String], seeds: Bool
    ) -> (contexts: [String], groups: [String]) {
        gate.pass {
            let verdicts = contexts.map { ($0.lowercased(), authority.grantedContext($0, to: principal)) }
            let roles = groups.map { ($0.lowercased(), authority.role(inGroup: $0.lowercased(), of: principal)) }
            let now = clock.now
            return state.withLock { state in
                guard var subscriber = state.subscribers[number] else { return ([], []) }
                var granted: (contexts: [String], groups: [String]) = ([], [])
                for (asked, id) in verdicts {
                    guard let id else {
                        subscriber.contexts.remove(asked)
                        continue
                    }
                    subscriber.contexts.insert(id)
                    if !granted.contexts.contains(id) { granted.contexts.append(id) }
                }
                for (id, role) in roles {
                    subscriber.groups[id] = role.map { $0 == .admin }
                    if role != nil, !granted.groups.contains(id) { granted.groups.append(id) }
                }
                state.subscribers[number] = subscriber
                for id in seeds ? granted.contexts : [] {
                    for slice in state.presence.slices(of: id, at: now) {
                        let text = EventText.presence(contextId: id, .written(slice), age: slice.age(at: now))
                        _ = subscriber.deliver(EventMessage(result: text))
                    }
                }
                return granted
            }
        }
    }

    /// Gives back the context ids that were subscribed until now.
    func unsubscribe(_ number: Int, contexts: [String], groups: [String]) -> [String] {
        state.withLock { state in
            for id in groups { state.subscribers[number]?.groups[id.lowercased()] = nil }
            return contexts.map { $0.lowercased() }
                .filter { state.subscribers[number]?.contexts.remove($0) != nil }
        }
    }

    /// Takes away what subscribers may not hear any more. Nobody is told.
    func recheck() {
        let pruned = gate.pass { () -> [@Sendable () -> Void] in
            let before = state.withLock { $0.subscribers }
            var pruned: [@Sendable () -> Void] = []
            for (number, subscriber) in before {
                let contexts = subscriber.contexts.filter {
                    authority.grantedContext($0, to: subscriber.principal) == nil
                }
                let groups = subscriber.groups.keys.filter {
                    authority.role(inGroup: $0, of: subscriber.principal) == nil
                }
                guard !contexts.isEmpty || !groups.isEmpty else { continue }
                state.withLock { state in
                    state.subscribers[number]?.contexts.subtract(contexts)
                    for id in groups { state.subscribers[number]?.groups[id] = nil }
                }
                pruned.append(subscriber.pruned)
            }
            return pruned
        }
        for tell in pruned { tell() }
    }

    // MARK: - Publishing

    /// Delivers an event to everyone it is for; `text` writes its `result` and is only asked when somebody is there.
    /// Gives back how many took it.
    @discardableResult
    func publish(to address: EventAddress, _ text: () -> [UInt8]) -> Int {
        state.withLock { deliver(EventMessage(result: text()), to: address, $0) }
    }

    /// As ``publish(to:_:)`` for an event that could not be serialised.
    @discardableResult
    func publishFailure(to address: EventAddress) -> Int {
        state.withLock { deliver(.failure, to: address, $0) }
    }

    private func deliver(
        _ message: @autoclosure () -> EventMessage, to address: EventAddress, _ state: State
    ) -> Int {
        let listeners = state.subscribers.values.filter { $0.hears(address) }
        guard !listeners.isEmpty else { return 0 }
        let message = message()
        return listeners.reduce(0) { $1.deliver(message) ? $0 + 1 : $0 }
    }

    /// Tells groups of a namespace, here and on other nodes, what happened in them. Comes behind every change of groups,
    /// also with nothing to tell: then only what nobody may hear any more goes.
    func announce(_ events: [GroupEvent], namespace: String?) {
        tell(events)
        guard let namespace, link.isActive else { return }
        link.enqueue(.announcement(events, namespace: namespace))
        link.flush()
    }

    /// The removed still hear of their removal, the added of being added.
    func tell(_ events: [GroupEvent]) {
        func tell(_ item: GroupEvent) {
            publish(to: item.event.isForAdmins ? .groupAdmins(item.group) : .group(item.group)) {
                item.event.text(key: "groupId", id: item.group)
            }
        }
        for item in events where item.event.isRemoval { tell(item) }
        recheck()
        for item in events where !item.event.isRemoval { tell(item) }
    }

    private func tell(_ notice: ContextNotice) {
        switch notice {
        case .stateMutation(let id, let root, let events):
            publish(to: .context(id)) { EventText.stateMutation(contextId: id, newRoot: root, events: events) }
        case .ephemeral(let id, let author, let bytes):
            putPresence(author: author, state: bytes, isKeptAlive: true, in: id)
        }
    }

    // MARK: - Presence

    /// Writes a slice, or counts as its heartbeat when the bytes are the same. A slice that is not kept alive goes after
    /// seven seconds without a heartbeat.
    ///
    /// Other nodes hear of it with the next flush of the link, unless one of them told this node.
    func putPresence(
        author: String, account: String? = nil, state bytes: [UInt8], isKeptAlive: Bool, in context: String,
        isRemote: Bool = false
    ) {
        if !isRemote {
            link.enqueue(
                .presence(
                    PresenceNews(
                        context: context, author: author, account: account, state: bytes, isKeptAlive: isKeptAlive)))
        }
        let slice = PresenceBoard.Slice(
            author: author, account: account, state: bytes, seenAt: clock.now, isKeptAlive: isKeptAlive)
        state.withLock { state in
            guard !state.isClosed else { return }
            for change in state.presence.put(slice, in: context) { deliver(change, in: context, state) }
            if !isKeptAlive { startSweeping(&state) }
        }
    }

    /// False when there is no such slice.
    @discardableResult
    func removePresence(author: String, in context: String, isRemote: Bool = false) -> Bool {
        if !isRemote {
            link.enqueue(
                .presence(
                    PresenceNews(context: context, author: author, account: nil, state: nil, isKeptAlive: false)))
        }
        return state.withLock { state in
            let changes = state.presence.remove(author, from: context)
            for change in changes { deliver(change, in: context, state) }
            return !changes.isEmpty
        }
    }

    /// An author's heartbeats do not come through any more.
    func fade(author: String, in context: String) {
        let now = clock.now
        state.withLock { state in
            guard state.presence.makeMortal(author, in: context, at: now), !state.isClosed else { return }
            startSweeping(&state)
        }
    }

    /// Forgets every slice without telling, as the end of a process does.
    func forgetPresence() {
        let sweeper = state.withLock { state in
            state.presence = PresenceBoard()
            defer { state.sweeper = nil }
            return state.sweeper
        }
        sweeper?.cancel()
    }

    private func deliver(_ change: PresenceBoard.Change, in context: String, _ state: State) {
        _ = deliver(
            EventMessage(result: EventText.presence(contextId: context, change)), to: .context(context), state)
    }

    private func sweep() {
        let now = clock.now
        state.withLock { state in
            for (context, change) in state.presence.sweep(at: now) { deliver(change, in: context, state) }
        }
    }

    /// The clock also moves by itself, so somebody has to look at it.
    private func startSweeping(_ state: inout State) {
        guard state.sweeper == nil else { return }
        state.sweeper = Task { [weak self] in
            while !Task.isCancelled {
                do { try await Task.sleep(nanoseconds: 250_000_000) } catch { return }
                guard let self, self.sweepAgain() else { return }
            }
        }
    }

    private func sweepAgain() -> Bool {
        sweep()
        return state.withLock { state in
            let goesOn = state.presence.hasMortals && !state.isClosed
            if !goesOn { state.sweeper = nil }
            return goesOn
        }
    }
}
