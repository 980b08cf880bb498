import Foundation
import MeroKit

/// All groups, and who is what in them: a value that is changed as a whole or not at all.
///
/// Spec: 30, sections 5 and 6.
struct GroupState: Sendable {
    var groups = UndoMap<GroupRecord>()
    /// By device id.
    var devices = UndoMap<DeviceRecord>()
    var groupOfContext = UndoMap<String>()

    mutating func commit() {
        groups.commit()
        devices.commit()
        groupOfContext.commit()
    }

    mutating func rollback() {
        groups.rollback()
        devices.rollback()
        groupOfContext.rollback()
    }

    // MARK: - The tree

    subscript(id: String) -> GroupRecord? { groups[id] }

    /// The group, its parent, and so on up to the namespace. Empty for an unknown group.
    func lineage(of id: String) -> [String] {
        var line: [String] = []
        var next: String? = id
        while let id = next, !line.contains(id), let group = groups[id] {
            line.append(id)
            next = group.parent
        }
        return line
    }

    /// The root that a group is part of; nil for an unknown group.
    func namespace(of id: String) -> String? { lineage(of: id).last }

    /// In the order of their creation.
    func children(of id: String) -> [String] {
        groups.entries.filter { $0.value.parent == id }
            .sorted { ($0.value.createdAt, $0.key) < ($1.value.createdAt, $1.key) }.map(\.key)
    }

    /// The group and everything below it.
    func subtree(of id: String) -> [String] {
        var found = groups[id] == nil ? [] : [id]
        var next = 0
        while next < found.count {
            found += children(of: found[next]).filter { !found.contains($0) }
            next += 1
        }
        return found
    }

    // MARK: - Membership

    struct Membership: Sendable, Equatable {
        var role: DevRole
        var capabilities: UInt32
        /// The group that the account is a direct member of.
        var group: String
    }

    /// Nil for who is no member, neither here nor through open groups in an ancestor.
    func membership(of account: String, in id: String) -> Membership? {
        var isInherited = false
        for id in lineage(of: id) {
            guard let group = groups[id] else { return nil }
            if let member = group.members[account] {
                let mayInherit =
                    member.role == .admin || member.capabilities & GroupCapability.joinOpenSubgroups != 0
                return isInherited && !mayInherit
                    ? nil : Membership(role: member.role, capabilities: member.capabilities, group: id)
            }
            guard group.isOpen else { return nil }
            isInherited = true
        }
        return nil
    }

    func role(of account: String, in id: String) -> DevRole? { membership(of: account, in: id)?.role }

    func isAdmin(_ account: String, in id: String) -> Bool { role(of: account, in: id) == .admin }

    /// Whether a member may do something. Administrators may do everything but act on behalf of others.
    func holds(_ capability: UInt32, _ account: String, in id: String) -> Bool {
        guard let membership = membership(of: account, in: id) else { return false }
        if membership.role == .admin, capability != GroupCapability.authorOnBehalf { return true }
        return membership.role == .member && membership.capabilities & capability == capability
    }

    /// The group in which an account was granted to act for members; nil for nowhere.
    func authorshipGrant(of account: String, in id: String) -> String? {
        for id in lineage(of: id) {
            guard let group = groups[id] else { return nil }
            if let member = group.members[account],
                member.role == .relayTee || member.capabilities & GroupCapability.authorOnBehalf != 0
            {
                return id
            }
            guard group.isOpen else { return nil }
        }
        return nil
    }

    func isRevoked(device: String, in id: String) -> Bool {
        namespace(of: id).flatMap { groups[$0] }?.revokedDevices.contains(device) ?? false
    }

    /// The groups that a device reaches for its account. A nil device is never revoked.
    func reach(of account: String, device: String?) -> Set<String> {
        Set(
            groups.entries.keys.filter { id in
                membership(of: account, in: id) != nil && device.map { !isRevoked(device: $0, in: id) } ?? true
            })
    }

    /// Direct members first by account, then those who inherit.
    func members(of id: String) -> [(account: String, membership: Membership)] {
        var accounts: Set<String> = []
        for id in lineage(of: id) { accounts.formUnion(groups[id].map { Array($0.members.keys) } ?? []) }
        return accounts.compactMap { account in membership(of: account, in: id).map { (account, $0) } }
            .sorted { ($0.1.group == id ? 0 : 1, $0.0) < ($1.1.group == id ? 0 : 1, $1.0) }
    }

    /// The account behind a device's signing key, if the device was ever seen.
    func account(ofSigningKey key: String) -> String? {
        devices.entries.values.first { $0.signingKey == key }?.account
    }

    /// The devices of an account that still count in a namespace.
    func devices(of account: String, in id: String) -> [(id: String, record: DeviceRecord)] {
        devices.entries.filter { $0.value.account == account && isBound(device: $0.key, in: id) }
            .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether a device speaks for its account in a namespace.
    func isBound(device: String, in id: String) -> Bool {
        guard let record = devices[device], !record.isRevoked, !isRevoked(device: device, in: id) else { return false }
        return !record.isManaged
            || namespace(of: id).flatMap { groups[$0] }?.boundDevices.contains(device) ?? false
    }

    /// The namespaces in which an account is a member, in the root or below it.
    func namespaces(of account: String) -> [String] {
        roots.filter { root in subtree(of: root).contains { groups[$0]?.members[account] != nil } }
    }

    /// In the order of their creation.
    var roots: [String] {
        groups.entries.filter { $0.value.parent == nil }
            .sorted { ($0.value.createdAt, $0.key) < ($1.value.createdAt, $1.key) }.map(\.key)
    }

    /// Equal where members, roles, capabilities and settings are equal.
    func stateHash(of id: String) -> String {
        let tree = groups[id].map { GroupFields.digestible($0.tree) } ?? [:]
        return Hex.encode(Digest.sha256(Array("group-state".utf8) + tree.bytes))
    }

    // MARK: - Plain changes

    /// Puts a context into a group; false when it belongs to another one already or there is no such group.
    mutating func attach(context: String, to id: String) -> Bool {
        if let known = groupOfContext[context] { return known == id }
        guard groups[id] != nil else { return false }
        groups[id]?.contexts.append(context)
        groupOfContext[context] = id
        return true
    }

    mutating func detach(context: String) {
        guard let id = groupOfContext[context] else { return }
        groups[id]?.contexts.removeAll { $0 == context }
        groups[id]?.contextMetadata[context] = nil
        groups[id]?.contextCapabilities[context] = nil
        groupOfContext[context] = nil
    }

    /// Adds a member with the group's defaults, or changes the role of one that is there. False for an unknown group.
    mutating func setMember(_ account: String, role: DevRole, in id: String) -> Bool {
        guard let group = groups[id] else { return false }
        if group.members[account] == nil {
            groups[id]?.members[account] = GroupMember(role: role, capabilities: group.defaultCapabilities)
        } else {
            groups[id]?.members[account]?.role = role
        }
        return true
    }

    /// Remembers a device whose certificate holds. What is known of it besides stays.
    mutating func learn(device: String, _ record: DeviceRecord) {
        guard var known = devices[device] else {
            devices[device] = record
            return
        }
        guard !known.isCertified(like: record) else { return }
        known.account = record.account
        known.signingKey = record.signingKey
        known.agreementKey = record.agreementKey
        devices[device] = known
    }
}
