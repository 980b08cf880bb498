import Foundation
import MeroKit

/// Namespaces, groups and their members.
extension DevNode {
    /// The account the node acts as, 64 hex. Whoever logs in with a password acts as this account, and a warrant names it
    /// as its executor.
    public var accountId: String { core.identity.accountId }

    /// Creates a namespace and returns its id (64 hex).
    ///
    /// - Parameters:
    ///   - founder: who is its administrator and owner; the node's account unless given.
    ///   - members: who else is in it, by account.
    ///   - memberCapabilities: what its members may do (spec 30, section 6.1); 4 lets them into open subgroups, 231 is
    ///     what an account's own founding asks for.
    ///   - contract: what runs in its contexts; the first context's contract unless given.
    ///   - isRelay: whether the node may act for members there (`CAN_AUTHOR_ON_BEHALF`). It is a plain member then, unless
    ///     it is the founder.
    /// - Throws: ``DevNodeError``.
    @discardableResult
    public func createNamespace(
        founder: String? = nil, members: [String: DevRole] = [:], memberCapabilities: UInt32 = 4,
        contract: (any DevContract)? = nil, isRelay: Bool = true
    ) throws -> String {
        let founder = try founder.map(ContextRuntime.checkedId) ?? accountId
        let salt = Hex.encode(SecureRandom.bytes(32))
        guard let id = try? GovernanceOps.foundedNamespaceId(founder: founder, salt: salt) else {
            throw DevNodeError.invalidId(founder)
        }
        let accounts = try members.map { (try ContextRuntime.checkedId($0.key), $0.value) }
        if let contract { core.contexts.learn(contract) }
        try core.groups.change { state in
            try state.found(id, founder: founder, salt: salt, at: clock.seconds)
            state.groups[id]?.defaultCapabilities = memberCapabilities
            state.groups[id]?.target = contract.map { ReleaseCatalog.firstRelease(ofContract: $0.name) }
            _ = state.setMember(accountId, role: founder == accountId ? .admin : .member, in: id)
            if isRelay { state.groups[id]?.members[accountId]?.capabilities |= GroupCapability.authorOnBehalf }
            for (account, role) in accounts { _ = state.setMember(account, role: role, in: id) }
        }
        return id
    }

    /// Creates a group with the node's account as its administrator, and returns its id (64 hex). One that exists is left
    /// as it is.
    ///
    /// - Parameters:
    ///   - id: 64 hex; nil takes a new one.
    ///   - parent: the group it is a part of.
    ///   - isOpen: whether members of the parent are members here as well.
    /// - Throws: ``DevNodeError``.
    @discardableResult
    public func createGroup(id: String? = nil, parent: String? = nil, isOpen: Bool = false) throws -> String {
        let id = try id.map(ContextRuntime.checkedId) ?? Hex.encode(SecureRandom.bytes(32))
        let parent = try parent.map(ContextRuntime.checkedId)
        try core.groups.change { state in
            if let parent, state[parent] == nil { throw DevNodeError.unknownGroup(parent) }
            guard state[id] == nil else { return }
            var group = GroupRecord(parent: parent, isOpen: isOpen, owner: accountId)
            group.createdAt = clock.seconds
            group.target = parent.flatMap { state[$0]?.target }
            group.defaultCapabilities = parent.flatMap { state[$0]?.defaultCapabilities } ?? GroupCapability.initial
            group.members[accountId] = GroupMember(role: .admin, capabilities: group.defaultCapabilities)
            state.groups[id] = group
        }
        return id
    }

    /// Adds an account to a group, or changes its role, and tells the group: `MemberAdded`, or `MemberJoined` when it
    /// joined by itself. A new member may do what the group lets new members do. Throws ``DevNodeError``.
    public func addMember(
        _ account: String, role: DevRole = .member, joinsByItself: Bool = false, group: String
    ) throws {
        let account = account.lowercased()
        let group = group.lowercased()
        guard try core.groups.change({ $0.setMember(account, role: role, in: group) }) else {
            throw DevNodeError.unknownGroup(group)
        }
        let event: DevEvent =
            joinsByItself ? .memberJoined(account: account, role: role) : .memberAdded(account: account, role: role)
        announce([(event, group)], in: group)
    }

    /// Removes an account from a group. The group is told (`MemberRemoved`), the removed one included; then its
    /// subscriptions go. False when it is no member. Throws ``DevNodeError``.
    @discardableResult
    public func removeMember(_ account: String, group: String) throws -> Bool {
        let account = account.lowercased()
        let group = group.lowercased()
        guard try core.groups.change({ $0.groups[group]?.members.removeValue(forKey: account) != nil }) else {
            return false
        }
        announce([(.memberRemoved(account: account), group)], in: group)
        return true
    }

    /// The direct members of a group by account; nil when there is no such group.
    public func members(group: String) -> [String: DevRole]? {
        core.groups.read { $0[group.lowercased()]?.members.mapValues(\.role) }
    }

    /// What a member may do, as a mask (spec 30, section 6.1); nil for who is no member.
    public func capabilities(of account: String, group: String) -> UInt32? {
        core.groups.read { $0.membership(of: account.lowercased(), in: group.lowercased())?.capabilities }
    }

    /// Sets what a direct member may do. Throws ``DevNodeError``.
    public func setCapabilities(_ mask: UInt32, of account: String, group: String) throws {
        try changeGroup(group) { $0.members[account.lowercased()]?.capabilities = mask }
    }

    /// Sets what later members may do. Throws ``DevNodeError``.
    public func setDefaultCapabilities(_ mask: UInt32, group: String) throws {
        try changeGroup(group) { $0.defaultCapabilities = mask }
    }

    /// Whether members of the parent are members here as well. Throws ``DevNodeError``.
    public func setVisibility(isOpen: Bool, group: String) throws {
        try changeGroup(group) { $0.isOpen = isOpen }
        announce([], in: group)
    }

    /// The groups below a group, in the order of their creation.
    public func subgroups(of group: String) -> [String] { core.groups.read { $0.children(of: group.lowercased()) } }

    /// The name of a group, as its metadata have it.
    public func name(ofGroup group: String) -> String? { core.groups.read { $0[group.lowercased()]?.metadata?.name } }

    /// The contexts of a group, in the order in which they came; nil when there is no such group.
    public func contexts(ofGroup group: String) -> [String]? { core.groups.read { $0[group.lowercased()]?.contexts } }

    /// The group that governs a context, 64 hex; nil for one that is in none.
    public func group(ofContext context: String) -> String? { core.groups.group(ofContext: context.lowercased()) }

    /// Makes a group govern a context: from now on only the group's members hear of it and may call it. The group runs the
    /// context's application from now on if it ran none. Throws ``DevNodeError``; a context stays with its first group.
    public func assign(context: String, toGroup group: String) throws {
        guard let box = core.contexts[context] else { throw DevNodeError.unknownContext(context) }
        let group = group.lowercased()
        let target = core.applications.target(ofApplication: box.applicationId)
        let isTaken = try core.groups.change { state -> Bool in
            guard state.attach(context: box.id, to: group) else { return false }
            if state[group]?.target == nil { state.groups[group]?.target = target }
            return true
        }
        guard isTaken else { throw DevNodeError.unknownGroup(group) }
        announce([], in: group)
    }

    /// Creates a context that a group governs, and returns its id (64 hex). Throws ``DevNodeError``.
    @discardableResult
    public func createContext(_ contract: any DevContract, id: String? = nil, inGroup group: String) throws -> String {
        guard core.groups.read({ $0[group.lowercased()] }) != nil else { throw DevNodeError.unknownGroup(group) }
        let context = try createContext(contract, id: id)
        try assign(context: context, toGroup: group)
        return context
    }

    func announce(_ events: [GroupEvent], in group: String) {
        core.events.announce(events, namespace: core.groups.read { $0.namespace(of: group.lowercased()) })
    }

    func changeGroup(_ group: String, _ body: (inout GroupRecord) -> Void) throws {
        let id = group.lowercased()
        try core.groups.change { state in
            guard var record = state[id] else { throw DevNodeError.unknownGroup(group) }
            body(&record)
            state.groups[id] = record
        }
    }
}
