import Foundation

extension SignedInvitation {
    /// The invitation in the form that is hashed and signed. Unknown fields have no place there.
    ///
    /// Throws `AccountError.invalidInput` for a field of the wrong size, or with something else than bytes.
    package init(_ wire: SignedGroupOpenInvitation) throws {
        let inner = wire.invitation
        guard let expiration = UInt64(exactly: inner.expirationTimestamp),
            let role = UInt8(exactly: inner.invitedRole ?? 1)
        else { throw AccountError.invalidInput("the invitation's expiry or role is out of range") }
        try self.init(
            body: InvitationBody(
                inviterIdentity: Self.bytes(inner.inviterIdentity, "inviter_identity"),
                groupId: Self.bytes(inner.groupId, "group_id"), expirationTimestamp: expiration,
                nonce: Self.bytes(inner.secretSalt, "secret_salt"), invitedRole: role,
                admitters: inner.admitters.map { try Hex.id($0, "admitter") }),
            inviterSignature: wire.inviterSignature,
            inviterAccount: wire.inviterAccount.map { try Hex.id($0, "inviter_account") },
            admitterAddrs: wire.admitterAddrs,
            applicationId: wire.applicationId.map { try Self.bytes($0, "application_id") },
            appKey: wire.appKey.map { try Self.bytes($0, "app_key") })
    }

    private static func bytes(_ numbers: [Int], _ field: String) throws -> Data {
        let bytes = numbers.compactMap(UInt8.init(exactly:))
        guard bytes.count == numbers.count else {
            throw AccountError.invalidInput("\(field) holds something else than numbers from 0 to 255")
        }
        return Data(bytes)
    }
}

extension SignedGroupOpenInvitation {
    /// The invitation as JSON has it. Throws `AccountError.invalidInput` for an expiry that no `Int` holds.
    package init(_ signed: SignedInvitation) throws {
        guard let expiration = Int(exactly: signed.body.expirationTimestamp) else {
            throw AccountError.invalidInput("the invitation's expiry is out of range")
        }
        self.init(
            invitation: GroupInvitationFromAdmin(
                inviterIdentity: signed.body.inviterIdentity.map(Int.init), groupId: signed.body.groupId.map(Int.init),
                expirationTimestamp: expiration, secretSalt: signed.body.nonce.map(Int.init),
                invitedRole: Int(signed.body.invitedRole), admitters: signed.body.admitters.map { Hex.encode($0) }),
            inviterSignature: signed.inviterSignature, inviterAccount: signed.inviterAccount.map { Hex.encode($0) },
            admitterAddrs: signed.admitterAddrs, applicationId: signed.applicationId?.map(Int.init),
            appKey: signed.appKey?.map(Int.init))
    }
}
