import Foundation
import MeroKit

/// What connects dev nodes of one process, so that two people's apps can be tested without a real network.
///
/// ```swift
/// let network = DevNetwork()
/// var options = DevNodeOptions()
/// options.network = network
/// let ada = try await DevNode.start(options)
/// let bob = try await DevNode.start(options)
/// // … ada invites, bob joins, each sees what the other writes …
/// network.isolate(bob)  // until network.heal()
/// ```
/// Nodes share the groups of namespaces that both are in, the state of the groups' contexts, and events. When a call that
/// changes something returns, every node that can be reached has the change. Of two writes to one key made apart from
/// each other the later one stands, on every node.
///
/// A member's node joins contexts by itself unless told otherwise (``DevNodeOptions/followsContexts``).
public final class DevNetwork: Sendable {
    struct Seat {
        weak var core: NodeCore?
        var isOnline = true
        /// Only nodes on the same island reach each other.
        var island = 0
    }

    /// News, and who has them.
    struct Parcel: Sendable {
        let origin: String
        let news: PeerNews
        var holders: Set<String>
    }

    struct State {
        var seats: [String: Seat] = [:]
        /// Nodes in the order in which they came.
        var order: [String] = []
        var queue: [Parcel] = []
        var waiting: [String: [Parcel]] = [:]
        /// Nodes by namespace.
        var participants: [String: Set<String>] = [:]
        /// Nodes by context.
        var followers: [String: Set<String>] = [:]
        var deliversKeys = true
    }

    /// What a node that was away still gets told; the state itself it gets in any case.
    private static let longestWait = 10_000

    let state = Locked(State())
    /// Held while news are handed over, one after the other. Whoever holds it holds nothing else.
    let gate = Gate()

    /// A network without nodes.
    public init() {}

    // MARK: - Faults

    /// Cuts the network: the nodes named in one list reach each other and nobody else. Nodes that are not named stay
    /// together.
    public func partition(_ islands: [[DevNode]]) {
        let names = islands.map { $0.map(\.nodeKey) }
        cut { state in
            for id in state.seats.keys { state.seats[id]?.island = 0 }
            for (index, island) in names.enumerated() {
                for id in island { state.seats[id]?.island = index + 1 }
            }
        }
    }

    /// Cuts one node off from all others.
    public func isolate(_ node: DevNode) {
        let id = node.nodeKey
        cut { state in
            let next = (state.seats.values.map(\.island).max() ?? 0) + 1
            state.seats[id]?.island = next
        }
    }

    /// Every node reaches every other again, and they tell each other what they missed.
    public func heal() {
        state.withLock { state in for id in state.seats.keys { state.seats[id]?.island = 0 } }
        meet()
    }

    /// `false` makes joins fail with 503, as when nobody hands the namespace's key to the one who joins.
    public func setKeyDelivery(_ isWorking: Bool) { state.withLock { $0.deliversKeys = isWorking } }

    private func cut(_ change: (inout State) -> Void) {
        let before = state.withLock { $0 }
        state.withLock { change(&$0) }
        fade(since: before)
        meet()
    }

    // MARK: - Nodes

    func attach(_ core: NodeCore) {
        let id = core.link.id
        let namespaces = core.groups.read { $0.namespaces(of: core.identity.accountId) }
        let contexts = core.contexts.ids
        state.withLock { state in
            if state.seats[id] == nil { state.order.append(id) }
            state.seats[id, default: Seat()].core = core
            state.seats[id]?.isOnline = true
            for namespace in namespaces { state.participants[namespace, default: []].insert(id) }
            for context in contexts { state.followers[context, default: []].insert(id) }
        }
        meet()
    }

    func detach(_ id: String) {
        let before = state.withLock { $0 }
        state.withLock { $0.seats[id]?.isOnline = false }
        fade(since: before)
    }

    /// A node that is here now.
    func node(_ id: String) -> NodeCore? {
        state.withLock { state in
            guard let seat = state.seats[id], seat.isOnline else { return nil }
            return seat.core
        }
    }

    private static func areConnected(_ left: String, _ right: String, _ state: State) -> Bool {
        guard let one = state.seats[left], let other = state.seats[right] else { return false }
        return one.isOnline && other.isOnline && one.island == other.island && one.core != nil && other.core != nil
    }

    private func areConnected(_ left: String, _ right: String) -> Bool {
        state.withLock { Self.areConnected(left, right, $0) }
    }

    /// The nodes that a node reaches, itself not among them.
    func peers(of id: String) -> [NodeCore] {
        state.withLock { state in
            state.order.filter { $0 != id && Self.areConnected(id, $0, state) }.compactMap { state.seats[$0]?.core }
        }
    }

    /// Whether a key is that of a node that was ever here.
    func isNode(_ key: String) -> Bool { state.withLock { $0.seats[key] != nil } }

    var deliversKeys: Bool { state.withLock { $0.deliversKeys } }

    /// Whether a node holds a context, be it reachable or not.
    func isFollowed(_ context: String, by id: String) -> Bool {
        state.withLock { $0.followers[context]?.contains(id) ?? false }
    }

    // MARK: - News

    /// Called while the state is held that the news are about: only puts them down.
    func enqueue(_ news: PeerNews, from id: String) {
        state.withLock { $0.queue.append(Parcel(origin: id, news: news, holders: [id])) }
    }

    /// Hands over what was put down. Not to be called while anything is held, nor while taking news.
    func flush() {
        guard state.withLock({ !$0.queue.isEmpty }) else { return gate.pass {} }
        gate.pass { drain() }
    }

    func drain() {
        while let parcel = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) { hand(over: parcel) }
    }

    private func hand(over parcel: Parcel) {
        var parcel = parcel
        let audience = audience(of: parcel)
        for id in audience where areConnected(parcel.origin, id) {
            if let core = node(id) {
                core.take(parcel.news)
                parcel.holders.insert(id)
            }
        }
        let absent = audience.filter { !parcel.holders.contains($0) }
        if case .presence = parcel.news {
            // Nobody waits for what is over in seconds.
        } else {
            state.withLock { state in
                for id in absent {
                    state.waiting[id, default: []].append(parcel)
                    let excess = (state.waiting[id]?.count ?? 0) - Self.longestWait
                    if excess > 0 { state.waiting[id]?.removeFirst(excess) }
                }
            }
        }
        guard let origin = node(parcel.origin) else { return }
        switch parcel.news {
        case .groups(_, let namespace?): gather(namespace, from: origin)
        case .announcement(_, let namespace): dismiss(from: namespace, asSeenBy: origin)
        default: break
        }
    }

    private func audience(of parcel: Parcel) -> [String] {
        let origin = parcel.origin
        switch parcel.news {
        case .groups(_, nil): return state.withLock { state in state.order.filter { $0 != origin } }
        case .groups(_, let namespace?), .announcement(_, let namespace):
            return state.withLock { state in
                state.participants[namespace, default: []].insert(origin)
                return state.order.filter { $0 != origin && state.participants[namespace]?.contains($0) ?? false }
            }
        case .writes(let news): return members(of: news.context, from: origin)
        case .presence(let news): return members(of: news.context, from: origin)
        }
    }

    /// The other nodes that hold a context and whose account is, as the origin sees it, still a member of its group.
    private func members(of context: String, from origin: String) -> [String] {
        let (ids, seats) = state.withLock { state in
            state.followers[context, default: []].insert(origin)
            return (
                state.order.filter { $0 != origin && state.followers[context]?.contains($0) ?? false }, state.seats
            )
        }
        guard let groups = seats[origin]?.core?.groups, let group = groups.group(ofContext: context) else { return ids }
        return ids.filter { id in
            guard let core = seats[id]?.core else { return true }
            return core.identity.usableAccount.map { groups.role(of: $0, in: group) != nil } ?? false
        }
    }

    // MARK: - Who takes part

    /// Lets those in whose account has become a member, and lets members' nodes join contexts.
    private func gather(_ namespace: String, from origin: NodeCore) {
        for peer in [origin] + peers(of: origin.link.id) {
            let id = peer.link.id
            // A device that is not certified, or not any more, is nobody.
            guard let account = peer.identity.usableAccount else { continue }
            let isIn = state.withLock { $0.participants[namespace]?.contains(id) ?? false }
            let isMember = origin.groups.read { $0.namespaces(of: account).contains(namespace) }
            if isMember, !isIn {
                state.withLock { _ = $0.participants[namespace, default: []].insert(id) }
                peer.take(.groups(origin.groups.snapshot(of: namespace), namespace: namespace))
                if peer.link.id != origin.link.id { catchUp(namespace, as: peer, from: origin) }
            }
            if isMember { follow(namespace, as: peer) }
        }
    }

    /// Who was removed hears of that, and of nothing after it.
    private func dismiss(from namespace: String, asSeenBy origin: NodeCore) {
        for peer in [origin] + peers(of: origin.link.id) {
            let isMember = peer.identity.usableAccount.map { account in
                origin.groups.read { $0.namespaces(of: account).contains(namespace) }
            }
            if isMember == true { continue }
            state.withLock { _ = $0.participants[namespace]?.remove(peer.link.id) }
        }
    }

    /// A node has deleted what it held of a namespace: nobody tells it about that any more.
    func forget(_ namespace: String, by id: String) {
        state.withLock { state in
            state.participants[namespace]?.remove(id)
            state.waiting[id]?.removeAll { parcel in
                switch parcel.news {
                case .groups(_, let of): return of == namespace
                case .announcement(_, let of): return of == namespace
                case .writes, .presence: return false
                }
            }
        }
    }

    /// Asks the other nodes once more for all of a namespace.
    func synchronize(_ namespace: String, as peer: NodeCore) {
        gate.pass {
            drain()
            for other in peers(of: peer.link.id) where isIn(namespace, other) && isIn(namespace, peer) {
                share(namespace, other, peer)
            }
        }
    }

    private func isIn(_ namespace: String, _ node: NodeCore) -> Bool {
        state.withLock { $0.participants[namespace]?.contains(node.link.id) ?? false }
    }

    // MARK: - Meeting again

    /// Lets every pair of nodes that reach each other tell what the other has missed.
    private func meet() {
        gate.pass {
            drain()
            let ids = state.withLock { $0.order }
            for id in ids {
                guard let core = node(id) else { continue }
                let due = state.withLock { state -> [Parcel] in
                    let now = state
                    var due: [Parcel] = []
                    state.waiting[id]?.removeAll { parcel in
                        guard parcel.holders.contains(where: { Self.areConnected($0, id, now) }) else { return false }
                        due.append(parcel)
                        return true
                    }
                    return due
                }
                for parcel in due { core.take(parcel.news) }
            }
            for (index, left) in ids.enumerated() {
                for right in ids.dropFirst(index + 1) where areConnected(left, right) {
                    guard let one = node(left), let other = node(right) else { continue }
                    let shared = state.withLock { state in
                        state.participants.filter { $0.value.contains(left) && $0.value.contains(right) }.map(\.key)
                    }
                    shareDevices(one, other)
                    for namespace in shared.sorted() { share(namespace, one, other) }
                    shareContexts(one, other)
                }
            }
            let namespaces = state.withLock { $0.participants.keys.sorted() }
            for namespace in namespaces {
                let held = state.withLock { $0.participants[namespace] ?? [] }
                for id in ids where held.contains(id) {
                    if let core = node(id) { gather(namespace, from: core) }
                }
            }
        }
    }

    private func share(_ namespace: String, _ one: NodeCore, _ other: NodeCore) {
        guard one.groups.read({ $0[namespace] != nil }) || other.groups.read({ $0[namespace] != nil }) else { return }
        let (left, right) = (one.groups.snapshot(of: namespace), other.groups.snapshot(of: namespace))
        other.take(.groups(left, namespace: namespace))
        one.take(.groups(right, namespace: namespace))
        other.take(.announcement([], namespace: namespace))
        one.take(.announcement([], namespace: namespace))
    }

    /// Whose devices are whose is no secret of a namespace.
    private func shareDevices(_ one: NodeCore, _ other: NodeCore) {
        let (left, right) = (one.groups.devices, other.groups.devices)
        other.take(.groups(left, namespace: nil))
        one.take(.groups(right, namespace: nil))
    }

    /// Whoever is cut off now sends no heartbeats any more.
    private func fade(since before: State) {
        let now = state.withLock { $0 }
        for id in now.order {
            guard let listener = now.seats[id]?.core else { continue }
            for other in now.order where other != id {
                guard Self.areConnected(id, other, before), !Self.areConnected(id, other, now),
                    let author = before.seats[other]?.core
                else { continue }
                for context in listener.contexts.ids {
                    if let box = author.contexts[context] { listener.events.fade(author: box.executor, in: context) }
                }
            }
        }
    }
}
