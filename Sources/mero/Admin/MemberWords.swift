import MeroKit

/// The words of the command line for what a member may do, and for what a member is.
enum MemberWords {
    /// In the order of their bits.
    static let capabilities: [(word: String, bit: UInt32)] = [
        ("create-contexts", Capabilities.canCreateContext), ("invite", Capabilities.canInviteMembers),
        ("join-open-groups", Capabilities.canJoinOpenSubgroups), ("manage-members", Capabilities.manageMembers),
        ("manage-application", Capabilities.manageApplication), ("create-groups", Capabilities.canCreateSubgroup),
        ("delete-groups", Capabilities.canDeleteSubgroup), ("manage-visibility", Capabilities.canManageVisibility),
        ("manage-metadata", Capabilities.canManageMetadata), ("act-for-others", Capabilities.canAuthorOnBehalf),
    ]

    /// The word and what a node calls the role. Roles of trusted environments cannot be given by hand.
    static let roles = [("admin", "Admin"), ("member", "Member"), ("reader", "ReadOnly")]

    static let capabilityOperand = Command.Operand(
        name: "capability", help: "One or more of \(capabilities.map(\.word).joined(separator: ", ")).", repeats: true,
        choices: capabilities.map(\.word), choice: word)

    static let roleOperand = Command.Operand(
        name: "role", help: "admin, member, or reader, who may not write.", choices: roles.map(\.0))

    static let roleOption = OptionSpec(
        name: "role", value: .choice(roles.map(\.0)), help: "What they become (\"member\" when not given).")

    /// The names that nodes use in their refusals, as the words here.
    private static let nodeNames = [
        "cancreatecontext": "create-contexts", "caninvitemembers": "invite",
        "canjoinopensubgroups": "join-open-groups", "managemembers": "manage-members",
        "manageapplication": "manage-application", "cancreatesubgroup": "create-groups",
        "candeletesubgroup": "delete-groups", "canmanagevisibility": "manage-visibility",
        "canmanagemetadata": "manage-metadata", "canauthoronbehalf": "act-for-others",
    ]

    /// The word for a capability by a node's name of it, `CAN_AUTHOR_ON_BEHALF` or `canAuthorOnBehalf`; nil for anything else.
    @Sendable private static func word(_ name: String) -> String? {
        nodeNames[name.lowercased().filter { $0 != "_" && $0 != "-" }]
    }

    /// What a node calls the role.
    static func role(_ word: String) -> String { roles.first { $0.0 == word }?.1 ?? word }

    static func mask(_ words: [String]) -> UInt32 {
        capabilities.filter { words.contains($0.word) }.reduce(0) { $0 | $1.bit }
    }

    /// A mask as a node sends it. Bits without a word are told as a number.
    static func words(_ mask: Int) -> [String] {
        let mask = UInt32(truncatingIfNeeded: mask)
        let known = capabilities.filter { Capabilities.hasCap(mask, $0.bit) }
        let rest = known.reduce(mask) { Capabilities.withoutCap($0, $1.bit) }
        return known.map(\.word) + (rest == 0 ? [] : ["\(rest)"])
    }

    /// Being an admin is enough for everything but acting for others, which has to be granted.
    static func textOfAdmin(_ mask: Int) -> String {
        let acts = Capabilities.hasCap(UInt32(truncatingIfNeeded: mask), Capabilities.canAuthorOnBehalf)
        return acts ? "everything, as an admin" : "everything but act-for-others, as an admin"
    }

    /// `none`, or the words one after the other.
    static func text(_ mask: Int) -> String {
        let words = words(mask)
        return words.isEmpty ? "none" : words.joined(separator: " ")
    }
}
