/// What a group is called, what runs in it, who sees it. Every call throws `NodeRefusal`.
///
/// Spec: 30, sections 5.9 and 6.
extension GroupState {
    mutating func setTarget(_ target: GroupTarget, of id: String, by actor: String) throws {
        try require(GroupCapability.manageApplication, actor, in: id)
        groups[id]?.target = target
    }

    mutating func setVisibility(isOpen: Bool, of id: String, by actor: String) throws {
        try require(GroupCapability.manageVisibility, actor, in: id)
        guard groups[id]?.parent != nil else { throw NodeRefusal(400, "a namespace has no visibility") }
        groups[id]?.isOpen = isOpen
    }

    /// `signer` is the device that is told to have written it, when it is known.
    mutating func setMetadata(
        _ label: GroupLabel, of id: String, by actor: String, signer: String? = nil, at now: Int64
    ) throws {
        try require(GroupCapability.manageMetadata, actor, in: id)
        let next = try Self.metadata(label, over: groups[id]?.metadata, by: signer ?? actor, at: now)
        groups[id]?.metadata = next
    }

    mutating func setMetadata(
        _ label: GroupLabel, ofMember account: String, in id: String, by actor: String, signer: String? = nil,
        at now: Int64
    ) throws {
        if account != actor { try require(GroupCapability.manageMetadata, actor, in: id) }
        guard let member = groups[id]?.members[account] else { throw noDirectMember(account, in: id) }
        let next = try Self.metadata(label, over: member.metadata, by: signer ?? actor, at: now)
        groups[id]?.members[account]?.metadata = next
    }

    mutating func setMetadata(
        _ label: GroupLabel, ofContext context: String, in id: String, by actor: String, signer: String? = nil,
        at now: Int64
    ) throws {
        try require(GroupCapability.manageMetadata, actor, in: id)
        guard groupOfContext[context] == id else { throw NodeRefusal(404, "the context is not in this group") }
        let old = groups[id]?.contextMetadata[context]
        let next = try Self.metadata(label, over: old, by: signer ?? actor, at: now)
        groups[id]?.contextMetadata[context] = next
    }

    private static func metadata(
        _ label: GroupLabel, over old: GroupMetadata?, by actor: String, at now: Int64
    ) throws -> GroupMetadata {
        func problem(_ why: String) -> NodeRefusal { NodeRefusal(400, "Field 'metadata' has invalid format: \(why)") }
        if let name = label.name, !(1...64).contains(name.utf8.count) {
            throw problem("a name has 1 to 64 bytes")
        }
        guard label.data.count <= 64 else { throw problem("there are at most 64 entries") }
        for entry in label.data {
            guard (1...64).contains(entry.key.utf8.count) else { throw problem("a key has 1 to 64 bytes") }
            guard entry.value.utf8.count <= 4096 else { throw problem("a value has at most 4096 bytes") }
        }
        return GroupMetadata(name: label.name ?? old?.name, data: label.data, updatedAt: now, updatedBy: actor)
    }

    mutating func changeContextCapability(
        _ capability: UInt8, of account: String, context: String, in id: String, grants: Bool, by actor: String
    ) throws {
        try requireAdmin(actor, in: id)
        guard capability != 0 else { throw NodeRefusal(400, "a context capability must be 1 to 255") }
        guard groupOfContext[context] == id else { throw NodeRefusal(404, "the context is not in this group") }
        guard membership(of: account, in: id) != nil else { throw Self.noMember }
        let held = groups[id]?.contextCapabilities[context]?[account] ?? 0
        let next = grants ? held | capability : held & ~capability
        groups[id]?.contextCapabilities[context, default: [:]][account] = next == 0 ? nil : next
    }
}
