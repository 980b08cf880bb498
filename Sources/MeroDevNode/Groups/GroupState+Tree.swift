/// Namespaces and the groups below them. Every call throws `NodeRefusal`.
///
/// Spec: 30, sections 4 and 5.
extension GroupState {
    static func exists(_ id: String) -> NodeRefusal {
        NodeRefusal(409, "group \(id) already exists; pick a fresh random id for the new subgroup")
    }

    mutating func found(_ id: String, founder: String, salt: String?, at now: Int64) throws {
        guard groups[id] == nil else { throw Self.exists(id) }
        var group = GroupRecord(owner: founder)
        group.createdAt = now
        group.salt = salt
        group.members[founder] = GroupMember(role: .admin, capabilities: group.defaultCapabilities)
        groups[id] = group
    }

    mutating func create(_ new: NewSubgroup, in namespace: String, by actor: String, at now: Int64) throws {
        try require(GroupCapability.createSubgroup, actor, in: namespace)
        guard new.admin == actor else {
            throw NodeRefusal(403, "a new subgroup is its author's: the op names another admin")
        }
        guard new.derivedId == new.id else {
            throw NodeRefusal(400, "this subgroup id is not one that its admin, parent, visibility and salt make")
        }
        guard let parent = groups[new.parent] else { throw NodeRefusal(404, "the parent group is not known here") }
        guard self.namespace(of: new.parent) == namespace else {
            throw NodeRefusal(400, "the parent group is part of another namespace")
        }
        guard groups[new.id] == nil else { throw Self.exists(new.id) }
        var group = GroupRecord(parent: new.parent, isOpen: !new.isRestricted, owner: new.admin)
        group.createdAt = now
        group.defaultCapabilities = parent.defaultCapabilities
        group.target = parent.target
        group.members[new.admin] = GroupMember(role: .admin, capabilities: parent.defaultCapabilities)
        groups[new.id] = group
    }

    mutating func reparent(_ child: String, to parent: String, in namespace: String, by actor: String) throws {
        try requireAdmin(actor, in: namespace)
        guard child != parent else { throw NodeRefusal(400, "a group cannot be its own parent") }
        guard groups[child] != nil, groups[parent] != nil else {
            throw NodeRefusal(404, "this node knows no such group")
        }
        guard child != namespace else { throw NodeRefusal(400, "a namespace has no parent") }
        guard self.namespace(of: child) == namespace, self.namespace(of: parent) == namespace else {
            throw NodeRefusal(400, "both groups have to be part of the namespace")
        }
        guard !subtree(of: child).contains(parent) else {
            throw NodeRefusal(409, "group \(parent) is below group \(child): that would be a cycle")
        }
        groups[child]?.parent = parent
    }

    /// The groups that went, with their contexts.
    mutating func delete(
        _ id: String, in namespace: String, by actor: String
    ) throws -> (groups: [String], contexts: [String]) {
        guard groups[id] != nil else { throw NodeRefusal(404, "this node knows no such group") }
        guard id != namespace else { throw NodeRefusal(400, "a namespace is not deleted as a group") }
        guard self.namespace(of: id) == namespace else {
            throw NodeRefusal(400, "the group is part of another namespace")
        }
        if !isAdmin(actor, in: id) { try require(GroupCapability.deleteSubgroup, actor, in: namespace) }
        return (subtree(of: id), erase(id))
    }

    mutating func detach(context: String, from id: String, by actor: String) throws {
        try requireAdmin(actor, in: id)
        guard groupOfContext[context] == id else { throw NodeRefusal(404, "the context is not in this group") }
        detach(context: context)
    }
}
