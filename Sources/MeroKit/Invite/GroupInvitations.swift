import Foundation

/// Invitations that an account's device signs, without a node. Nothing is published: whoever holds one can ask an admitter
/// to be let in.
///
/// Spec: 50, section 15.3, and 70, section 10.1.
public enum GroupInvitations {
    /// How long an invitation can hold, in seconds: a day.
    public static let maxValiditySeconds = 86_400

    /// What the bearer becomes.
    public enum InvitedRole: Int, Sendable {
        /// Changes the group as well.
        case admin = 0
        /// Reads and writes.
        case member = 1
        /// Reads.
        case readOnly = 2
    }

    /// What the inviter signs, 32 bytes. Throws `AccountError.invalidInput`.
    public static func hash(_ body: GroupInvitationFromAdmin) throws -> Data { try InvitationBody(body).hash }

    /// The admins among the members, each once, in order.
    public static func defaultAdmitters(_ members: [GroupMember]) -> [String] {
        Set(members.filter { $0.role == "Admin" }.map { normalised($0.identity) })
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// An invitation, signed with the device's keys. Throws `AccountError.invalidInput`.
    ///
    /// - Parameters:
    ///   - groupId: The group, or the namespace.
    ///   - inviterAccount: The account of the device.
    ///   - keys: The device's keys.
    ///   - admitters: The accounts whose nodes may admit the bearer. Empty takes the admins among `members`; an
    ///     invitation that anybody could honour is not made.
    ///   - members: The group's members, as the node or relay lists them.
    ///   - invitedRole: What the newcomer becomes.
    ///   - validForSeconds: At most a day, more is cut.
    ///   - now: Unix seconds; nil is now.
    ///   - nonce: 32 bytes; nil is a new one.
    ///   - applicationId: Without it nodes do not join.
    ///   - appKey: The key of the application, 64 hex characters: a hint that nobody signs.
    ///   - admitterAddrs: Where admitters can be reached: a hint that nobody signs.
    public static func sign(
        groupId: String, inviterAccount: String, keys: DeviceKeys, admitters: [String] = [],
        members: [GroupMember]? = nil, invitedRole: InvitedRole = .member,
        validForSeconds: Int = GroupInvitations.maxValiditySeconds, now: Int? = nil, nonce: Data? = nil,
        applicationId: String? = nil, appKey: String? = nil, admitterAddrs: [String] = []
    ) throws -> SignedGroupOpenInvitation {
        let draft = try Draft(
            groupId, inviterAccount, keys.signPublicKey, admitters, members, invitedRole, validForSeconds, now, nonce,
            applicationId, appKey, admitterAddrs)
        return draft.signed(try keys.sign(draft.hash))
    }

    /// An invitation, signed with a signer. Throws `AccountError.invalidInput`, and what the signer throws.
    public static func sign(
        groupId: String, inviterAccount: String, signer: any DeviceSigner, admitters: [String] = [],
        members: [GroupMember]? = nil, invitedRole: InvitedRole = .member,
        validForSeconds: Int = GroupInvitations.maxValiditySeconds, now: Int? = nil, nonce: Data? = nil,
        applicationId: String? = nil, appKey: String? = nil, admitterAddrs: [String] = []
    ) async throws -> SignedGroupOpenInvitation {
        let draft = try Draft(
            groupId, inviterAccount, signer.signPublicKey, admitters, members, invitedRole, validForSeconds, now,
            nonce, applicationId, appKey, admitterAddrs)
        return draft.signed(try await signer.checkedSignature(over: draft.hash))
    }

    static func normalised(_ account: String) -> String {
        account.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }

    /// An invitation that is yet to be signed.
    private struct Draft {
        let body: GroupInvitationFromAdmin
        let hash: Data
        let inviterAccount: String
        let applicationId: [Int]?
        let appKey: [Int]?
        let admitterAddrs: [String]

        init(
            _ groupId: String, _ inviterAccount: String, _ key: String, _ admitters: [String],
            _ members: [GroupMember]?, _ role: InvitedRole, _ validForSeconds: Int, _ now: Int?, _ nonce: Data?,
            _ applicationId: String?, _ appKey: String?, _ admitterAddrs: [String]
        ) throws {
            guard validForSeconds > 0 else { throw AccountError.invalidInput("validForSeconds must be positive") }
            let named = admitters.isEmpty ? GroupInvitations.defaultAdmitters(members ?? []) : admitters.map(normalised)
            guard !named.isEmpty else {
                throw AccountError.invalidInput(
                    "an invitation must name who may admit its bearer: give admitters, or members with an admin among them"
                )
            }
            for account in named { _ = try Hex.id(account, "admitter") }
            let issuedAt = now ?? Int(Date().timeIntervalSince1970)
            let (expiry, overflow) = issuedAt.addingReportingOverflow(min(validForSeconds, maxValiditySeconds))
            guard issuedAt >= 0, !overflow else { throw AccountError.invalidInput("now is out of range") }
            let nonce = nonce ?? randomBytes(32)
            guard nonce.count == 32 else {
                throw AccountError.invalidInput("the nonce of an invitation must be 32 bytes, got \(nonce.count)")
            }
            body = GroupInvitationFromAdmin(
                inviterIdentity: try Hex.id(key, "signPublicKey").map(Int.init),
                groupId: try Hex.id(groupId, "groupId").map(Int.init), expirationTimestamp: expiry,
                secretSalt: nonce.map(Int.init), invitedRole: role.rawValue, admitters: named)
            hash = try GroupInvitations.hash(body)
            self.inviterAccount = Hex.encode(try Hex.id(inviterAccount, "inviterAccount"))
            self.applicationId = try applicationId.map { try Hex.id($0, "applicationId").map(Int.init) }
            self.appKey = try appKey.map { try Hex.id($0, "appKey").map(Int.init) }
            self.admitterAddrs = admitterAddrs
        }

        func signed(_ signature: Data) -> SignedGroupOpenInvitation {
            SignedGroupOpenInvitation(
                invitation: body, inviterSignature: Hex.encode(signature), inviterAccount: inviterAccount,
                admitterAddrs: admitterAddrs, applicationId: applicationId, appKey: appKey)
        }
    }
}

extension InvitationBody {
    /// The signed part of an invitation. Throws `AccountError.invalidInput` for what cannot have been signed so.
    init(_ body: GroupInvitationFromAdmin) throws {
        guard let expiration = UInt64(exactly: body.expirationTimestamp) else {
            throw AccountError.invalidInput("the invitation's expiration is negative")
        }
        guard let role = UInt8(exactly: body.invitedRole ?? 1) else {
            throw AccountError.invalidInput("the invitation's role is out of range")
        }
        try self.init(
            inviterIdentity: Self.bytes(body.inviterIdentity, "inviter_identity"),
            groupId: Self.bytes(body.groupId, "group_id"), expirationTimestamp: expiration,
            nonce: Self.bytes(body.secretSalt, "secret_salt"), invitedRole: role,
            admitters: body.admitters.map { try Hex.id($0, "admitter") })
    }

    fileprivate static func bytes(_ numbers: [Int], _ label: String) throws -> Data {
        let bytes = numbers.compactMap { UInt8(exactly: $0) }
        guard bytes.count == numbers.count, bytes.count == 32 else {
            throw AccountError.invalidInput("\(label) of the invitation must be 32 bytes")
        }
        return Data(bytes)
    }
}

extension SignedInvitation {
    /// An invitation as it came. Throws `AccountError.invalidInput` for what cannot have been signed so.
    package init(_ invitation: SignedGroupOpenInvitation) throws {
        try self.init(
            body: InvitationBody(invitation.invitation), inviterSignature: invitation.inviterSignature,
            inviterAccount: invitation.inviterAccount.map { try Hex.id($0, "inviter_account") },
            admitterAddrs: invitation.admitterAddrs,
            applicationId: invitation.applicationId.map { try InvitationBody.bytes($0, "application_id") },
            appKey: invitation.appKey.map { try InvitationBody.bytes($0, "app_key") })
    }
}
