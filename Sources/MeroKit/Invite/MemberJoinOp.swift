import Foundation

/// The op by which the bearer of an invitation joins a namespace, signed by the bearer's device.
///
/// Spec: 50, section 16.
package struct MemberJoinOp: Sendable, Equatable {
    /// What a node of this release takes. It moves with the node's releases.
    package static let schemaVersion: UInt8 = 24

    private static let domain = "calimero.namespace.v1"
    private static let rootOp: UInt8 = 0
    private static let joined: UInt8 = 5
    private static let joinedAtATime: UInt8 = 8

    package let schemaVersion: UInt8
    package let namespaceId: Data
    package let parentOpHashes: [Data]
    /// The device's signing key.
    package let signer: Data
    package let nonce: UInt64
    /// The account that joins.
    package let member: Data
    package let invitation: SignedInvitation
    /// Unix seconds; nil when the invitation does not expire.
    package let joinedAt: UInt64?
    /// The device's certificate.
    package let credential: Data
    /// 64 bytes, none in an op that is yet to be signed.
    package let signature: Data

    /// Throws `AccountError.invalidInput` for ids of another size, an invitation to another namespace, and a credential
    /// that is not the signer's.
    package init(
        namespaceId: Data, parentOpHashes: [Data] = [], signer: Data, nonce: UInt64, member: Data,
        invitation: SignedInvitation, joinedAt: UInt64, credential: Data, signature: Data = Data()
    ) throws {
        for field in [namespaceId, signer, member] + parentOpHashes where field.count != 32 {
            throw AccountError.invalidInput("a field of the join must be 32 bytes, got \(field.count)")
        }
        guard invitation.body.groupId == namespaceId else {
            throw AccountError.invalidInput("the invitation is to another namespace")
        }
        guard let proof = try? AccountProof<DeviceCertificate>(credential), proof.statement.signPublicKey == signer
        else {
            throw AccountError.invalidInput("the credential does not certify the key that signs")
        }
        schemaVersion = Self.schemaVersion
        self.namespaceId = namespaceId
        self.parentOpHashes = parentOpHashes
        self.signer = signer
        self.nonce = nonce
        self.member = member
        self.invitation = invitation
        self.joinedAt = invitation.body.expirationTimestamp == 0 ? nil : joinedAt
        self.credential = credential
        self.signature = signature
    }

    /// Reads a signed op. Throws `BorshError`, also when something follows, and for any other op than a join.
    package init(_ bytes: Data) throws(BorshError) {
        var reader = BorshReader(bytes)
        schemaVersion = try reader.u8("schema version")
        namespaceId = try reader.raw(32, "namespace")
        parentOpHashes = try reader.list(of: 32, "parents")
        signer = try reader.raw(32, "signer")
        nonce = try reader.u64("nonce")
        guard try reader.u8("op") == Self.rootOp else { throw .invalid("op") }
        let kind = try reader.u8("op")
        guard kind == Self.joined || kind == Self.joinedAtATime else { throw .invalid("op") }
        member = try reader.raw(32, "member")
        invitation = try SignedInvitation(from: &reader)
        joinedAt = kind == Self.joined ? nil : try reader.u64("joined at")
        let start = reader.offset
        _ = try AccountProof<DeviceCertificate>(from: &reader)
        credential = reader.slice(from: start)
        signature = try reader.raw(64, "signature")
        // The admitter adds its own endorsement.
        guard try reader.u8("endorsement") == 0 else { throw .invalid("endorsement") }
        try reader.finish()
    }

    /// What travels, but for the signature and what follows it.
    package var signable: Data {
        var writer = BorshWriter()
        writer.u8(schemaVersion)
        writer.raw(namespaceId)
        writer.list(parentOpHashes)
        writer.raw(signer)
        writer.u64(nonce)
        writer.u8(Self.rootOp)
        writer.u8(joinedAt == nil ? Self.joined : Self.joinedAtATime)
        writer.raw(member)
        writer.raw(invitation.bytes)
        if let joinedAt { writer.u64(joinedAt) }
        writer.raw(credential)
        return writer.data
    }

    /// The bytes that are signed, as they are.
    package var message: Data { Data(Self.domain.utf8) + signable }

    /// What travels.
    package func bytes(signature: Data) -> Data { signable + signature + [0] }

    /// Whether the device signed it.
    package var isSigned: Bool { Ed25519.verify(publicKey: signer, signature: signature, message: message) }
}
