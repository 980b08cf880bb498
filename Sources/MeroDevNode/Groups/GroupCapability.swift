/// What a member may do in a group, as bits of a mask.
///
/// Spec: 30, section 6.1.
enum GroupCapability {
    static let createContext: UInt32 = 1 << 0
    static let inviteMembers: UInt32 = 1 << 1
    static let joinOpenSubgroups: UInt32 = 1 << 2
    static let manageMembers: UInt32 = 1 << 3
    static let manageApplication: UInt32 = 1 << 4
    static let createSubgroup: UInt32 = 1 << 5
    static let deleteSubgroup: UInt32 = 1 << 6
    static let manageVisibility: UInt32 = 1 << 7
    static let manageMetadata: UInt32 = 1 << 8
    /// The one bit that neither a role nor membership implies.
    static let authorOnBehalf: UInt32 = 1 << 9

    /// What members of a new group may do until an administrator says otherwise.
    static let initial = joinOpenSubgroups

    /// As refusals name it.
    static func name(_ capability: UInt32) -> String {
        switch capability {
        case createContext: return "CAN_CREATE_CONTEXT"
        case inviteMembers: return "CAN_INVITE_MEMBERS"
        case joinOpenSubgroups: return "CAN_JOIN_OPEN_SUBGROUPS"
        case manageMembers: return "MANAGE_MEMBERS"
        case manageApplication: return "MANAGE_APPLICATION"
        case createSubgroup: return "CAN_CREATE_SUBGROUP"
        case deleteSubgroup: return "CAN_DELETE_SUBGROUP"
        case manageVisibility: return "CAN_MANAGE_VISIBILITY"
        case manageMetadata: return "CAN_MANAGE_METADATA"
        case authorOnBehalf: return "CAN_AUTHOR_ON_BEHALF"
        default: return "capability \(capability)"
        }
    }
}
