import Foundation
import Testing

@testable import MeroKit

@Suite("Invitation tokens and links")
struct InviteTests {
    @Test("Tokens", arguments: CryptoVector.load("invite-codec"))
    func tokens(vector: CryptoVector) throws {
        let expected = try vector.expected.optionalString("json")
        let decoded = InviteCodec.decode(token: try vector.input.string("token"))
        #expect(decoded.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        guard let expected else { return }
        let token = try #require(InviteCodec.encode(json: expected))
        #expect(InviteCodec.decode(token: token) == expected)
    }

    @Test(
        "All forms of one invitation",
        arguments: [
            "J6abQmztNzKamQZ43cmhRYxp4K2pA6nZkiiUCcrekESDUzRu", "AgnXEZ8QHtGAuC7mEr1MaFKCprEwWQpqtdCh6q2jdk9bZa9rmLx",
            "daZGn5zWfMEsudJrgM92PowMEX3EQE85AGy9Kc5a72HW4",
            "eyJoZWxsbyI6IlN0cmHDn2UgMSIsIm4iOlsxLDIsM119", #"{"hello":"Straße 1","n":[1,2,3]}"#,
        ])
    func forms(token: String) throws {
        struct Payload: Codable, Equatable {
            let hello: String
            let n: [Int]
        }
        #expect(InviteCodec.decode(token: token) == #"{"hello":"Straße 1","n":[1,2,3]}"#)
        let payload = try InviteCodec.decode(Payload.self, from: token)
        #expect(payload == Payload(hello: "Straße 1", n: [1, 2, 3]))
        let again = try InviteCodec.encode(payload)
        #expect(try InviteCodec.decode(Payload.self, from: again) == payload)
        #expect(InviteCodec.decode(token: again) == #"{"hello":"Straße 1","n":[1,2,3]}"#)
    }

    @Test("Base64 of a deflated invitation, of either alphabet")
    func deflatedBase64() throws {
        let json = #"{"text":"~~~~???>>>"}"#
        let stream = Data(try RawDeflate.deflate(Array(json.utf8)))
        #expect(InviteCodec.decode(token: stream.base64EncodedString()) == json)
        #expect(InviteCodec.decode(token: Base64URL.encode(Array(stream))) == json)
    }

    @Test("Large ones are refused, by their own size and by what comes out")
    func limits() throws {
        #expect(InviteCodec.decode(token: String(repeating: "2", count: (16 << 10) + 1)) == nil)
        #expect(InviteCodec.decode(token: "{" + String(repeating: " ", count: 1 << 20) + "}") == nil)
        let bomb = try RawDeflate.deflate(Array("{".utf8) + [UInt8](repeating: 0x20, count: 1 << 20))
        #expect(InviteCodec.decode(token: Base58.encode(bomb)) == nil)
        #expect(InviteCodec.encode(json: "[1]") == nil)
        #expect(InviteCodec.encode(json: "{" + String(repeating: " ", count: 1 << 20)) == nil)
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let noise = String((0..<20_000).map { _ in "0123456789abcdef".randomElement(using: &generator) ?? "0" })
        for count in [100, 5_000, 20_000] {
            let json = #"{"noise":"\#(noise.prefix(count))"}"#
            // Whatever is made can be read.
            guard let token = InviteCodec.encode(json: json) else {
                #expect(count == 20_000 || count == 5_000, "seed \(seed)")
                continue
            }
            #expect(InviteCodec.decode(token: token) == json, "seed \(seed)")
        }
    }

    @Test("What is none, or holds something else, is a decoding error")
    func errors() {
        struct Other: Codable { let other: Int }
        for token in ["", "YQ", "not an invitation", #"{"a":1}"#] {
            let error = #expect(throws: MeroError.self) { try InviteCodec.decode(Other.self, from: token) }
            guard case .decoding(let text)? = error else {
                Issue.record("another error")
                continue
            }
            if !token.hasPrefix("{") { #expect(text == "not a recognizable invitation token") }
        }
        #expect(throws: MeroError.self) { try InviteCodec.encode([1, 2]) }
        #expect(throws: MeroError.self) { try InviteCodec.encode(["a": Double.nan]) }
        #expect(InviteCodec.base58Encode(Data([0, 0, 1])) == "112")
        #expect(InviteCodec.base58Decode("") == Data())
        #expect(InviteCodec.base58Decode("0") == nil)
    }

    @Test("Links", arguments: CryptoVector.load("invite-links") { $0.id.hasPrefix("create") })
    func create(vector: CryptoVector) throws {
        guard case .object(let members) = try vector.input.member("params") else {
            throw CryptoVector.Missing(field: "params")
        }
        let params = Dictionary(uniqueKeysWithValues: members.map { ($0.key, $0.value.text ?? "") })
        let link = try InviteLink.create(
            slug: vector.input.string("slug"), action: vector.input.string("action"), params: params,
            host: vector.input.string("host"))
        #expect(link == (try vector.expected.string("link")))
    }

    @Test("Pasted links", arguments: CryptoVector.load("invite-links") { $0.id.hasPrefix("paste") })
    func paste(vector: CryptoVector) throws {
        let token = try InviteLink.token(
            fromPasted: vector.input.string("pasted"), expectedSlug: vector.input.optionalString("expectedSlug"))
        #expect(token == (try vector.expected.optionalString("token")))
    }

    @Test("A token survives its link, whatever is in it")
    func linkRoundTrip() {
        for token in ["abc", "a+b/c=", "a b&c#d?e", "é🎨", "%41"] {
            let link = InviteLink.invitation(token: token, slug: "com.example.notes")
            #expect(link.hasPrefix("https://links.calimero.network/com.example.notes/join?invitation="))
            #expect(InviteLink.token(fromPasted: link + "#top", expectedSlug: "COM.example.notes") == token)
            #expect(InviteLink.token(fromPasted: link, expectedSlug: "com.example.note") == nil)
        }
        #expect(InviteLink.create(slug: "a/b", params: ["a+": "+"], host: "h") == "h/a%2Fb/join?a%2B=%2B")
    }

    @Test("The vectors are there", arguments: [("invite-codec", 28), ("invite-links", 19), ("cloud-proofs", 26)])
    func counts(family: String, count: Int) {
        #expect(CryptoVector.load(family).count == count)
    }
}
