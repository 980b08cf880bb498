/// A group, or a namespace, which is a group without a parent.
///
/// Spec: 30, section 5.
struct GroupRecord: Sendable, Equatable {
    var parent: String?
    /// Members of the parent who may join open subgroups are members here as well.
    var isOpen = false
    /// Who created it; cannot be removed.
    var owner: String
    var createdAt: Int64 = 0
    var members: [String: GroupMember] = [:]
    /// In the order in which they came.
    var contexts: [String] = []
    /// What later members may do.
    var defaultCapabilities = GroupCapability.initial
    var target: GroupTarget?
    var metadata: GroupMetadata?
    var contextMetadata: [String: GroupMetadata] = [:]
    /// By context, then by account.
    var contextCapabilities: [String: [String: UInt8]] = [:]
    /// What the id of a founded namespace derives from, together with its founder.
    var salt: String?
    /// Who founded it, when that is not its owner any more.
    var firstOwner: String?
    /// How many owner ops have taken effect; the next one has to name it.
    var ownerOpCounter: UInt64 = 0
    var upgrade: GroupUpgrade?

    var founder: String { firstOwner ?? owner }

    // What follows is kept at the root, for the whole namespace.

    /// Devices that no longer speak for their account.
    var revokedDevices: Set<String> = []
    /// Devices that were paired or linked, and count here.
    var boundDevices: Set<String> = []
    /// The root keys of accounts by epoch, as far as their owner ops have shown them.
    var rootKeys: [String: [String]] = [:]
    /// Invitations that were used: what they are known by, and by whom.
    var usedInvitations: Set<String> = []
    /// Accounts that were removed, and come back only when an administrator adds them.
    var barred: Set<String> = []
    var teeAdmission: TeeAdmissionPolicy?
    /// What may author as the namespace's TEE; empty when nothing may.
    var teeAuthoring: [String] = []
}

struct GroupMember: Sendable, Equatable {
    var role: DevRole
    var capabilities: UInt32
    var metadata: GroupMetadata?
    /// Nil when nobody has said.
    var autoFollow: AutoFollow?
}

/// What a member's node joins by itself.
struct AutoFollow: Sendable, Equatable {
    var contexts: Bool
    var subgroups: Bool
}

/// What runs in a group's contexts.
struct GroupTarget: Sendable, Equatable {
    var applicationId: String
    var bytecodeId: String
    var package: String
    var version: String
}

/// A name and free entries of a group, a member or a context.
///
/// Spec: 30, section 5.9.
struct GroupMetadata: Sendable, Equatable {
    var name: String?
    var data: [GroupMetadataEntry]
    /// Milliseconds since 1970.
    var updatedAt: Int64
    var updatedBy: String
}

struct GroupMetadataEntry: Sendable, Equatable {
    var key: String
    var value: String
}

/// A device that has shown a certificate.
struct DeviceRecord: Sendable, Equatable {
    var account: String
    var signingKey: String
    var agreementKey: String
    /// Whether the namespaces it counts in were chosen. One that only showed a certificate counts wherever its account
    /// does.
    var isManaged = false
    /// What it may speak for; empty means everything.
    var applications: [String] = []
    var scopeEpoch: UInt32 = 0
    var isRevoked = false
    var label: String?
    var labelEpoch: UInt32 = 0
    /// Seconds since 1970; 0 for never.
    var labelledAt: Int64 = 0

    /// Whether the other record tells nothing new of the certificate.
    func isCertified(like other: DeviceRecord) -> Bool {
        account == other.account && signingKey == other.signingKey && agreementKey == other.agreementKey
    }

    func covers(_ application: String?) -> Bool {
        applications.isEmpty || application.map(applications.contains) ?? false
    }
}
