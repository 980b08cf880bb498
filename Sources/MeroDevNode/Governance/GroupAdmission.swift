import Foundation
import MeroKit

/// Who comes in with an invitation: what the node of an admitter checks, and what the joining node checks before it asks.
///
/// Spec: 30, sections 4.5 and 5.7; 50, section 15.
struct GroupAdmission: Sendable {
    /// Somebody else's node that wants to join.
    struct Request: Sendable {
        var invitation: SignedInvitation
        var certificate: DeviceCertificate

        var account: String { Hex.encode(certificate.account) }
        var device: String { Hex.encode(certificate.device) }
        var group: String { Hex.encode(invitation.body.groupId) }
    }

    static let nobodyAnswered = NodeRefusal(
        504, "no peer of the namespace answered the join; the inviting node may be offline")
    static let noAdmitter = NodeRefusal(
        503, "a peer of the namespace answered the join, but it is not one of the invitation's admitters")
    static let keyTimeout = NodeRefusal(503, "join key delivery timed out")

    let groups: GroupRegistry
    let hub: EventHub
    let identity: NodeIdentity
    let clock: DevClock
    let options: DevNodeOptions

    static func role(_ byte: UInt8) -> DevRole? {
        switch byte {
        case 0: return .admin
        case 1: return .member
        case 2: return .readOnly
        default: return nil
        }
    }

    /// What shows without asking anybody. Throws `NodeRefusal`.
    func check(_ invitation: SignedInvitation) throws {
        guard invitation.isSigned else { throw NodeRefusal(400, "invalid invitation signature") }
        guard Self.role(invitation.body.invitedRole) != nil else {
            throw NodeRefusal(400, "invalid invitation: it offers no role of a member")
        }
        let expiry = invitation.body.expirationTimestamp
        guard expiry == 0 || expiry >= UInt64(clamping: clock.seconds) else {
            throw NodeRefusal(409, "the invitation expired at \(expiry)")
        }
    }

    /// Joins the node's account, by itself or through a node that may admit. Throws `NodeRefusal`.
    func join(_ invitation: SignedInvitation) throws {
        guard let certificate = identity.certificate else { throw GroupAdmin.noIdentity }
        try check(invitation)
        let request = Request(invitation: invitation, certificate: certificate)
        if groups.read({ $0[request.group]?.members[request.account] != nil }) { return }
        let peers = (groups.link.network?.peers(of: groups.link.id) ?? []).filter { peer in
            peer.groups.read { state in
                state.membership(of: peer.identity.accountId, in: request.group) != nil
            }
        }
        guard !peers.isEmpty else { throw Self.nobodyAnswered }
        let admitters = Set(invitation.body.admitters.map { Hex.encode($0) })
        let willing = peers.filter { admitters.isEmpty || admitters.contains($0.identity.accountId) }
        guard let admitter = willing.first else { throw Self.noAdmitter }
        guard groups.link.network?.deliversKeys != false else { throw Self.keyTimeout }
        try admitter.admission.admit(request)
    }

    /// Lets another node's account in. Throws `NodeRefusal`.
    func admit(_ request: Request) throws {
        try check(request.invitation)
        let (group, account) = (request.group, request.account)
        let role = Self.role(request.invitation.body.invitedRole) ?? .member
        let isNew = try groups.change { state -> Bool in
            guard let root = state.namespace(of: group) else { throw RelayService.unknownGroup }
            try checkInviter(request.invitation, in: group, state)
            guard !state.isRevoked(device: request.device, in: group) else {
                throw NodeRefusal(403, "the device has been revoked in this namespace")
            }
            guard state[group]?.members[account] == nil else { return false }
            try state.use(
                Hex.encode(request.invitation.body.hash), by: account, in: root,
                isSingleUse: options.singleUseInvitations)
            state.learn(device: request.device, DeviceRecord(request.certificate))
            _ = state.setMember(account, role: role, in: group)
            return true
        }
        guard isNew else { return }
        hub.announce(
            [(.memberJoined(account: account, role: role), group)], namespace: groups.read { $0.namespace(of: group) })
    }

    /// Whether who invites may, as this node sees it. Throws `NodeRefusal`.
    private func checkInviter(_ invitation: SignedInvitation, in group: String, _ state: GroupState) throws {
        let key = Hex.encode(invitation.body.inviterIdentity)
        guard let inviter = key == identity.nodeKey ? identity.accountId : state.account(ofSigningKey: key) else {
            throw NodeRefusal(400, "invalid invitation: the inviter's key is bound to no account here")
        }
        if let named = invitation.inviterAccount, Hex.encode(named) != inviter {
            throw NodeRefusal(400, "invalid invitation: the inviter's key is another account's than it names")
        }
        guard state.holds(GroupCapability.inviteMembers, inviter, in: group) else {
            throw NodeRefusal(
                400, "invalid invitation: the inviter is not an admin and CAN_INVITE_MEMBERS is not set")
        }
    }
}

extension GroupState {
    /// Notes that an account uses an invitation. Throws `NodeRefusal` for one that was used, and for who was removed.
    mutating func use(_ invitation: String, by account: String, in root: String, isSingleUse: Bool) throws {
        let used = groups[root]?.usedInvitations ?? []
        guard groups[root]?.barred.contains(account) != true else {
            throw NodeRefusal(409, "\(account) was removed; re-entry is blocked until an admin adds it")
        }
        let isTaken =
            isSingleUse ? used.contains { $0.hasPrefix(invitation) } : used.contains("\(invitation)|\(account)")
        guard !isTaken else { throw NodeRefusal(409, "the invitation has already been consumed") }
        groups[root]?.usedInvitations.insert("\(invitation)|\(account)")
    }
}

extension DeviceRecord {
    init(_ certificate: DeviceCertificate) {
        self.init(
            account: Hex.encode(certificate.account), signingKey: Hex.encode(certificate.signPublicKey),
            agreementKey: Hex.encode(certificate.kemPublicKey))
    }
}
