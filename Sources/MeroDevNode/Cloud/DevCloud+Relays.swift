import Foundation
import MeroKit

/// The cloud's relays, and the namespaces they host.
extension DevCloud {
    /// Registers a node that runs as a relay; what the cloud tells about it is what is true of it. Its heart beats until
    /// ``stopHeartbeat(of:)``.
    ///
    /// - Parameters:
    ///   - node: the relay.
    ///   - teeRole: `RelayTee`, `ReadOnlyTee`, or nil.
    /// - Returns: the relay's id.
    @discardableResult
    public func add(_ node: DevNode, teeRole: String? = "RelayTee") -> String {
        let facts = DevCloudRelay(
            peerId: node.core.identity.peerId, url: node.url.absoluteString, executorAccount: node.accountId,
            teeRole: teeRole)
        put(CloudState.Relay(facts: facts, node: node))
        return facts.peerId
    }

    /// Registers a relay that nothing stands behind.
    public func add(_ relay: DevCloudRelay) { put(CloudState.Relay(facts: relay)) }

    private func put(_ relay: CloudState.Relay) {
        core.state.withLock { state in
            state.relays.removeAll { $0.facts.peerId == relay.facts.peerId }
            state.relays.append(relay)
        }
    }

    /// What the cloud knows about a relay; nil for one that it does not have.
    public func relay(_ peerId: String) -> DevCloudRelay? { core.state.withLock { $0.relay(peerId)?.facts } }

    /// Changes what the cloud knows about a relay. False when it has no such relay.
    @discardableResult
    public func change(relay peerId: String, _ body: (inout DevCloudRelay) -> Void) -> Bool {
        core.state.withLock { state in
            guard let index = state.relays.firstIndex(where: { $0.facts.peerId == peerId }) else { return false }
            body(&state.relays[index].facts)
            return true
        }
    }

    /// Forgets a relay, and takes it from all that it was assigned to.
    public func removeRelay(_ peerId: String) {
        core.state.withLock { state in
            state.relays.removeAll { $0.facts.peerId == peerId }
            for id in state.namespaces.keys { state.namespaces[id]?.relays.removeAll { $0.peerId == peerId } }
            for id in state.accounts.keys { state.accounts[id]?.relays.removeAll { $0.peerId == peerId } }
        }
    }

    /// The present heartbeat of a relay is its last: it is no longer fresh once ``DevCloudOptions/heartbeatLifetime``
    /// has passed on ``clock``.
    public func stopHeartbeat(of peerId: String) { setLastHeartbeat(clock.now, of: peerId) }

    /// The heart of a relay beats again.
    public func resumeHeartbeat(of peerId: String) { setLastHeartbeat(nil, of: peerId) }

    private func setLastHeartbeat(_ moment: Date?, of peerId: String) {
        core.state.withLock { state in
            guard let index = state.relays.firstIndex(where: { $0.facts.peerId == peerId }) else { return }
            state.relays[index].lastHeartbeat = moment
        }
    }

    // MARK: - Assignments

    /// Gives an account a relay. It shows after ``DevCloudOptions/assignmentDelay``. Throws ``DevNodeError/invalidId(_:)``.
    public func assign(_ peerId: String, toAccount account: String) throws {
        let account = try ContextRuntime.checkedId(account)
        let now = clock.now
        core.state.withLock { state in
            state.accounts[account, default: CloudState.Account()].relays.append(
                CloudState.Assignment(peerId: peerId, since: now))
        }
    }

    /// Has a relay host a namespace. It shows after ``DevCloudOptions/assignmentDelay``. Throws
    /// ``DevNodeError/invalidId(_:)``.
    public func assign(_ peerId: String, toNamespace namespace: String) throws {
        let id = try ContextRuntime.checkedId(namespace)
        let now = clock.now
        core.state.withLock { state in CloudCore.assign(peerId, to: id, in: &state, now: now) }
    }

    /// Makes a namespace a user's, and has it hosted or not, as if the user had proved that it is theirs. Throws
    /// ``DevNodeError/invalidId(_:)``.
    public func claim(_ namespace: String, for email: String, isHosted: Bool = false) throws {
        let id = try ContextRuntime.checkedId(namespace)
        let now = clock.now
        core.state.withLock { state in
            if state.users[email] == nil { state.users[email] = CloudState.User() }
            state.changeNamespace(id) { record in
                record.owner = email
                record.hosting = isHosted ? .enabled : record.hosting
                record.enabledAt = isHosted ? now : record.enabledAt
            }
        }
    }

    /// Whose a namespace is; nil when nobody claimed it.
    public func owner(ofNamespace namespace: String) -> String? {
        core.state.withLock { $0.namespaces[namespace.lowercased()]?.owner }
    }

    /// Where members of a namespace can be reached, as its owner told the cloud.
    public func admitterAddrs(ofNamespace namespace: String) -> [String] {
        core.state.withLock { $0.namespaces[namespace.lowercased()]?.admitterAddrs ?? [] }
    }
}

/// The registry of applications.
extension DevCloud {
    /// Publishes an `.mpk` file's content. Throws ``DevNodeError/invalidBundle(_:)``.
    public func publish(_ bundle: Data) throws { try registry.publish(bundle) }

    /// Takes a release back, or not. False when there is no such release.
    @discardableResult
    public func setYanked(_ isYanked: Bool, package: String, version: String) -> Bool {
        registry.setYanked(isYanked, package: package, version: version)
    }

    /// Whether the registry knows `all_versions`; an older one answers it with 400.
    public var listsAllVersions: Bool {
        get { registry.servesAllVersions.withLock { $0 } }
        set { registry.servesAllVersions.withLock { $0 = newValue } }
    }
}
