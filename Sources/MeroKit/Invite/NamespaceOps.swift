import Foundation

/// The op by which the bearer of an invitation joins a namespace, and its parts.
///
/// All throw `AccountError.invalidInput` for an invitation that cannot have been signed so, one to another namespace, and a
/// credential of another device. Spec: 50, sections 15.4 and 16.
public enum NamespaceOps {
    /// The form of the op that current nodes take; they refuse every other.
    public static var schemaVersion: UInt8 { MemberJoinOp.schemaVersion }

    /// What the inviter signed, before it is hashed.
    public static func encodeGroupInvitation(_ body: GroupInvitationFromAdmin) throws -> Data {
        try InvitationBody(body).bytes
    }

    /// The invitation with its signature and hints, as it stands in a join.
    public static func encodeSignedInvitation(_ invitation: SignedGroupOpenInvitation) throws -> Data {
        try SignedInvitation(invitation).bytes
    }

    /// What the newcomer's device signs, without the domain in front of it.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - invitation: What the member handed out.
    ///   - account: The account that joins.
    ///   - credential: The certificate of its device, in hex.
    ///   - signPublicKey: The device's signing key, 64 hex characters.
    ///   - nonce: The number of the join, as in the op.
    ///   - joinedAt: Unix seconds. Left out of the op when the invitation does not expire.
    public static func memberJoinSignable(
        namespaceId: String, invitation: SignedGroupOpenInvitation, account: String, credential: String,
        signPublicKey: String, nonce: UInt64, joinedAt: UInt64
    ) throws -> Data {
        try op(namespaceId, invitation, account, credential, signPublicKey, nonce, joinedAt).signable
    }

    /// The signed op in hex, as it is posted to an admitter.
    public static func signMemberJoinOp(
        namespaceId: String, invitation: SignedGroupOpenInvitation, account: String, credential: String,
        keys: DeviceKeys, nonce: UInt64, joinedAt: UInt64
    ) throws -> String {
        let op = try op(namespaceId, invitation, account, credential, keys.signPublicKey, nonce, joinedAt)
        return Hex.encode(op.bytes(signature: try keys.sign(op.message)))
    }

    /// The same with a signer. Throws also what the signer throws.
    public static func signMemberJoinOp(
        namespaceId: String, invitation: SignedGroupOpenInvitation, account: String, credential: String,
        signer: any DeviceSigner, nonce: UInt64, joinedAt: UInt64
    ) async throws -> String {
        let op = try op(namespaceId, invitation, account, credential, signer.signPublicKey, nonce, joinedAt)
        return Hex.encode(op.bytes(signature: try await signer.checkedSignature(over: op.message)))
    }

    private static func op(
        _ namespaceId: String, _ invitation: SignedGroupOpenInvitation, _ account: String, _ credential: String,
        _ signPublicKey: String, _ nonce: UInt64, _ joinedAt: UInt64
    ) throws -> MemberJoinOp {
        try MemberJoinOp(
            namespaceId: Hex.id(namespaceId, "namespaceId"), signer: Hex.id(signPublicKey, "signPublicKey"),
            nonce: nonce, member: Hex.id(account, "account"), invitation: SignedInvitation(invitation),
            joinedAt: joinedAt, credential: Hex.decodeUnsized(credential, label: "credential"))
    }
}
