import Foundation
import Testing

@testable import MeroKit

@Suite("Invitations and joins, byte by byte")
struct InvitationBytesTests {
    private static func body(_ json: ExactJSON) throws -> InvitationBody {
        try InvitationBody(
            inviterIdentity: numbers(json.member("inviter_identity")), groupId: numbers(json.member("group_id")),
            expirationTimestamp: json.integer("expiration_timestamp"), nonce: numbers(json.member("secret_salt")),
            invitedRole: json.integer("invited_role"),
            admitters: json.strings("admitters").map { try Hex.id($0, "admitter") })
    }

    private static func signed(_ json: ExactJSON) throws -> SignedInvitation {
        try SignedInvitation(
            body: body(json.member("invitation")), inviterSignature: json.string("inviter_signature"),
            inviterAccount: json["inviter_account"]?.text.map { try Hex.id($0, "account") },
            admitterAddrs: json["admitter_addrs"] == nil ? [] : json.strings("admitter_addrs"),
            applicationId: json["application_id"].map(numbers), appKey: json["app_key"].map(numbers))
    }

    /// Bytes that JSON spells as a list of numbers.
    private static func numbers(_ json: ExactJSON) throws -> Data {
        guard case .array(let items) = json else { throw CryptoVector.Missing(field: "bytes") }
        return Data(
            try items.map { item in
                guard case .number(let text) = item, let byte = UInt8(text) else {
                    throw CryptoVector.Missing(field: "byte")
                }
                return byte
            })
    }

    @Test("Invitations", arguments: CryptoVector.load("invitations"))
    func invitations(vector: CryptoVector) throws {
        guard let secret = vector.input["deviceSecret"]?.text else {
            // Minted by a live node.
            let invitation = try Self.signed(vector.input.member("json"))
            #expect(Hex.encode(invitation.body.hash) == (try vector.expected.string("hash")))
            #expect(invitation.isSigned == (try vector.expected.bool("signatureVerifies")))
            return
        }
        let keys = try DeviceKeys.signing(Hex.id(secret, "secret"))
        let expected = try Self.signed(vector.expected.member("json"))
        let body = try InvitationBody(
            inviterIdentity: keys.signPublicKeyBytes, groupId: vector.input.bytes("groupId"),
            expirationTimestamp: vector.input.integer("expirationTimestamp"), nonce: vector.input.bytes("nonce"),
            invitedRole: vector.input.integer("invitedRole"),
            admitters: vector.input.strings("admitters").map { try Hex.id($0, "admitter") })
        #expect(body == expected.body)
        #expect(Hex.encode(body.bytes) == (try vector.expected.string("bodyBorsh")))
        #expect(Hex.encode(body.hash) == (try vector.expected.string("hash")))
        try expectSameSigned(
            Hex.encode(keys.sign(body.hash)), vector.expected.string("signature"), key: keys.signPublicKeyBytes,
            message: body.hash)
        #expect(expected.isSigned)
        if let bytes = vector.expected["signedBorsh"]?.text { #expect(Hex.encode(expected.bytes) == bytes) }
        var reader = BorshReader(expected.bytes)
        #expect(try SignedInvitation(from: &reader) == expected)
        try reader.finish()
        // An edited body has another hash.
        for index in body.bytes.indices {
            var changed = body.bytes
            changed[index] ^= 1
            var reader = BorshReader(changed)
            guard let edited = try? InvitationBody(from: &reader) else { continue }
            let forged = try SignedInvitation(body: edited, inviterSignature: expected.inviterSignature)
            #expect(!forged.isSigned, "byte \(index)")
        }
    }

    @Test("Joins", arguments: CryptoVector.load("join-ops"))
    func joins(vector: CryptoVector) throws {
        let input = vector.input
        let keys = try DeviceKeys.signing(input.bytes("deviceSecret"))
        func op(namespace: Data? = nil, signer: Data? = nil) throws -> MemberJoinOp {
            try MemberJoinOp(
                namespaceId: namespace ?? input.bytes("namespaceId"),
                parentOpHashes: input.strings("parentOpHashes").map { try Hex.id($0, "parent") },
                signer: signer ?? keys.signPublicKeyBytes, nonce: input.integer("nonce"),
                member: input.bytes("member"), invitation: Self.signed(input.member("invitation")),
                joinedAt: input.integer("joinedAt"), credential: input.bytes("credential"))
        }
        let join = try op()
        #expect(Hex.encode(join.signable) == (try vector.expected.string("signable")))
        let signature = try keys.sign(join.message)
        let expected = try vector.expected.string("signedOp")
        let wire = Hex.encode(join.bytes(signature: signature))
        #expect(wire.hasSuffix("00") && expected.hasSuffix("00"))
        try expectSameSigned(
            String(wire.dropLast(2)), String(expected.dropLast(2)), key: keys.signPublicKeyBytes,
            message: join.message)
        let bytes = try Hex.decodeUnsized(expected, label: "op")
        let read = try MemberJoinOp(bytes)
        #expect(read.isSigned)
        #expect(read.signable == join.signable && read.credential == join.credential)
        #expect(read.schemaVersion == 24)
        for index in bytes.indices.dropLast() {
            var changed = bytes
            changed[index] ^= 1
            #expect((try? MemberJoinOp(changed))?.isSigned != true, "byte \(index)")
        }
        for count in stride(from: 0, to: bytes.count, by: 7) {
            #expect(throws: BorshError.self) { try MemberJoinOp(bytes.prefix(count)) }
        }
        #expect(throws: AccountError.self) { try op(namespace: Data(count: 32)) }
        #expect(throws: AccountError.self) { try op(signer: Data(count: 32)) }
        #expect(throws: AccountError.self) { try op(signer: Data(count: 31)) }
    }

    @Test("The vectors are there", arguments: [("invitations", 5), ("join-ops", 3)])
    func counts(family: String, count: Int) {
        #expect(CryptoVector.load(family).count == count)
    }
}
