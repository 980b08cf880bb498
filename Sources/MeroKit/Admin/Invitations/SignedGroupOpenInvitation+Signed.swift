import Foundation

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
