import Foundation
import MeroKit

/// The groups the node knows: who is in them, and which contexts they govern.
final class GroupRegistry: Sendable {
    private struct Guarded {
        var state = GroupState()
        var journal: Journal?
        /// Every state a namespace was in since the node started; what a warrant may cite as its floor.
        var heads: [String: Set<String>] = [:]
        /// When fields changed, by group and field. Also of fields and groups that are gone.
        var stamps: [String: [String: ChangeStamp]] = [:]
        var time: UInt64 = 0
    }

    private static let devicePrefix = "device:"

    let link: PeerLink
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let guarded: Locked<Guarded>

    init(directory: DataDirectory?, link: PeerLink = PeerLink(id: "", network: nil)) throws {
        self.link = link
        var guarded = Guarded()
        var entries: [String: JsonTree] = [:]
        if let directory { (guarded.journal, entries) = try directory.open("node-groups") }
        var groups: [String: GroupRecord] = [:]
        var devices: [String: DeviceRecord] = [:]
        var contexts: [String: String] = [:]
        for (id, tree) in entries {
            if id.hasPrefix(Self.devicePrefix) {
                devices[String(id.dropFirst(Self.devicePrefix.count))] = DeviceRecord(tree)
            } else if let group = GroupRecord(tree) {
                groups[id] = group
                for context in group.contexts { contexts[context] = id }
            }
        }
        guarded.state.groups = UndoMap(groups)
        guarded.state.devices = UndoMap(devices)
        guarded.state.groupOfContext = UndoMap(contexts)
        for id in groups.keys { Self.note(id, &guarded) }
        self.guarded = Locked(guarded)
    }

    func read<Result>(_ body: (GroupState) throws -> Result) rethrows -> Result {
        try guarded.withLock { try body($0.state) }
    }

    /// Changes the groups and makes it durable, or leaves them as they were and throws. Other nodes have it on return.
    func change<Result>(_ body: (inout GroupState) throws -> Result) throws -> Result {
        defer { link.flush() }
        return try guarded.withLock { guarded in
            do {
                let result = try body(&guarded.state)
                let news = link.isActive ? news(&guarded) : []
                try Self.settle(&guarded)
                for item in news { link.enqueue(item) }
                return result
            } catch {
                guarded.state.rollback()
                throw error
            }
        }
    }

    /// Makes the running change durable. Throws `DevNodeError`, and then it is still running.
    private static func settle(_ guarded: inout Guarded) throws {
        let changed = guarded.state.groups.changes
        if let journal = guarded.journal {
            let state = guarded.state
            var changes: [(key: String, value: JsonTree?)] = changed.map { ($0.key, $0.new?.tree) }
            changes += state.devices.changes.map { (devicePrefix + $0.key, $0.new?.tree) }
            try journal.record(changes) { snapshot(state) }
        }
        guarded.state.commit()
        for change in changed { note(change.key, &guarded) }
    }

    private static func snapshot(_ state: GroupState) -> [String: JsonTree] {
        var entries = state.groups.entries.mapValues(\.tree)
        for (id, device) in state.devices.entries { entries[devicePrefix + id] = device.tree }
        return entries
    }

    private static func note(_ id: String, _ guarded: inout Guarded) {
        guard let namespace = guarded.state.namespace(of: id) else { return }
        guarded.heads[namespace, default: []].insert(guarded.state.stateHash(of: id))
    }

    /// Whether a namespace was ever in the states that these heads stand for.
    func knows(heads: [String], of id: String) -> Bool {
        guarded.withLock { guarded in
            guard let namespace = guarded.state.namespace(of: id) else { return heads.isEmpty }
            return guarded.heads[namespace, default: []].isSuperset(of: heads)
        }
    }

    // MARK: - Other nodes

    /// The running change, for the others.
    private func news(_ guarded: inout Guarded) -> [PeerNews] {
        let groups = guarded.state.groups.changes.filter { $0.old != $0.new }
        let devices = guarded.state.devices.changes.filter { $0.old != $0.new }
        guard !groups.isEmpty || !devices.isEmpty else { return [] }
        guarded.time += 1
        let stamp = ChangeStamp(time: guarded.time, node: link.id)
        func delta(_ group: String, _ field: String, _ value: JsonTree?) -> GroupDelta {
            guarded.stamps[group, default: [:]][field] = stamp
            return GroupDelta(group: group, field: field, value: value, stamp: stamp)
        }
        let parents = Dictionary(
            groups.map { ($0.key, ($0.new ?? $0.old).flatMap(\.parent)) }, uniquingKeysWith: { $1 })
        var byNamespace: [String: [GroupDelta]] = [:]
        for change in groups {
            var root = change.key
            var seen: Set<String> = []
            while seen.insert(root).inserted, let parent = parents[root] ?? guarded.state[root]?.parent {
                root = parent
            }
            guard let new = change.new else {
                byNamespace[root, default: []].append(delta(change.key, "", nil))
                continue
            }
            let before = change.old.map { GroupFields.split($0.tree) } ?? [:]
            byNamespace[root, default: []] += GroupFields.changes(from: before, to: GroupFields.split(new.tree))
                .map { delta(change.key, $0.field, $0.value) }
        }
        var news: [PeerNews] = []
        if !devices.isEmpty {
            news.append(
                .groups(devices.map { delta(Self.devicePrefix + $0.key, "", $0.new?.tree) }, namespace: nil))
        }
        return news + byNamespace.sorted { $0.key < $1.key }.map { .groups($0.value, namespace: $0.key) }
    }

    /// What another node's change did here.
    struct Merge: Sendable {
        var groups: [String] = []
        /// Contexts whose group is gone.
        var orphans: [String] = []
    }

    /// Takes over what is newer than what is known. Throws `DevNodeError`.
    func merge(_ deltas: [GroupDelta]) throws -> Merge {
        try guarded.withLock { guarded in
            var merge = Merge()
            var accepted: [GroupDelta] = []
            for (id, deltas) in Dictionary(grouping: deltas, by: \.group) {
                let isDevice = id.hasPrefix(Self.devicePrefix)
                let device = String(id.dropFirst(isDevice ? Self.devicePrefix.count : 0))
                let old = isDevice ? nil : guarded.state[id]
                var fields = old.map { GroupFields.split($0.tree) } ?? [:]
                let isKnownDevice = isDevice && guarded.state.devices[device] != nil
                let newer = deltas.filter { delta in
                    Self.isNewer(
                        delta, isHeld: isKnownDevice || fields[delta.field] != nil, guarded.stamps[id] ?? [:])
                }
                guard !newer.isEmpty else { continue }
                accepted += newer
                if isDevice {
                    guarded.state.devices[device] = newer.last?.value.flatMap(DeviceRecord.init)
                    continue
                }
                for delta in newer {
                    if delta.field.isEmpty { fields = [:] } else { fields[delta.field] = delta.value }
                }
                let new = fields.isEmpty ? nil : GroupRecord(GroupFields.join(fields))
                guard new != old else { continue }
                guarded.state.groups[id] = new
                merge.groups.append(id)
                for context in old?.contexts ?? [] where new?.contexts.contains(context) != true {
                    guarded.state.groupOfContext[context] = nil
                    if new == nil { merge.orphans.append(context) }
                }
                for context in new?.contexts ?? [] { guarded.state.groupOfContext[context] = id }
            }
            do {
                try Self.settle(&guarded)
            } catch {
                guarded.state.rollback()
                throw error
            }
            for delta in accepted {
                guarded.stamps[delta.group, default: [:]][delta.field] = delta.stamp
                guarded.time = max(guarded.time, delta.stamp.time)
            }
            return merge
        }
    }

    private static func isNewer(_ delta: GroupDelta, isHeld: Bool, _ stamps: [String: ChangeStamp]) -> Bool {
        // What came before the end of a group is over with it.
        if let end = stamps[""], delta.stamp <= end { return false }
        if let known = stamps[delta.field] { return delta.stamp > known }
        return !isHeld || delta.stamp > .origin
    }

    /// All that is known of devices.
    var devices: [GroupDelta] { snapshot(of: "") }

    /// All that is known of a namespace and of devices, also of what is gone.
    func snapshot(of namespace: String) -> [GroupDelta] {
        guarded.withLock { guarded in
            var deltas: [GroupDelta] = []
            func add(_ group: String, _ fields: [String: JsonTree]) {
                let stamps = guarded.stamps[group] ?? [:]
                for (field, value) in fields {
                    deltas.append(
                        GroupDelta(group: group, field: field, value: value, stamp: stamps[field] ?? .origin))
                }
                for (field, stamp) in stamps where fields[field] == nil {
                    deltas.append(GroupDelta(group: group, field: field, value: nil, stamp: stamp))
                }
            }
            for id in guarded.state.subtree(of: namespace) {
                guard let group = guarded.state[id] else { continue }
                add(id, GroupFields.split(group.tree))
            }
            for (id, device) in guarded.state.devices.entries { add(Self.devicePrefix + id, ["": device.tree]) }
            for (id, stamps) in guarded.stamps where guarded.state[id] == nil && !id.hasPrefix(Self.devicePrefix) {
                if let end = stamps[""] { deltas.append(GroupDelta(group: id, field: "", value: nil, stamp: end)) }
            }
            return deltas
        }
    }

    /// Forgets a namespace here and tells nobody; what comes of it later is new again. The contexts that were in it.
    /// Throws `DevNodeError`.
    func forget(_ namespace: String) throws -> [String] {
        try guarded.withLock { guarded in
            let groups = guarded.state.subtree(of: namespace)
            let contexts = guarded.state.erase(namespace)
            do {
                try Self.settle(&guarded)
            } catch {
                guarded.state.rollback()
                throw error
            }
            for id in groups {
                guarded.stamps[id] = nil
                guarded.heads[id] = nil
            }
            return contexts
        }
    }

    // MARK: - Short ways

    func group(ofContext id: String) -> String? { read { $0.groupOfContext[id] } }

    /// Nil for who is no member, neither here nor through open groups in an ancestor.
    func role(of account: String, in id: String) -> DevRole? { read { $0.role(of: account, in: id) } }

    /// Remembers a device whose certificate holds, so that its key can be told to be an account's.
    func learn(_ certificate: DeviceCertificate) {
        let device = Hex.encode(certificate.device)
        let record = DeviceRecord(
            account: Hex.encode(certificate.account), signingKey: Hex.encode(certificate.signPublicKey),
            agreementKey: Hex.encode(certificate.kemPublicKey))
        guard read({ $0.devices[device]?.isCertified(like: record) != true }) else { return }
        // What cannot be kept is only forgotten earlier.
        try? change { $0.learn(device: device, record) }
    }
}
