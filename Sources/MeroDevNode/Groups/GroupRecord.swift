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
    /// What the id of a founded namespace derives from, together with the owner.
    var salt: String?
    /// Devices that no longer speak for their account. Kept at the root, for the whole namespace.
    var revokedDevices: Set<String> = []
}

struct GroupMember: Sendable, Equatable {
    var role: DevRole
    var capabilities: UInt32
    var metadata: GroupMetadata?
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
}
