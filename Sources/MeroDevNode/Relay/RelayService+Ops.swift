import Foundation
import MeroKit

/// What each op does. Throws `NodeRefusal`, and then nothing has changed.
extension RelayService {
    func perform(
        _ op: DelegatedOp, _ scope: String, by author: String, _ state: inout GroupState
    ) throws -> GovernanceOutcome {
        var outcome = GovernanceOutcome(groupId: scope)
        let now = milliseconds
        switch op {
        case .memberAdded(let account, let role):
            try state.addMember(account, role: role, to: scope, by: author)
            outcome.events = [(.memberAdded(account: account, role: role), scope)]
        case .memberRemoved(let account):
            outcome.events = try state.removeMember(account, from: scope, by: author)
                .map { (.memberRemoved(account: account), $0) }
        case .memberLeft(let account):
            guard account == author else { throw NodeRefusal(403, "an account leaves for itself only") }
            outcome.events = try state.leave(scope, by: author).map { (.memberRemoved(account: author), $0) }
        case .memberRoleSet(let account, let role):
            try state.setRole(role, of: account, in: scope, by: author)
        case .memberCapabilitySet(let account, let mask):
            try Self.checkAuthorship(state[scope]?.members[account]?.capabilities ?? 0, mask)
            try state.setCapabilities(mask, of: account, in: scope, by: author)
        case .defaultCapabilitiesSet(let mask):
            try Self.checkAuthorship(state[scope]?.defaultCapabilities ?? 0, mask)
            try state.setDefaultCapabilities(mask, in: scope, by: author)
        case .targetApplicationSet(let application, let package, let version):
            try setTarget(application, package, version, of: scope, by: author, &state)
        case .contextDetached(let context):
            try state.detach(context: context, from: scope, by: author)
        case .subgroupVisibilitySet(let isOpen):
            try state.setVisibility(isOpen: isOpen, of: scope, by: author)
        case .groupMetadataSet(let label):
            try state.setMetadata(label, of: scope, by: author, at: now)
        case .memberMetadataSet(let account, let label):
            try state.setMetadata(label, ofMember: account, in: scope, by: author, at: now)
        case .contextMetadataSet(let context, let label):
            try state.setMetadata(label, ofContext: context, in: scope, by: author, at: now)
        case .contextCapabilityGranted(let context, let account, let capability):
            try state.changeContextCapability(
                capability, of: account, context: context, in: scope, grants: true, by: author)
        case .contextCapabilityRevoked(let context, let account, let capability):
            try state.changeContextCapability(
                capability, of: account, context: context, in: scope, grants: false, by: author)
        case .groupCreated(let new):
            try state.create(new, in: scope, by: author, at: clock.seconds)
            // The relay that carried it is in the group as it is in the namespace: else nothing could be done there.
            let me = identity.accountId
            if me != author, let standing = state[scope]?.members[me] { state.groups[new.id]?.members[me] = standing }
            outcome.groupId = new.id
        case .groupReparented(let child, let parent):
            try state.reparent(child, to: parent, in: scope, by: author)
            outcome.groupId = child
        case .groupDeleted(let group):
            outcome.deletedContexts = try state.delete(group, in: scope, by: author).contexts
            outcome.groupId = group
            outcome.namespace = scope
        case .memberJoinedOpen(_, let group, _):
            try state.joinOpen(group, by: author)
            outcome.groupId = group
            outcome.events = [(.memberJoined(account: author, role: state.role(of: author, in: group)), group)]
        case .namespaceCreated(let founder, _, let salt):
            try state.found(scope, founder: founder, salt: salt, at: clock.seconds)
            if options.foundingTeeError == nil, founder != identity.accountId {
                _ = state.setMember(identity.accountId, role: .relayTee, in: scope)
            }
        }
        return outcome
    }

    /// A member's warrant never touches the grant that relays live by.
    private static func checkAuthorship(_ old: UInt32, _ new: UInt32) throws {
        guard (old ^ new) & GroupCapability.authorOnBehalf == 0 else {
            throw NodeRefusal(403, "CAN_AUTHOR_ON_BEHALF cannot be granted or withdrawn on a member's behalf")
        }
    }

    private func setTarget(
        _ application: String, _ package: String, _ version: String, of scope: String, by author: String,
        _ state: inout GroupState
    ) throws {
        try state.require(GroupCapability.manageApplication, author, in: scope)
        guard state[scope]?.target == nil else {
            throw NodeRefusal(
                403, "a member may choose a group's first application only, and this group has one already")
        }
        guard let target = catalog.resolve(package: package, version: version, applicationId: application) else {
            throw NodeRefusal(502, "this relay could not resolve \(package)@\(version) from its registry")
        }
        try state.setTarget(target, of: scope, by: author)
    }
}
