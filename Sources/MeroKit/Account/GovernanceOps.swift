import Foundation

/// Makes the ops that a relay may be asked to carry out, in the form in which they are signed: what only a node can
/// compute is left blank.
///
/// Ids and accounts are 64 hex characters, roles `Admin`, `Member` or `ReadOnly`. All throw `AccountError.invalidInput`.
/// Spec: 50, section 12.
public enum GovernanceOps {
    /// `CAN_AUTHOR_ON_BEHALF`: a relay never grants it.
    static let reservedCapability: UInt32 = 1 << 9

    // MARK: Members

    /// Takes an account into the group.
    public static func memberAdded(member: String, role: String) throws -> Warrants.GovernanceOp {
        try group(1) { writer in
            writer.raw(try Hex.id(member, "member"))
            writer.u8(try roleByte(role))
        }
    }

    /// Puts an account out of the group.
    public static func memberRemoved(member: String) throws -> Warrants.GovernanceOp {
        try departure(2, of: member)
    }

    /// The author leaves the group; `member` is the author's account.
    public static func memberLeft(member: String) throws -> Warrants.GovernanceOp { try departure(3, of: member) }

    /// Changes a member's role.
    public static func memberRoleSet(member: String, role: String) throws -> Warrants.GovernanceOp {
        try group(4) { writer in
            writer.raw(try Hex.id(member, "member"))
            writer.u8(try roleByte(role))
        }
    }

    /// Changes what a member may do; see `Capabilities`.
    public static func memberCapabilitySet(member: String, capabilities: UInt32) throws -> Warrants.GovernanceOp {
        try group(5) { writer in
            writer.raw(try Hex.id(member, "member"))
            writer.u32(try checked(capabilities))
        }
    }

    /// Changes what new members may do; see `Capabilities`.
    public static func defaultCapabilitiesSet(capabilities: UInt32) throws -> Warrants.GovernanceOp {
        try group(6) { $0.u32(try checked(capabilities)) }
    }

    // MARK: Applications and contexts

    /// Names what runs in a group that runs nothing yet.
    public static func targetApplicationSet(
        applicationId: String, package: String, version: String
    ) throws -> Warrants.GovernanceOp {
        guard !package.isEmpty, !version.isEmpty else {
            throw AccountError.invalidInput("package and version of an application must not be empty")
        }
        return try group(7) { writer in
            // The relay fills in the program's id.
            writer.raw(blankHash)
            writer.raw(try Hex.id(applicationId, "applicationId"))
            writer.string(package)
            writer.string(version)
        }
    }

    /// Takes a context out of the group.
    public static func contextDetached(contextId: String) throws -> Warrants.GovernanceOp {
        try group(9) { $0.raw(try Hex.id(contextId, "contextId")) }
    }

    /// Grants one capability in one context; 1…255.
    public static func contextCapabilityGranted(
        contextId: String, member: String, capability: UInt8
    ) throws -> Warrants.GovernanceOp {
        try contextCapability(16, contextId, member, capability)
    }

    /// Takes back one capability in one context; 1…255.
    public static func contextCapabilityRevoked(
        contextId: String, member: String, capability: UInt8
    ) throws -> Warrants.GovernanceOp {
        try contextCapability(17, contextId, member, capability)
    }

    // MARK: Names

    /// Says who sees a subgroup: `open` or `restricted`.
    public static func subgroupVisibilitySet(mode: String) throws -> Warrants.GovernanceOp {
        guard let value: UInt8 = ["open": 0, "restricted": 1][mode] else {
            throw AccountError.invalidInput("mode must be open or restricted")
        }
        return try group(10) { $0.u8(value) }
    }

    /// Names the group.
    public static func groupMetadataSet(name: String?, data: [String: String] = [:]) throws -> Warrants.GovernanceOp {
        try groupMetadataSet(name: name, entries: data.map { $0 })
    }

    /// Names a member.
    public static func memberMetadataSet(
        member: String, name: String?, data: [String: String] = [:]
    ) throws -> Warrants.GovernanceOp {
        try memberMetadataSet(member: member, name: name, entries: data.map { $0 })
    }

    /// Names a context.
    public static func contextMetadataSet(
        contextId: String, name: String?, data: [String: String] = [:]
    ) throws -> Warrants.GovernanceOp {
        try contextMetadataSet(contextId: contextId, name: name, entries: data.map { $0 })
    }

    // MARK: The tree of groups

    /// Founds a subgroup. `groupId` must be `createdSubgroupId` of the rest; `subgroupCreation` sees to it.
    public static func groupCreated(
        groupId: String, parentId: String, restricted: Bool, admin: String, salt: String
    ) throws -> Warrants.GovernanceOp {
        try root(0) { writer in
            writer.raw(try Hex.id(groupId, "groupId") + Hex.id(parentId, "parentId"))
            writer.bool(restricted)
            writer.raw(try Hex.id(admin, "admin") + Hex.id(salt, "salt"))
        }
    }

    /// Moves a group under another.
    public static func groupReparented(childGroupId: String, newParentId: String) throws -> Warrants.GovernanceOp {
        try root(1) { $0.raw(try Hex.id(childGroupId, "childGroupId") + Hex.id(newParentId, "newParentId")) }
    }

    /// Deletes a group and those under it.
    public static func groupDeleted(rootGroupId: String) throws -> Warrants.GovernanceOp {
        try root(2) { writer in
            writer.raw(try Hex.id(rootGroupId, "rootGroupId"))
            writer.list([])
            writer.list([])
        }
    }

    /// The author joins a group that is open.
    public static func memberJoinedOpen(
        member: String, groupId: String, credential: String
    ) throws -> Warrants.GovernanceOp {
        try root(7) { writer in
            writer.raw(try Hex.id(member, "member") + Hex.id(groupId, "groupId"))
            writer.raw(try credentialBytes(credential))
        }
    }

    /// Founds a namespace. The warrant's scope is `foundedNamespaceId`, its author the founder.
    public static func namespaceCreated(
        founder: String, credential: String, salt: String
    ) throws -> Warrants.GovernanceOp {
        try root(9) { writer in
            writer.raw(try Hex.id(founder, "founder"))
            writer.raw(try credentialBytes(credential))
            writer.raw(try Hex.id(salt, "salt"))
        }
    }

    // MARK: Parts

    private static var blankHash: Data { Data(repeating: 0, count: 32) }

    static func group(_ index: UInt8, _ fields: (inout BorshWriter) throws -> Void) throws -> Warrants.GovernanceOp {
        try op(.group, index, fields)
    }

    private static func root(
        _ index: UInt8, _ fields: (inout BorshWriter) throws -> Void
    ) throws -> Warrants.GovernanceOp {
        try op(.root, index, fields)
    }

    private static func op(
        _ kind: Warrants.GovernanceOp.Kind, _ index: UInt8, _ fields: (inout BorshWriter) throws -> Void
    ) throws -> Warrants.GovernanceOp {
        var writer = BorshWriter()
        writer.u8(index)
        try fields(&writer)
        return Warrants.GovernanceOp(kind: kind, bytes: writer.data)
    }

    /// The keys that follow a departure are a node's to compute.
    private static func departure(_ index: UInt8, of member: String) throws -> Warrants.GovernanceOp {
        try group(index) { writer in
            writer.raw(try Hex.id(member, "member"))
            writer.raw(blankHash)
            writer.list([])
        }
    }

    private static func contextCapability(
        _ index: UInt8, _ contextId: String, _ member: String, _ capability: UInt8
    ) throws -> Warrants.GovernanceOp {
        guard capability != 0 else { throw AccountError.invalidInput("a context capability must be 1…255") }
        return try group(index) { writer in
            writer.raw(try Hex.id(contextId, "contextId") + Hex.id(member, "member"))
            writer.u8(capability)
        }
    }

    private static func roleByte(_ role: String) throws -> UInt8 {
        guard let byte: UInt8 = ["Admin": 0, "Member": 1, "ReadOnly": 2][role] else {
            throw AccountError.invalidInput("role must be Admin, Member or ReadOnly")
        }
        return byte
    }

    private static func checked(_ capabilities: UInt32) throws -> UInt32 {
        guard capabilities & reservedCapability == 0 else {
            throw AccountError.invalidInput(
                "capabilities must not contain CAN_AUTHOR_ON_BEHALF (512): a relay never grants it")
        }
        return capabilities
    }

    private static func credentialBytes(_ credential: String) throws -> Data {
        let bytes = try Hex.decodeUnsized(credential, label: "credential")
        guard !bytes.isEmpty else { throw AccountError.invalidInput("credential must not be empty") }
        return bytes
    }
}
