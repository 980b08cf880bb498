import Foundation
import MeroKit

/// `POST /namespaces/{id}/admit`: somebody without a node joins with an invitation.
///
/// Spec: 30, section 4.7; 50, sections 15 and 16.
extension RelayService {
    func admit(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call.request, ["invitation", "signedOp"])
            let (tree, opText) = try Self.shaped { (try fields.object("invitation"), try fields.string("signedOp")) }
            let shown = try Self.shaped { try InvitationReader.read(tree) }
            let namespace = try Self.groupId(call)
            guard Hex.encode(shown.body.groupId) == namespace else {
                throw NodeRefusal(400, "invitation group_id does not match namespace_id in path")
            }
            let op = try Self.join(opText)
            guard Hex.encode(op.namespaceId) == namespace else {
                throw NodeRefusal(400, "signed_op is for another namespace than the one in the path")
            }
            guard op.isSigned else { throw NodeRefusal(400, "signed_op's signature does not verify") }
            guard op.invitation == shown else {
                throw NodeRefusal(400, "the invitation is not the one that signed_op carries")
            }
            guard shown.body.admitters.contains(where: { Hex.encode($0) == identity.accountId }) else {
                throw NodeRefusal(403, "this node's account is not among the invitation's admitters")
            }
            try checkInvitation(shown, joinedAt: op.joinedAt, in: namespace)
            try join(op, namespace)
            return Self.data(["published": true])
        }
    }

    private static func join(_ text: String) throws -> MemberJoinOp {
        guard let bytes = Hex.decode(text) else { throw NodeRefusal(400, "signed_op is not hex: not valid hex") }
        let op: MemberJoinOp
        do {
            op = try MemberJoinOp(Data(bytes))
        } catch BorshError.invalid("op") {
            throw NodeRefusal(400, "signed_op is not a join; an admitter carries joins only")
        } catch {
            throw NodeRefusal(400, "signed_op is not a SignedNamespaceOp: \(error)")
        }
        guard op.schemaVersion == MemberJoinOp.schemaVersion else {
            throw NodeRefusal(400, "signed_op is not a SignedNamespaceOp: unknown schema version \(op.schemaVersion)")
        }
        return op
    }

    private func checkInvitation(_ invitation: SignedInvitation, joinedAt: UInt64?, in namespace: String) throws {
        func rejected(_ why: String) -> NodeRefusal { NodeRefusal(403, "invitation rejected: \(why)") }
        guard invitation.isSigned else { throw rejected("invalid invitation signature") }
        let expiry = invitation.body.expirationTimestamp
        if expiry != 0 {
            guard expiry >= UInt64(clamping: clock.seconds) else { throw rejected("the invitation has expired") }
            guard let joinedAt, joinedAt <= expiry else { throw rejected("it was used after it had expired") }
        }
        guard Self.role(invitation.body.invitedRole) != nil else { throw rejected("it offers no role of a member") }
        let key = Hex.encode(invitation.body.inviterIdentity)
        let bound = groups.read { $0.account(ofSigningKey: key) }
        let inviter: String? = key == identity.nodeKey ? identity.accountId : bound
        guard let inviter else { throw rejected("the inviter's key is bound to no account here") }
        if let named = invitation.inviterAccount, Hex.encode(named) != inviter {
            throw rejected("the inviter's key is another account's than the invitation names")
        }
        guard groups.read({ $0.holds(GroupCapability.inviteMembers, inviter, in: namespace) }) else {
            throw rejected("the inviter is not an admin and CAN_INVITE_MEMBERS is not set")
        }
    }

    private static func role(_ byte: UInt8) -> DevRole? {
        switch byte {
        case 0: return .admin
        case 1: return .member
        case 2: return .readOnly
        default: return nil
        }
    }

    /// Applies the join. A member who joins again stays what it is.
    private func join(_ op: MemberJoinOp, _ namespace: String) throws {
        func refused(_ why: String) -> NodeRefusal { NodeRefusal(400, "signed_op was refused on apply: \(why)") }
        guard let credential = try? Credential(op.credential), (try? credential.verify()) != nil else {
            throw refused("the credential does not verify")
        }
        guard credential.statement.account == op.member, credential.statement.signPublicKey == op.signer else {
            throw refused("the credential is not the signer's for this member")
        }
        let member = Hex.encode(op.member)
        let device = Hex.encode(credential.statement.device)
        guard !groups.read({ $0.isRevoked(device: device, in: namespace) }) else {
            throw refused("the device has been revoked in this namespace")
        }
        guard groups.read({ $0[namespace] }) != nil else { throw refused("the namespace is not known here") }
        guard groups.read({ $0[namespace]?.barred.contains(member) != true }) else {
            throw refused("the account was removed; re-entry is blocked until an admin adds it")
        }
        let account = NonceLedger.Account(scope: .join, id: namespace, device: Hex.encode(op.signer))
        guard ledger.reserve(op.nonce, account) else { throw refused("the op has been applied already") }
        do {
            let role = Self.role(op.invitation.body.invitedRole) ?? .member
            let isNew = try groups.change { state -> Bool in
                guard state[namespace]?.members[member] == nil else { return false }
                _ = state.setMember(member, role: role, in: namespace)
                return true
            }
            try ledger.spend(op.nonce, account)
            groups.learn(credential.statement)
            if isNew {
                announce(
                    GovernanceOutcome(
                        groupId: namespace, events: [(.memberJoined(account: member, role: role), namespace)]))
            }
        } catch {
            ledger.release(op.nonce, account)
            throw error
        }
    }
}
