/// What a member of a group may do, as bits of a mask.
///
/// ```swift
/// let mask = Capabilities.withCap(0, Capabilities.canInviteMembers)
/// Capabilities.hasCap(mask, Capabilities.canInviteMembers)  // true
/// ```
///
/// These are bits of a group's own governance. They have nothing to do with the permission scopes of a token. Bits from 10
/// on are reserved. Spec: 10, section 11.
public enum Capabilities {
    /// Create contexts in the group.
    public static let canCreateContext: UInt32 = 1 << 0
    /// Invite others.
    public static let canInviteMembers: UInt32 = 1 << 1
    /// Join subgroups that are open without an invitation.
    public static let canJoinOpenSubgroups: UInt32 = 1 << 2
    /// Add and remove members, change their roles.
    public static let manageMembers: UInt32 = 1 << 3
    /// Choose the group's application.
    public static let manageApplication: UInt32 = 1 << 4
    /// Create subgroups.
    public static let canCreateSubgroup: UInt32 = 1 << 5
    /// Delete subgroups.
    public static let canDeleteSubgroup: UInt32 = 1 << 6
    /// Change who sees a subgroup.
    public static let canManageVisibility: UInt32 = 1 << 7
    /// Change names and other metadata.
    public static let canManageMetadata: UInt32 = 1 << 8
    /// Sign intents that a relay runs on one's behalf (rc.83).
    public static let canAuthorOnBehalf: UInt32 = 1 << 9

    /// True when every bit of `cap` is set in `mask`.
    public static func hasCap(_ mask: UInt32, _ cap: UInt32) -> Bool { mask & cap == cap }

    /// `mask` with the bits of `cap` set.
    public static func withCap(_ mask: UInt32, _ cap: UInt32) -> UInt32 { mask | cap }

    /// `mask` with the bits of `cap` cleared.
    public static func withoutCap(_ mask: UInt32, _ cap: UInt32) -> UInt32 { mask & ~cap }
}
