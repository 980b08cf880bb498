/// What members do to members. The actor is an account; every call throws `NodeRefusal` for what it may not do.
///
/// Spec: 30, sections 5.4, 5.5 and 6.
extension GroupState {
    static let teeRoles = NodeRefusal(
        400, "TEE roles (ReadOnlyTee, RelayTee) can only be assigned via TEE attestation")
    static let lastAdmin = NodeRefusal(409, "the last admin of a group cannot be removed or demoted")
    static let ownerStays = NodeRefusal(403, "the owner of a group cannot leave it or be removed")
    static let noMember = NodeRefusal(404, "no such member in this group")

    /// Why there is no direct member to change.
    func noDirectMember(_ account: String, in id: String) -> NodeRefusal {
        guard membership(of: account, in: id) != nil else { return Self.noMember }
        return NodeRefusal(409, "\(account) is not a direct member of group \(id)")
    }

    func require(_ capability: UInt32, _ actor: String, in id: String) throws {
        guard !holds(capability, actor, in: id) else { return }
        throw NodeRefusal(
            403, "\(actor) is not an admin of group \(id) and \(GroupCapability.name(capability)) is not set")
    }

    func requireAdmin(_ actor: String, in id: String) throws {
        guard !isAdmin(actor, in: id) else { return }
        throw NodeRefusal(403, "\(actor) is not an admin of group \(id)")
    }

    private func checkRole(_ role: DevRole, by actor: String, in id: String) throws {
        guard role == .admin || role == .member || role == .readOnly else { throw Self.teeRoles }
        try require(GroupCapability.manageMembers, actor, in: id)
        if role == .admin { try requireAdmin(actor, in: id) }
    }

    /// Throws unless the group keeps an administrator without this member.
    private func checkAdminRemains(without account: String, in id: String) throws {
        guard let group = groups[id], group.members[account]?.role == .admin else { return }
        guard group.members.contains(where: { $0.key != account && $0.value.role == .admin }) else {
            throw Self.lastAdmin
        }
    }

    mutating func addMember(_ account: String, role: DevRole, to id: String, by actor: String) throws {
        try checkRole(role, by: actor, in: id)
        guard groups[id]?.members[account] == nil else {
            throw NodeRefusal(409, "\(account) is a direct member of group \(id) already")
        }
        _ = setMember(account, role: role, in: id)
        namespace(of: id).map { _ = groups[$0]?.barred.remove(account) }
    }

    mutating func setRole(_ role: DevRole, of account: String, in id: String, by actor: String) throws {
        try checkRole(role, by: actor, in: id)
        guard let member = groups[id]?.members[account] else { throw noDirectMember(account, in: id) }
        if member.role == .readOnlyTee || member.role == .relayTee {
            throw NodeRefusal(403, "the role of a TEE follows from its attestation and cannot be set")
        }
        if member.role == .admin { try requireAdmin(actor, in: id) }
        if role != .admin { try checkAdminRemains(without: account, in: id) }
        groups[id]?.members[account]?.role = role
    }

    /// The groups that the account was a direct member of until now: who goes from a namespace goes from all of it.
    mutating func removeMember(_ account: String, from id: String, by actor: String) throws -> [String] {
        try require(GroupCapability.manageMembers, actor, in: id)
        guard let group = groups[id], let member = group.members[account] else {
            throw noDirectMember(account, in: id)
        }
        if member.role == .admin { try requireAdmin(actor, in: id) }
        let left = try checkDeparture(of: account, from: id)
        for id in left { groups[id]?.members[account] = nil }
        // Who was removed from a namespace does not come back with an invitation.
        if group.parent == nil { groups[id]?.barred.insert(account) }
        return left
    }

    private func checkDeparture(of account: String, from id: String) throws -> [String] {
        let left = (groups[id]?.parent == nil ? subtree(of: id) : [id]).filter { groups[$0]?.members[account] != nil }
        guard groups[id]?.owner != account else { throw Self.ownerStays }
        if let owned = left.first(where: { groups[$0]?.owner == account }) {
            throw NodeRefusal(409, "\(account) still owns subgroup \(owned)")
        }
        for id in left { try checkAdminRemains(without: account, in: id) }
        return left
    }

    /// The groups that the account was a direct member of until now: leaving a namespace leaves all of it.
    mutating func leave(_ id: String, by account: String) throws -> [String] {
        guard let group = groups[id] else { throw RelayService.unknownGroup }
        guard group.members[account] != nil else {
            guard membership(of: account, in: id) != nil else { throw Self.noMember }
            throw NodeRefusal(409, "\(account) belongs to group \(id) only by inheritance")
        }
        let left = try checkDeparture(of: account, from: id)
        for id in left { groups[id]?.members[account] = nil }
        return left
    }

    mutating func setCapabilities(_ mask: UInt32, of account: String, in id: String, by actor: String) throws {
        try requireAdmin(actor, in: id)
        guard groups[id]?.members[account] != nil else { throw noDirectMember(account, in: id) }
        groups[id]?.members[account]?.capabilities = mask
    }

    mutating func setDefaultCapabilities(_ mask: UInt32, in id: String, by actor: String) throws {
        try requireAdmin(actor, in: id)
        groups[id]?.defaultCapabilities = mask
    }

    /// Makes an inherited membership a direct one.
    mutating func joinOpen(_ id: String, by account: String) throws {
        guard let group = groups[id] else { throw NodeRefusal(404, "this node knows no such group") }
        guard group.members[account] == nil else { throw NodeRefusal(409, "signer \(account) is a direct member") }
        guard group.isOpen, let membership = membership(of: account, in: id) else {
            throw NodeRefusal(
                403, "\(account) may not join group \(id): it is restricted, or CAN_JOIN_OPEN_SUBGROUPS is not set")
        }
        let role: DevRole = membership.role == .readOnly ? .readOnly : .member
        _ = setMember(account, role: role, in: id)
    }
}
