import Foundation
import MeroKit

/// Inviting and joining.
///
/// Spec: 30, sections 4.4, 4.5 and 5.7.
extension GroupAdmin {
    private static let longestValidity: UInt64 = 86_400

    func inviteToNamespace(_ call: RouteCall) async -> DevHttpResponse { await invite(call, needsRoot: true) }
    func inviteToGroup(_ call: RouteCall) async -> DevHttpResponse { await invite(call, needsRoot: false) }

    private func invite(_ call: RouteCall, needsRoot: Bool) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["expirationTimestamp", "recursive", "admitters", "admitterAddrs"])
            let (validity, isRecursive, named, addresses) = try AdminBody.shaped {
                (
                    try fields.optionalUnsigned("expirationTimestamp") ?? Self.longestValidity,
                    try fields.optionalBool("recursive") ?? false, try fields.optionalStrings("admitters") ?? [],
                    try fields.optionalStrings("admitterAddrs") ?? []
                )
            }
            var check = BodyCheck()
            let admitters = named.map { check.id($0, "admitters[]") }
            try check.finish()
            let id = try Self.groupId(call)
            let actor = try actor(call)
            // The field's name says otherwise, but it is a duration.
            let expiry = UInt64(clamping: clock.seconds) + min(validity, Self.longestValidity)
            let entries = try groups.read { state -> [JsonTree] in
                try Self.require(actor, in: id, state)
                guard !needsRoot || state[id]?.parent == nil else { throw Self.notARoot }
                try state.require(GroupCapability.inviteMembers, actor, in: id)
                let below = isRecursive ? state.subtree(of: id) : [id]
                return try below.filter { state.holds(GroupCapability.inviteMembers, actor, in: $0) }.map { group in
                    try invitation(to: group, state, expiry, admitters, addresses, withId: isRecursive)
                }
            }
            guard isRecursive else { return Self.data(entries.first ?? .null) }
            return Self.data(["invitations": .array(entries)])
        }
    }

    private func invitation(
        to group: String, _ state: GroupState, _ expiry: UInt64, _ admitters: [String], _ addresses: [String],
        withId: Bool
    ) throws -> JsonTree {
        let teeRoles: [DevRole] = [.readOnlyTee, .relayTee]
        let able = state.members(of: group).filter { member in
            member.membership.role == .admin || teeRoles.contains(member.membership.role)
        }
        let admitters = admitters.isEmpty ? able.map(\.account).sorted() : admitters
        func bytes(_ id: String) -> Data { Data(Hex.decode(id) ?? []) }
        func numbers(_ data: Data) -> JsonTree { .array(data.map { JsonTree($0) }) }
        let body = try InvitationBody(
            inviterIdentity: bytes(identity.nodeKey), groupId: bytes(group), expirationTimestamp: expiry,
            nonce: randomBytes(32), invitedRole: 1, admitters: admitters.map(bytes))
        var signed = [
            JsonMember(
                name: "invitation",
                value: [
                    "inviter_identity": numbers(body.inviterIdentity), "group_id": numbers(body.groupId),
                    "expiration_timestamp": JsonTree(expiry), "secret_salt": numbers(body.nonce), "invited_role": 1,
                    "admitters": JsonTree(admitters),
                ]),
            JsonMember(name: "inviter_signature", value: .string(Hex.encode(try identity.keys.sign(body.hash)))),
            JsonMember(name: "inviter_account", value: .string(identity.accountId)),
            JsonMember(
                name: "admitter_addrs", value: JsonTree(addresses.isEmpty ? [Self.address(of: identity)] : addresses)),
        ]
        if let target = state[group]?.target {
            signed.append(JsonMember(name: "application_id", value: numbers(bytes(target.applicationId))))
            signed.append(JsonMember(name: "app_key", value: numbers(bytes(target.bytecodeId))))
        }
        var members = withId ? [JsonMember(name: "groupId", value: .string(group))] : []
        members.append(JsonMember(name: "invitation", value: .object(signed)))
        if let name = state[group]?.metadata?.name {
            members.append(JsonMember(name: "groupName", value: .string(name)))
        }
        return .object(members)
    }

    /// Where other nodes would find this one.
    static func address(of identity: NodeIdentity) -> String {
        let key = Data([0, 36, 8, 1, 18, 32]) + (Hex.decode(identity.nodeKey) ?? [])
        return "/ip4/127.0.0.1/tcp/2428/p2p/\(InviteCodec.base58Encode(key))"
    }

    // MARK: - Joining

    func joinNamespace(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let invitation = try invitation(in: call)
            let id = try Self.groupId(call)
            guard Hex.encode(invitation.body.groupId) == id else {
                throw NodeRefusal(400, "invitation group_id does not match namespace_id in path")
            }
            return try join(call, invitation, as: "namespaceId")
        }
    }

    func joinGroup(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering { try join(call, try invitation(in: call), as: "groupId") }
    }

    private func invitation(in call: RouteCall) throws -> SignedInvitation {
        let fields = try fields(call, ["invitation", "groupName"])
        return try AdminBody.shaped {
            _ = try fields.optionalString("groupName")
            return try InvitationReader.read(try fields.object("invitation"))
        }
    }

    private func join(_ call: RouteCall, _ invitation: SignedInvitation, as name: String) throws -> DevHttpResponse {
        let account = try actor(call)
        try admission.join(invitation)
        return Self.data([
            name: .string(Hex.encode(invitation.body.groupId)), "memberIdentity": .string(identity.nodeKey),
            "memberAccount": .string(account),
        ])
    }
}
