import Foundation
import Testing

@testable import MeroKit

/// Invitations come out as they went in. Spec: 30, section 3.2.
@Suite struct InvitationWireTests {
    private static let inner =
        #""inviter_identity":[0,255],"group_id":[9],"expiration_timestamp":1790086400,"secret_salt":[1]"#

    @Test(arguments: [
        #"{"invitation":{\#(inner)},"inviter_signature":"5c"}"#,
        AdminCall.invitation,
        // Unknown fields, inside and outside.
        #"""
        {"invitation":{\#(inner),"seal":{"a":[1,-2.5,1e-7,null,true,{"b":"c"}],"":""}},"inviter_signature":"5c",
        "admitter_hints":[{"kind":"x","n":9007199254740992}],"e":-9007199254740992}
        """#,
        // Neither signature nor hints, then all of them spelled out as nothing.
        #"{"invitation":{\#(inner)}}"#,
        #"""
        {"invitation":{\#(inner),"invited_role":null,"admitters":[]},"inviter_signature":"","inviter_account":null,
        "admitter_addrs":[],"application_id":null,"app_key":null}
        """#,
        #"{"invitation":{\#(inner),"admitters":null},"inviter_signature":null,"admitter_addrs":null}"#,
        #"{"invitation":{\#(inner),"invited_role":0,"admitters":["aa","aa"]},"application_id":[],"app_key":[0]}"#,
    ])
    func comesOutAsItWentIn(text: String) throws {
        let invitation = try MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(text.utf8))
        let written = try MeroJSON.encode(invitation)
        let (before, after) = try (ExactJSON(jsonBytes: Data(text.utf8)), ExactJSON(jsonBytes: written))
        #expect(try canonical(before) == canonical(after))
        let token = try InviteCodec.encode(invitation)
        let again = try InviteCodec.decode(SignedGroupOpenInvitation.self, from: token)
        #expect(try canonical(ExactJSON(jsonBytes: MeroJSON.encode(again))) == canonical(before))
    }

    private func canonical(_ json: ExactJSON) throws -> String {
        var writer = JSONWriter(style: .canonical)
        try writer.write(json)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func knownFieldsFindTheirPlace() throws {
        let invitation = try AdminCall.sampleInvitation()
        #expect(invitation.invitation.inviterIdentity == [17, 0, 255] && invitation.invitation.groupId == [9])
        #expect(invitation.invitation.expirationTimestamp == 1_790_086_400)
        #expect(invitation.invitation.secretSalt == [1, 2] && invitation.invitation.invitedRole == 1)
        #expect(invitation.invitation.admitters == ["aa"] && invitation.inviterSignature == "5c")
        #expect(invitation.inviterAccount == "bb" && invitation.admitterAddrs == ["/ip4/10.0.0.7/tcp/2428/p2p/12D3"])
        #expect(invitation.applicationId == [7] && invitation.appKey == [8])
        #expect(invitation.passthrough.isEmpty && invitation.invitation.passthrough.isEmpty)
    }

    /// What is set after decoding wins over what stood there.
    @Test func whatIsSetLaterWins() throws {
        let text = #"{"invitation":{\#(Self.inner)},"inviter_account":null,"inviter_signature":"","admitter_addrs":[]}"#
        var invitation = try MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(text.utf8))
        invitation.inviterAccount = "bb"
        invitation.inviterSignature = "5c"
        invitation.admitterAddrs = ["a"]
        invitation.invitation.expirationTimestamp = Int.max
        let written = try asJSON(invitation)
        #expect(written["inviter_account"] == "bb" && written["inviter_signature"] == "5c")
        #expect(written["admitter_addrs"] == ["a"])
        let bytes = try MeroJSON.encode(invitation)
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""expiration_timestamp":9223372036854775807"#))
    }

    @Test(arguments: [
        "9007199254740993", "-9007199254740993", "18446744073709551615", "123456789012345678901234567890", "1e300",
        "1e400", "[9007199254740993]", #"{"a":[{"b":9223372036854775807}]}"#,
    ])
    func whatCannotBeKeptIsRefused(number: String) {
        for text in [
            #"{"invitation":{\#(Self.inner),"x":\#(number)}}"#, #"{"invitation":{\#(Self.inner)},"x":\#(number)}"#,
        ] {
            let error = #expect(throws: MeroError.self) {
                try MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(text.utf8))
            }
            guard case .decoding(let reason) = error else {
                return #expect(Bool(false), "\(String(describing: error))")
            }
            #expect(reason.hasPrefix("x of the "))
        }
    }

    @Test(arguments: [
        ("{}", "no invitation"), ("[]", "no object"), (#"{"invitation":null}"#, "no invitation"),
        (#"{"invitation":{"group_id":[],"expiration_timestamp":1,"secret_salt":[]}}"#, "no inviter_identity"),
        (#"{"invitation":{"inviter_identity":[],"expiration_timestamp":1,"secret_salt":[]}}"#, "no group_id"),
        (#"{"invitation":{"inviter_identity":[],"group_id":[],"secret_salt":[]}}"#, "no expiration_timestamp"),
        (#"{"invitation":{"inviter_identity":[],"group_id":[],"expiration_timestamp":1}}"#, "no secret_salt"),
        (#"{"invitation":{\#(inner),"invited_role":"Admin"}}"#, "invited_role"),
        (#"{"invitation":{\#(inner)},"inviter_account":7}"#, "inviter_account"),
        (#"{"invitation":"x"}"#, "no object"),
        (
            #"{"invitation":{"inviter_identity":[],"group_id":[1.5],"expiration_timestamp":1,"secret_salt":[]}}"#,
            "group_id"
        ),
        (
            """
            {"invitation":{"inviter_identity":[],"group_id":[],"expiration_timestamp":18446744073709551615,
            "secret_salt":[]}}
            """, "expiration_timestamp"
        ),
    ])
    func whatIsNoInvitationIsADecodingError(text: String, word: String) {
        let error = #expect(throws: MeroError.self) {
            try MeroJSON.decode(SignedGroupOpenInvitation.self, from: Data(text.utf8))
        }
        guard case .decoding(let reason) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(reason.contains(word), "\(reason)")
    }

    /// The numbers of a wire invitation are bytes, with no decimal point in sight.
    @Test func bytesStayIntegers() throws {
        let text = String(decoding: try MeroJSON.encode(AdminCall.sampleInvitation()), as: UTF8.self)
        #expect(text.contains("[17,0,255]") && !text.contains(".0]") && !text.contains("255.0"))
    }

    @Test func theSignedFormAndTheWireFormAgree() throws {
        let keys = DeviceKeys.generate()
        let key = try Hex.id(keys.signPublicKey, "key")
        let body = try InvitationBody(
            inviterIdentity: key, groupId: randomBytes(32), expirationTimestamp: 1_790_086_400, nonce: randomBytes(32),
            invitedRole: 2, admitters: [randomBytes(32), randomBytes(32)])
        let signed = try SignedInvitation(
            body: body, inviterSignature: Hex.encode(keys.sign(body.hash)), inviterAccount: randomBytes(32),
            admitterAddrs: ["/ip4"], applicationId: randomBytes(32), appKey: nil)
        let token = try InviteCodec.encode(SignedGroupOpenInvitation(signed))
        let read = try SignedInvitation(InviteCodec.decode(SignedGroupOpenInvitation.self, from: token))
        #expect(read == signed && read.isSigned)
        for change in 0..<5 {
            var wire = try SignedGroupOpenInvitation(signed)
            switch change {
            case 0: wire.invitation.groupId[0] = 256
            case 1: wire.invitation.expirationTimestamp = -1
            case 2: wire.invitation.invitedRole = 300
            case 3: wire.invitation.admitters = ["zz"]
            default: wire.appKey = [1]
            }
            #expect(throws: AccountError.self) { try SignedInvitation(wire) }
        }
    }

    @Test func termsThatSayNothingAreLeftOut() throws {
        #expect(try asJSON(CreateNamespaceInvitationRequest()) == [:])
        #expect(try asJSON(CreateGroupInvitationRequest(recursive: false)) == ["recursive": false])
        let request = CreateGroupInvitationRequest(expirationTimestamp: 60, admitters: ["aa"], admitterAddrs: ["/a"])
        let read = try MeroJSON.decode(CreateGroupInvitationRequest.self, from: MeroJSON.encode(request))
        #expect(read.expirationTimestamp == 60 && read.admitters == ["aa"] && read.admitterAddrs == ["/a"])
    }
}
