import Foundation
import Testing

@testable import MeroKit

@Suite("Login statements")
struct LoginStatementTests {
    static func audience(_ tree: ExactJSON) throws -> LoginAudience {
        let value = try tree.string("value")
        switch try tree.string("kind") {
        case "webOrigin": return .webOrigin(value)
        case "codeSigningId": return .codeSigningId(value)
        case "cli": return .cli
        default: throw CryptoVector.Missing(field: "kind")
        }
    }

    @Test("Statements", arguments: CryptoVector.load("login-statements"))
    func statements(vector: CryptoVector) async throws {
        let input = vector.input
        let keys = try DeviceKeys.signing(input.bytes("deviceSecret"))
        let key = try keys.signPublicKeyBytes
        let audience = try Self.audience(input.member("audience"))
        let (node, challenge, session) = try (
            input.string("node"), input.string("challenge"), input.string("sessionKey")
        )
        let (issuedAt, expiresAt): (UInt64, UInt64) = try (input.integer("issuedAt"), input.integer("expiresAt"))
        if let expected = vector.expected["deviceKey"]?.text { #expect(keys.signPublicKey == expected) }
        let preimage = try LoginStatement.preimage(
            node: node, audience: audience, challenge: challenge, sessionKey: session, deviceKey: key,
            issuedAt: issuedAt, expiresAt: expiresAt)
        if let expected = vector.expected["preimage"]?.text { #expect(Hex.encode(preimage) == expected) }
        let expected = try vector.expected.string("statement")
        let statement = try LoginStatement.sign(
            node: node, audience: audience, challenge: challenge, sessionKey: session, issuedAt: issuedAt,
            expiresAt: expiresAt, keys: keys)
        try expectSameSigned(statement, expected, key: key, message: preimage)
        let external = try await LoginStatement.sign(
            node: node, audience: audience, challenge: challenge, sessionKey: session, issuedAt: issuedAt,
            expiresAt: expiresAt, signer: OpaqueSigner(keys))
        try expectSameSigned(external, expected, key: key, message: preimage)
        let read = try SignedLoginStatement(Hex.decodeUnsized(expected, label: "statement"))
        #expect(read.isSigned)
        #expect(read.audience == audience)
        #expect(Hex.encode(read.node) == node && Hex.encode(read.challenge) == challenge)
        #expect(Hex.encode(read.sessionKey) == session && read.deviceKey == key)
        #expect(read.issuedAt == issuedAt && read.expiresAt == expiresAt)
        #expect(Hex.encode(read.bytes) == expected)
    }

    @Test("Truncations, additions and changed bits are found")
    func changes() throws {
        let keys = DeviceKeys.generate()
        let id = String(repeating: "ab", count: 32)
        let statement = try LoginStatement.sign(
            node: id, audience: .codeSigningId("com.example"), challenge: id, sessionKey: id, issuedAt: 1,
            expiresAt: 2, keys: keys)
        let bytes = try Hex.decodeUnsized(statement, label: "statement")
        for count in 0..<bytes.count {
            #expect(throws: BorshError.self) { try SignedLoginStatement(bytes.prefix(count)) }
        }
        #expect(throws: BorshError.trailing(1)) { try SignedLoginStatement(bytes + [0]) }
        for bit in 0..<(8 * bytes.count) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect((try? SignedLoginStatement(changed))?.isSigned != true, "bit \(bit) of \(statement)")
        }
    }

    @Test("Fields of another size are refused before anything is signed")
    func refusals() async throws {
        let keys = DeviceKeys.generate()
        let id = String(repeating: "ab", count: 32)
        for place in 0..<3 {
            var fields = [id, id, id]
            fields[place] = "abcd"
            let error = #expect(throws: AccountError.self) {
                try LoginStatement.sign(
                    node: fields[0], audience: .cli, challenge: fields[1], sessionKey: fields[2], issuedAt: 1,
                    expiresAt: 2, keys: keys)
            }
            let name = ["node", "challenge", "sessionKey"][place]
            #expect(error == .invalidInput("\(name) must be 64 hex characters, got 4"))
        }
        #expect(throws: AccountError.self) {
            try LoginStatement.preimage(
                node: id, audience: .cli, challenge: id, sessionKey: id, deviceKey: Data(count: 31), issuedAt: 1,
                expiresAt: 2)
        }
        #expect(throws: AccountError.self) {
            try LoginStatement.wire(
                node: id, audience: .cli, challenge: id, sessionKey: id, deviceKey: Data(count: 32), issuedAt: 1,
                expiresAt: 2, signature: Data(count: 63))
        }
        await #expect(throws: AccountError.self) {
            try await LoginStatement.sign(
                node: id, audience: .cli, challenge: id, sessionKey: id, issuedAt: 1, expiresAt: 2,
                signer: LyingSigner())
        }
    }

    @Test("Audiences as nodes name them")
    func labels() {
        #expect(LoginAudience.webOrigin("https://a.example").label == "https://a.example")
        #expect(LoginAudience.codeSigningId("com.example").label == "codesign:com.example")
        #expect(LoginAudience.cli.label == "cli")
    }
}
