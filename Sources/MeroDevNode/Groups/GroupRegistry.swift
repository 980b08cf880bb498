import Foundation
import MeroKit

/// The groups the node knows: who is in them, and which contexts they govern.
final class GroupRegistry: Sendable {
    private struct Guarded {
        var state = GroupState()
        var journal: Journal?
        /// Every state a namespace was in since the node started; what a warrant may cite as its floor.
        var heads: [String: Set<String>] = [:]
    }

    private static let devicePrefix = "device:"

    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let guarded: Locked<Guarded>

    init(directory: DataDirectory?) throws {
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

    /// Changes the groups and makes it durable, or leaves them as they were and throws.
    func change<Result>(_ body: (inout GroupState) throws -> Result) throws -> Result {
        try guarded.withLock { guarded in
            do {
                let result = try body(&guarded.state)
                let changed = guarded.state.groups.changes
                if let journal = guarded.journal {
                    let state = guarded.state
                    var changes: [(key: String, value: JsonTree?)] = changed.map { ($0.key, $0.new?.tree) }
                    changes += state.devices.changes.map { (Self.devicePrefix + $0.key, $0.new?.tree) }
                    try journal.record(changes) { Self.snapshot(state) }
                }
                guarded.state.commit()
                for change in changed { Self.note(change.key, &guarded) }
                return result
            } catch {
                guarded.state.rollback()
                throw error
            }
        }
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
        guard read({ $0.devices[device] != record }) else { return }
        // What cannot be kept is only forgotten earlier.
        try? change { $0.learn(device: device, record) }
    }
}
