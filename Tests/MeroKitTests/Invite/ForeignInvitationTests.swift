import Foundation
import Testing

@testable import MeroKit

/// What people paste that is no invitation of this app's. Spec: 70, sections 10.2 and 10.3.
@Suite("Invitations that are none") struct ForeignInvitationTests {
    private static let slug = "com.example.notes"

    private static func json(_ more: String = "") -> String {
        let id = Array(repeating: "7", count: 32).joined(separator: ",")
        return #"{"invitation":{"inviter_identity":[\#(id)],"group_id":[\#(id)],"expiration_timestamp":0,"#
            + #""secret_salt":[\#(id)],"invited_role":1,"admitters":[]\#(more)},"inviter_signature":"\#(String(repeating: "ab", count: 64))"}"#
    }

    /// Nil for none, as for a link to another app; `.decoding` is the one error that there is.
    private static func outcome(_ text: String, slug: String? = slug) -> String {
        do {
            return try InvitationPayload.read(pasted: text, expectedSlug: slug) == nil ? "none" : "invitation"
        } catch MeroError.decoding {
            return "decoding"
        } catch {
            return "\(error)"
        }
    }

    @Test func everyTruncationIsOneTypedError() throws {
        let token = try #require(InviteCodec.encode(json: Self.json()))
        #expect(Self.outcome(token) == "invitation")
        for length in 1..<token.count {
            #expect(Self.outcome(String(token.prefix(length))) == "decoding", "\(length)")
        }
        for length in stride(from: 1, to: Self.json().count, by: 7) {
            #expect(Self.outcome(String(Self.json().prefix(length))) == "decoding", "\(length)")
        }
    }

    @Test func linksOfOtherHostsAndWithFragments() throws {
        let token = try #require(InviteCodec.encode(json: Self.json()))
        let own = InviteLink.invitation(token: token, slug: Self.slug)
        #expect(Self.outcome(own + "#anything?invitation=x") == "invitation")
        // A host says nothing: apps may have links of their own. The package does.
        #expect(Self.outcome("https://evil.example/\(Self.slug)/join?invitation=\(token)") == "invitation")
        for link in [
            "https://evil.example/join?invitation=\(token)",
            "https://links.calimero.network/com.example.notes-ar/join?invitation=\(token)",
            "https://links.calimero.network/x/join?a=\(Self.slug)&invitation=\(token)",
            "https://links.calimero.network/x/join?invitation=\(token)#/\(Self.slug)/",
            "calimero://com.example.other/join?invitation=\(token)",
        ] {
            #expect(Self.outcome(link) == "none", "\(link)")
        }
        // What stands in a fragment is no parameter.
        for link in [
            "https://links.calimero.network/\(Self.slug)/join#?invitation=\(token)",
            "https://links.calimero.network/\(Self.slug)/join?invitation=#\(token)",
            "https://links.calimero.network/\(Self.slug)/join?invitations=\(token)",
            "ftp://links.calimero.network/\(Self.slug)/join?invitation=\(token)",
        ] {
            #expect(Self.outcome(link) == "decoding", "\(link)")
        }
    }

    /// What is not known of a later version is kept, and what is not what it should be is refused.
    @Test func laterVersionsAndWrongOnes() throws {
        let later = try InvitationPayload(json: Self.json(#","version":9,"novelty":{"a":[4503599627370497,null]}"#))
        let again = try later.json
        #expect(again.contains("[4503599627370497,null]") && again.contains(#""version":9"#))
        // A number that would come out as another one is not passed on.
        #expect(Self.outcome(Self.json(#","novelty":18446744073709551615"#)) == "decoding")
        for (from, to) in [
            (#""group_id":["#, #""group_id":["x","#), (#""group_id":["#, #""group_id":[300,"#),
            (#""expiration_timestamp":0"#, #""expiration_timestamp":"soon""#), ("inviter_signature", "signature"),
        ] {
            #expect(Self.outcome(Self.json().replacingOccurrences(of: from, with: to)) == "decoding", "\(to)")
        }
    }

    /// A bomb is given up at the limit: what it would become is never in memory.
    @Test func aBombCostsNoMoreThanTheLimit() throws {
        let bomb = try RawDeflate.deflate(Array("{".utf8) + [UInt8](repeating: 0x20, count: 8 << 20))
        for limit in [16, 1 << 10, 1 << 20] {
            #expect(throws: (any Error).self) { try RawDeflate.inflate(bomb, limit: limit) }
        }
        // A stored block may claim more than it brings, and more than the limit, without anything being set aside for it.
        let claims = [0x01, 0xff, 0xff, 0x00, 0x00] as [UInt8]
        #expect(throws: (any Error).self) { try RawDeflate.inflate(claims, limit: 1 << 20) }
        #expect(Self.outcome(Base64URL.encode(bomb)) == "decoding")
    }
}
