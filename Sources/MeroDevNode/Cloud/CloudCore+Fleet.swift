import Foundation
import MeroKit

/// Which relay serves whom, and how it is doing.
///
/// Spec: 70, sections 3.2 and 3.5.
extension CloudCore {
    /// A relay that was assigned to a namespace, seen at one moment.
    struct Placement: Sendable {
        var peerId: String
        var address: String?
        var executor: String?
        var isFresh: Bool
        var isActive: Bool
        var isReady: Bool
        var canAdmit: Bool
        var teeRole: String?
        var since: Date
        var lastSeen: Date
        var relay: DevCloudRelay

        /// A read-only replica never writes, with or without the grant; a relay by its role does without one.
        var canWrite: Bool {
            guard address != nil, executor != nil, teeRole != "ReadOnlyTee" else { return false }
            return teeRole == "RelayTee" || isReady
        }
    }

    /// The relays of a namespace that show by now.
    func placements(of namespace: String) -> [Placement] {
        let now = clock.now
        let options = options
        let rows = state.withLock { state -> [(CloudState.Assignment, CloudState.Relay)] in
            (state.namespaces[namespace]?.relays ?? []).compactMap { assignment in
                state.relay(assignment.peerId).map { (assignment, $0) }
            }
        }
        // The nodes are asked outside the lock: theirs are other locks.
        return rows.filter { now >= $0.0.since.addingTimeInterval(options.assignmentDelay) }
            .map { Self.placement($0.1, since: $0.0.since, namespace: namespace, now: now, options: options) }
    }

    private static func placement(
        _ relay: CloudState.Relay, since: Date, namespace: String, now: Date, options: DevCloudOptions
    ) -> Placement {
        let facts = relay.facts
        let shown = since.addingTimeInterval(options.assignmentDelay)
        let hosts = relay.node.map { $0.members(group: namespace) != nil } ?? true
        let isGranted =
            relay.node.map { node in
                let mask = node.capabilities(of: node.accountId, group: namespace) ?? 0
                return mask & GroupCapability.authorOnBehalf != 0
            } ?? true
        let isMember = relay.node.map { $0.capabilities(of: $0.accountId, group: namespace) != nil } ?? true
        return Placement(
            peerId: facts.peerId, address: facts.isDialable ? facts.url : nil, executor: facts.executorAccount,
            isFresh: isFresh(relay, now: now, options: options),
            isActive: hosts && now >= shown.addingTimeInterval(options.activationDelay),
            isReady: facts.authorshipReady ?? isGranted, canAdmit: facts.canAdmit ?? isMember,
            teeRole: facts.teeRole, since: shown, lastSeen: relay.lastHeartbeat ?? now, relay: facts)
    }

    static func isFresh(_ relay: CloudState.Relay, now: Date, options: DevCloudOptions) -> Bool {
        relay.lastHeartbeat.map { now.timeIntervalSince($0) <= options.heartbeatLifetime } ?? true
    }

    /// The relays of an account that show by now: those it was given, and those on which it is a member of a namespace
    /// that the cloud has hosted there.
    func relays(ofAccount account: String) -> [CloudState.Relay] {
        let now = clock.now
        let delay = options.assignmentDelay
        func shows(_ assignment: CloudState.Assignment) -> Bool { now >= assignment.since.addingTimeInterval(delay) }
        let (own, others) = state.withLock { state in
            let own = Set((state.accounts[account]?.relays ?? []).filter(shows).map(\.peerId))
            let founded = Set(
                state.namespaces.values.filter { $0.founder == account }.flatMap(\.relays).filter(shows).map(\.peerId))
            let hosted = state.namespaces.map { id, record in
                (id, Set(record.relays.filter(shows).map(\.peerId)))
            }
            return (
                own.union(founded),
                state.relays.map { relay in (relay, hosted.filter { $0.1.contains(relay.facts.peerId) }.map(\.0)) }
            )
        }
        return others.filter { relay, namespaces in
            own.contains(relay.facts.peerId)
                || namespaces.contains { relay.node?.members(group: $0)?[account] != nil }
        }.map(\.0)
    }

    /// Assigns the relay with this address, else the next ones, to a namespace.
    static func assign(_ preferred: String?, to namespace: String, in state: inout CloudState, now: Date) {
        let choice = preferred ?? state.relays.first?.facts.peerId
        guard let choice else { return }
        state.changeNamespace(namespace) { record in
            guard !record.relays.contains(where: { $0.peerId == choice }) else { return }
            record.relays.append(CloudState.Assignment(peerId: choice, since: now))
        }
    }
}
