import Foundation
import MeroKit

/// Groups, as far as event subscriptions ask for them.
extension DevNode {
    /// The account the node acts as, 64 hex. Whoever logs in with a password acts as this account.
    public var accountId: String { core.identity.accountId }

    /// Creates a group with the node's account as its administrator, and returns its id (64 hex). One that exists is left
    /// as it is.
    ///
    /// - Parameters:
    ///   - parent: the group it is a part of.
    ///   - isOpen: whether members of the parent are members here as well.
    /// - Throws: ``DevNodeError``.
    @discardableResult
    public func createGroup(id: String? = nil, parent: String? = nil, isOpen: Bool = false) throws -> String {
        let id = try id.map(ContextRuntime.checkedId) ?? Hex.encode(SecureRandom.bytes(32))
        let parent = try parent.map(ContextRuntime.checkedId)
        if let parent, core.groups.members(of: parent) == nil { throw DevNodeError.unknownGroup(parent) }
        try core.groups.create(id, parent: parent, isOpen: isOpen, admin: accountId)
        return id
    }

    /// Adds an account to a group, or changes its role, and tells the group: `MemberAdded`, or `MemberJoined` when it
    /// joined by itself. Throws ``DevNodeError``.
    public func addMember(
        _ account: String, role: DevRole = .member, joinsByItself: Bool = false, group: String
    ) throws {
        let account = account.lowercased()
        let group = group.lowercased()
        guard try core.groups.setMember(account, role: role, in: group) else {
            throw DevNodeError.unknownGroup(group)
        }
        core.events.recheck()
        emit(
            joinsByItself ? .memberJoined(account: account, role: role) : .memberAdded(account: account, role: role),
            group: group)
    }

    /// Removes an account from a group. The group is told (`MemberRemoved`), the removed one included; then its
    /// subscriptions go. False when it is no member. Throws ``DevNodeError``.
    @discardableResult
    public func removeMember(_ account: String, group: String) throws -> Bool {
        let account = account.lowercased()
        let group = group.lowercased()
        guard try core.groups.removeMember(account, from: group) else { return false }
        emit(.memberRemoved(account: account), group: group)
        core.events.recheck()
        return true
    }

    /// The members of a group by account; nil when there is no such group.
    public func members(group: String) -> [String: DevRole]? { core.groups.members(of: group.lowercased()) }

    /// Makes a group govern a context: from now on only the group's members hear of it. Throws ``DevNodeError``; a context
    /// stays with its first group.
    public func assign(context: String, toGroup group: String) throws {
        guard let box = core.contexts[context] else { throw DevNodeError.unknownContext(context) }
        guard try core.groups.assign(context: box.id, to: group.lowercased()) else {
            throw DevNodeError.unknownGroup(group)
        }
        core.events.recheck()
    }
}
