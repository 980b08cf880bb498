import Foundation

/// What an inviter signs: the borsh of an invitation, hashed without a domain.
///
/// Spec: 50, section 15.1.
package struct InvitationBody: Sendable, Equatable {
    /// The key that signs: a device's, or a node's own.
    package let inviterIdentity: Data
    package let groupId: Data
    /// Unix seconds; 0 for one that does not expire.
    package let expirationTimestamp: UInt64
    /// 32 random bytes, `secret_salt` in JSON.
    package let nonce: Data
    package let invitedRole: UInt8
    /// The accounts whose nodes may admit the bearer.
    package let admitters: [Data]

    /// The ids and the nonce have 32 bytes each. Throws `AccountError.invalidInput` for another size.
    package init(
        inviterIdentity: Data, groupId: Data, expirationTimestamp: UInt64, nonce: Data, invitedRole: UInt8,
        admitters: [Data]
    ) throws {
        for field in [inviterIdentity, groupId, nonce] + admitters where field.count != 32 {
            throw AccountError.invalidInput("a field of the invitation must be 32 bytes, got \(field.count)")
        }
        self.inviterIdentity = inviterIdentity
        self.groupId = groupId
        self.expirationTimestamp = expirationTimestamp
        self.nonce = nonce
        self.invitedRole = invitedRole
        self.admitters = admitters
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        inviterIdentity = try reader.raw(32, "inviter")
        groupId = try reader.raw(32, "group")
        expirationTimestamp = try reader.u64("expiration")
        nonce = try reader.raw(32, "salt")
        invitedRole = try reader.u8("role")
        admitters = try reader.list(of: 32, "admitters")
    }

    package var bytes: Data {
        var writer = BorshWriter()
        writer.raw(inviterIdentity + groupId)
        writer.u64(expirationTimestamp)
        writer.raw(nonce)
        writer.u8(invitedRole)
        writer.list(admitters)
        return writer.data
    }

    /// The 32 bytes that are signed.
    package var hash: Data { sha256(bytes) }
}

/// An invitation with its signature and the hints beside it, as it stands inside a join.
///
/// Spec: 50, section 15.4.
package struct SignedInvitation: Sendable, Equatable {
    package let body: InvitationBody
    /// In hex: as such it is written.
    package let inviterSignature: String
    package let inviterAccount: Data?
    package let admitterAddrs: [String]
    package let applicationId: Data?
    package let appKey: Data?

    package init(
        body: InvitationBody, inviterSignature: String, inviterAccount: Data? = nil, admitterAddrs: [String] = [],
        applicationId: Data? = nil, appKey: Data? = nil
    ) throws {
        for field in [inviterAccount, applicationId, appKey].compactMap({ $0 }) where field.count != 32 {
            throw AccountError.invalidInput("a field of the invitation must be 32 bytes, got \(field.count)")
        }
        self.body = body
        self.inviterSignature = inviterSignature
        self.inviterAccount = inviterAccount
        self.admitterAddrs = admitterAddrs
        self.applicationId = applicationId
        self.appKey = appKey
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        body = try InvitationBody(from: &reader)
        inviterSignature = try reader.string("inviter signature")
        inviterAccount = try reader.optionBytes(32, "inviter account")
        admitterAddrs = try reader.strings("admitter addresses")
        applicationId = try reader.optionBytes(32, "application")
        appKey = try reader.optionBytes(32, "app key")
    }

    package var bytes: Data {
        var writer = BorshWriter()
        writer.raw(body.bytes)
        writer.string(inviterSignature)
        writer.optionBytes(inviterAccount)
        writer.strings(admitterAddrs)
        writer.optionBytes(applicationId)
        writer.optionBytes(appKey)
        return writer.data
    }

    /// Whether the inviter signed it.
    package var isSigned: Bool {
        guard let signature = Hex.decode(inviterSignature) else { return false }
        return Ed25519.verify(publicKey: body.inviterIdentity, signature: Data(signature), message: body.hash)
    }
}
