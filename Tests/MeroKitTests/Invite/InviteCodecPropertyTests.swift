import Foundation
import Testing

@testable import MeroKit

/// The codec against generated and hostile input; every failure names the seed that repeats it.
@Suite("Invitation tokens, at random") struct InviteCodecPropertyTests {
    private static func seed() -> UInt64 {
        let given = ProcessInfo.processInfo.environment["MEROKIT_TEST_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: .min ... .max)
        print("seed of the invitation codec: \(seed)")
        return seed
    }

    private static func text(_ random: inout SeededGenerator, _ limit: Int) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "\"", "\\", "/", "\n", "é", "ß", "語", "🎨", "\u{0301}", "{",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...limit, using: &random) {
            text.unicodeScalars.append(scalars.randomElement(using: &random) ?? "a")
        }
        return text
    }

    private static func object(_ random: inout SeededGenerator, depth: Int = 0) -> [String: JSONValue] {
        var object: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let value: JSONValue
            switch Int.random(in: 0...(depth < 4 ? 5 : 3), using: &random) {
            case 0: value = .string(text(&random, 40))
            case 1: value = .number(Double(Int.random(in: -1_000_000...1_000_000, using: &random)))
            case 2: value = .bool(Bool.random(using: &random))
            case 3: value = .null
            case 4: value = .array((0..<Int.random(in: 0...5, using: &random)).map { .number(Double($0)) })
            default: value = .object(Self.object(&random, depth: depth + 1))
            }
            object[text(&random, 8)] = value
        }
        return object
    }

    @Test func everyObjectSurvivesEveryForm() throws {
        let seed = Self.seed()
        var random = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let value = JSONValue.object(Self.object(&random))
            let bytes = try JSONWriter.bytes(of: value)
            let json = String(decoding: bytes, as: UTF8.self)
            let deflated = try RawDeflate.deflate(bytes)
            let forms = [
                try #require(InviteCodec.encode(json: json)), Base58.encode(bytes), Base64URL.encode(bytes),
                Data(bytes).base64EncodedString(), Data(deflated).base64EncodedString(), Base64URL.encode(deflated),
                json,
                " \n\(Base58.encode(deflated))\t",
            ]
            for (index, form) in forms.enumerated() {
                let decoded = InviteCodec.decode(token: form)
                #expect(decoded == json, "seed \(seed), round \(round), form \(index)")
            }
            #expect(try InviteCodec.decode(JSONValue.self, from: InviteCodec.encode(value)) == value, "seed \(seed)")
        }
    }

    /// Cut off, mangled, or nothing of the kind: nil, or another object, and never anything else.
    @Test func whatIsMangledIsNilOrAnObject() throws {
        let seed = Self.seed()
        var random = SeededGenerator(seed: seed)
        let whole = try #require(InviteCodec.encode(json: #"{"text":"\#(String(repeating: "notes ", count: 50))"}"#))
        for length in 0..<whole.count {
            #expect(InviteCodec.decode(token: String(whole.prefix(length))) == nil, "length \(length)")
        }
        let alphabet = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl+/=-_ {}\"é")
        for round in 0..<3000 {
            var token = Array(whole)
            if Bool.random(using: &random) {
                token = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                    alphabet.randomElement(using: &random) ?? "1"
                }
            } else {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: token.indices, using: &random)
                    token[index] = alphabet.randomElement(using: &random) ?? "1"
                }
            }
            let text = String(token)
            guard let decoded = InviteCodec.decode(token: text) else { continue }
            let first = decoded.first { !$0.isWhitespace }
            #expect(first == "{", "seed \(seed), round \(round): \(text)")
            #expect(throws: MeroError.self, "seed \(seed), round \(round)") { try InvitationPayload(token: text) }
        }
    }

    /// What would grow a thousandfold is cut off, in little time.
    @Test func bombsAreCutOff() throws {
        let blanks = [UInt8](repeating: 0x20, count: 1 << 20)
        for (json, fits) in [
            (Array("{".utf8) + blanks.dropLast(2) + Array("}".utf8), true), (Array("{".utf8) + blanks, false),
            (Array("{".utf8) + blanks + blanks + blanks + blanks, false),
        ] {
            let stream = try RawDeflate.deflate(json)
            #expect(stream.count < 8 << 10)
            for token in [Base58.encode(stream), Data(stream).base64EncodedString()] {
                #expect((InviteCodec.decode(token: token) != nil) == fits)
            }
        }
        let start = DispatchTime.now().uptimeNanoseconds
        for character in ["1", "z", "A", "_", "{", " "] {
            for count in [(16 << 10) + 1, 1 << 22] {
                #expect(
                    InviteCodec.decode(token: String(repeating: character, count: count)) == nil || character == "{")
            }
            _ = InviteCodec.decode(token: String(repeating: character, count: 16 << 10))
        }
        #expect(Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 < 20)
    }

    /// A signed invitation keeps its signature through a token, whatever its numbers.
    @Test func invitationsStaySigned() throws {
        let seed = Self.seed()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let id = Hex.encode(randomBytes(32))
            let invitation = try GroupInvitations.sign(
                groupId: id, inviterAccount: id, keys: .generate(),
                admitters: (0..<Int.random(in: 1...5, using: &random)).map { _ in Hex.encode(randomBytes(32)) },
                invitedRole: [.admin, .member, .readOnly].randomElement(using: &random) ?? .member,
                validForSeconds: Int.random(in: 1...86_400, using: &random),
                applicationId: Bool.random(using: &random) ? id : nil,
                appKey: Bool.random(using: &random) ? id : nil,
                admitterAddrs: (0..<Int.random(in: 0...3, using: &random)).map { _ in Self.text(&random, 30) })
            let payload = try InvitationPayload(token: InviteCodec.encode(invitation))
            #expect(try SignedInvitation(payload.invitation).isSigned, "seed \(seed)")
            #expect(try SignedInvitation(payload.invitation) == SignedInvitation(invitation), "seed \(seed)")
            #expect(payload.namespaceId == id)
        }
    }

    /// Any token in any app's link comes out again, and in no other app's.
    @Test func tokensSurviveTheirLinks() {
        let seed = Self.seed()
        var random = SeededGenerator(seed: seed)
        for round in 0..<500 {
            let token = "t" + Self.text(&random, 40)
            let slug = "com.example.app\(Int.random(in: 0...9, using: &random))"
            let params = ["a" + Self.text(&random, 6): Self.text(&random, 20), "invitation": token]
            let link = InviteLink.create(slug: slug, params: params, host: "https://links.example/")
            for text in [link, link + "#" + "invitation=other", "  \(link)\n", "calimero" + link.dropFirst(5)] {
                let read = InviteLink.token(fromPasted: text, expectedSlug: slug.uppercased())
                #expect(read.map { Array($0.utf8) } == Array(token.utf8), "seed \(seed), round \(round): \(text)")
                #expect(InviteLink.token(fromPasted: text, expectedSlug: slug + "x") == nil, "seed \(seed)")
            }
        }
    }
}
