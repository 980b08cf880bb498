import Foundation
import MeroKit

/// A change to groups that a member may have carried out by a relay.
///
/// Spec: 50, section 12.2.
enum DelegatedOp: Sendable {
    case memberAdded(String, DevRole)
    case memberRemoved(String)
    case memberLeft(String)
    case memberRoleSet(String, DevRole)
    case memberCapabilitySet(String, UInt32)
    case defaultCapabilitiesSet(UInt32)
    case targetApplicationSet(application: String, package: String, version: String)
    case contextDetached(String)
    case subgroupVisibilitySet(isOpen: Bool)
    case groupMetadataSet(GroupLabel)
    case memberMetadataSet(String, GroupLabel)
    case contextMetadataSet(String, GroupLabel)
    case contextCapabilityGranted(context: String, member: String, UInt8)
    case contextCapabilityRevoked(context: String, member: String, UInt8)
    case groupCreated(NewSubgroup)
    case groupReparented(child: String, parent: String)
    case groupDeleted(String)
    case memberJoinedOpen(member: String, group: String, AccountProof<DeviceCertificate>)
    case namespaceCreated(founder: String, AccountProof<DeviceCertificate>, salt: String)
}

/// What metadata are set to.
struct GroupLabel: Sendable, Equatable {
    /// Nil keeps the name.
    var name: String?
    var data: [GroupMetadataEntry]
}

struct NewSubgroup: Sendable, Equatable {
    var id: String
    var parent: String
    var isRestricted: Bool
    var admin: String
    var salt: String

    /// What the id has to be.
    var derivedId: String? {
        try? GovernanceOps.createdSubgroupId(admin: admin, parentId: parent, restricted: isRestricted, salt: salt)
    }
}
