import Foundation

/// Invitations to namespaces that the cloud hosts. Spec: 70, section 10.1.
extension GroupInvitations {
    /// An invitation to a namespace that somebody can honour, signed with the device's keys.
    ///
    /// It names the namespace's relays as those who admit, else its admins. Throws `AccountError.invitationNotClaimable`
    /// when the cloud says that none of them serves the namespace; nothing is signed then. A cloud that does not answer
    /// hinders nothing.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - inviterAccount: The account that invites, 64 hex characters.
    ///   - keys: The device's keys.
    ///   - members: Of the namespace.
    ///   - cloud: Says who serves the namespace.
    ///   - invitedRole: What the newcomer becomes.
    ///   - validForSeconds: How long the invitation can be used.
    ///   - applicationId: Without it nodes do not join.
    ///   - appKey: The key of the application, 64 hex characters: a hint that nobody signs.
    ///   - admitterAddrs: Where admitters can be reached: a hint that nobody signs.
    public static func mint(
        namespaceId: String, inviterAccount: String, keys: DeviceKeys, members: [GroupMember], cloud: CloudClient,
        invitedRole: InvitedRole = .member, validForSeconds: Int = GroupInvitations.maxValiditySeconds,
        applicationId: String? = nil, appKey: String? = nil, admitterAddrs: [String] = []
    ) async throws -> SignedGroupOpenInvitation {
        try await mint(
            namespaceId: namespaceId, inviterAccount: inviterAccount, signer: keys, members: members, cloud: cloud,
            invitedRole: invitedRole, validForSeconds: validForSeconds, applicationId: applicationId, appKey: appKey,
            admitterAddrs: admitterAddrs)
    }

    /// The same with a signer. Throws also what the signer throws.
    public static func mint(
        namespaceId: String, inviterAccount: String, signer: any DeviceSigner, members: [GroupMember],
        cloud: CloudClient, invitedRole: InvitedRole = .member,
        validForSeconds: Int = GroupInvitations.maxValiditySeconds, applicationId: String? = nil,
        appKey: String? = nil, admitterAddrs: [String] = []
    ) async throws -> SignedGroupOpenInvitation {
        let admitters = hostedAdmitters(members)
        do {
            let routing = try await cloud.getNamespaceRouting(namespaceId)
            if let reason = unclaimable(routing, admitters) {
                throw AccountError.invitationNotClaimable(namespaceId: namespaceId, reason: reason)
            }
        } catch let error as CancellationError {
            throw error
        } catch AccountError.invitationNotClaimable(let namespaceId, let reason) {
            throw AccountError.invitationNotClaimable(namespaceId: namespaceId, reason: reason)
        } catch {
            try Task.checkCancellation()
        }
        return try await sign(
            groupId: namespaceId, inviterAccount: inviterAccount, signer: signer, admitters: admitters,
            invitedRole: invitedRole, validForSeconds: validForSeconds, applicationId: applicationId, appKey: appKey,
            admitterAddrs: admitterAddrs)
    }

    /// The namespace's relays, else its admins.
    static func hostedAdmitters(_ members: [GroupMember]) -> [String] {
        let relays = members.filter { $0.role == "RelayTee" }.map { normalised($0.identity) }
        return relays.isEmpty ? defaultAdmitters(members) : relays
    }

    /// Why nobody could honour an invitation that names these; nil when somebody could.
    static func unclaimable(_ routing: CloudNamespaceRouting, _ admitters: [String]) -> String? {
        if routing.nodes.isEmpty { return "not-hosted" }
        let serving = Set(routing.nodes.compactMap { $0.account.map(normalised) })
        return serving.isDisjoint(with: admitters) ? "no-named-node" : nil
    }
}
