import Foundation
import Testing

@testable import MeroKit

@Suite("Cryptographic primitives")
struct PrimitivesTests {
    static func vectors(_ prefix: String) -> [CryptoVector] {
        CryptoVector.load("primitives") { $0.id.hasPrefix(prefix) }
    }

    @Test(
        "The vectors are there",
        arguments: [
            ("primitives", 21), ("accounts", 19), ("device-certificates", 18), ("device-scopes", 5),
            ("login-statements", 8), ("request-proofs", 25), ("warrants", 19), ("creation-warrants", 7),
            ("governance-ops", 75), ("governance-warrants", 6), ("owner-ops", 15), ("presence", 6),
            ("nonce-window", 9),
        ])
    func counts(family: String, count: Int) {
        #expect(CryptoVector.load(family).count == count)
    }

    @Test("A hex field of any size may have white space around it, and none within")
    func hexOfAnySize() throws {
        for text in ["0aff", "0AfF", " 0aff\n", "\t0aff"] {
            #expect(try Hex.decodeUnsized(text, label: "x") == Data([0x0a, 0xff]))
        }
        #expect(try Hex.decodeUnsized(" \n", label: "x").isEmpty)
        for text in ["0", "0a f", "0a ff", "0g"] {
            #expect(throws: AccountError.self) { try Hex.decodeUnsized(text, label: "x") }
        }
    }

    @Test("Domain hashes", arguments: vectors("domain-hash"))
    func domainHashes(vector: CryptoVector) throws {
        let parts = try vector.input.strings("parts").map { try Hex.decodeUnsized($0, label: "part") }
        #expect(Hex.encode(domainHash(try vector.input.string("domain"), parts)) == (try vector.expected.string("hex")))
    }

    @Test("Borsh", arguments: vectors("borsh"))
    func borsh(vector: CryptoVector) throws {
        var writer = BorshWriter()
        for op in try vector.input.items("ops") {
            guard case .array(let pair) = op, pair.count == 2, let name = pair[0].text else {
                Issue.record("an operation of another form")
                continue
            }
            let operand: ExactJSON = .object([.init(key: "value", value: pair[1])])
            switch name {
            case "u32": writer.u32(try operand.integer("value"))
            case "u64": writer.u64(try operand.integer("value"))
            case "string": writer.string(try operand.string("value"))
            case "option": writer.optionBytes(pair[1].isNull ? nil : try operand.bytes("value"))
            case "optionString": writer.optionString(try operand.string("value"))
            default: Issue.record("unknown operation \(name)")
            }
        }
        #expect(Hex.encode(writer.data) == (try vector.expected.string("hex")))
    }

    @Test("Ed25519", arguments: vectors("ed25519"))
    func ed25519(vector: CryptoVector) throws {
        let seed = try vector.input.bytes("seed")
        let message = try vector.input.bytes("message")
        let key = try Ed25519.publicKey(seed: seed)
        #expect(Hex.encode(key) == (try vector.expected.string("publicKey")))
        try expectSameSigned(
            Hex.encode(Ed25519.sign(seed: seed, message: message)), vector.expected.string("signature"), key: key,
            message: message)
    }

    @Test("X25519", arguments: vectors("x25519"))
    func x25519(vector: CryptoVector) throws {
        let key = try X25519.publicKey(secret: vector.input.bytes("secret"))
        #expect(Hex.encode(key) == (try vector.expected.string("publicKey")))
    }

    @Test("Base58", arguments: vectors("base58"))
    func base58(vector: CryptoVector) throws {
        guard let hex = vector.input["hex"]?.text else {
            #expect(try vector.expected.bool("error"))
            #expect(Base58.decode(try vector.input.string("text")) == nil)
            return
        }
        let text = try vector.expected.string("text")
        #expect(Base58.encode(try vector.input.bytes("hex")) == text)
        #expect(Base58.decode(text).map { Hex.encode($0) } == hex)
    }

    @Test("A changed bit anywhere, and a wrong size, fail to verify")
    func changedBits() throws {
        let seed = randomBytes(32)
        let message = randomBytes(40)
        let key = try Ed25519.publicKey(seed: seed)
        let signature = try Ed25519.sign(seed: seed, message: message)
        #expect(Ed25519.verify(publicKey: key, signature: signature, message: message))
        for bit in stride(from: 0, to: 512, by: 3) {
            var changed = signature
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!Ed25519.verify(publicKey: key, signature: changed, message: message), "seed \(Hex.encode(seed))")
        }
        for bit in 0..<256 {
            var changed = key
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!Ed25519.verify(publicKey: changed, signature: signature, message: message))
        }
        #expect(!Ed25519.verify(publicKey: key, signature: signature, message: message + [0]))
        #expect(!Ed25519.verify(publicKey: key, signature: signature.dropLast(), message: message))
        #expect(!Ed25519.verify(publicKey: key, signature: signature + [0], message: message))
        #expect(!Ed25519.verify(publicKey: key.dropLast(), signature: signature, message: message))
        #expect(!Ed25519.verify(publicKey: Data(), signature: Data(), message: Data()))
    }

    @Test("A slice of a larger buffer serves as well as bytes of its own")
    func slices() throws {
        let padded = Data([1, 2, 3]) + Data(repeating: 7, count: 32) + Data([4])
        let seed = padded[3..<35]
        #expect(try Ed25519.publicKey(seed: seed) == Ed25519.publicKey(seed: Data(seed)))
        let signature = try Ed25519.sign(seed: seed, message: padded[1..<9])
        let key = try Ed25519.publicKey(seed: seed)
        #expect(Ed25519.verify(publicKey: key, signature: signature, message: Data(padded[1..<9])))
        #expect(sha256(padded[3..<35]) == sha256(Data(repeating: 7, count: 32)))
    }

    @Test("A scalar that is not reduced is refused, though the equation holds")
    func malleability() throws {
        let seed = Data(repeating: 3, count: 32)
        let key = try Ed25519.publicKey(seed: seed)
        let signature = try Ed25519.sign(seed: seed, message: Data("m".utf8))
        let order: [UInt8] = [
            0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
            0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
        ]
        var second = Array(signature)
        var carry = 0
        for index in 0..<32 {
            carry += Int(second[32 + index]) + Int(order[index])
            second[32 + index] = UInt8(carry & 0xff)
            carry >>= 8
        }
        #expect(!Ed25519.verify(publicKey: key, signature: Data(second), message: Data("m".utf8)))
    }

    @Test(
        "Keys of small order and second spellings of keys verify nothing",
        arguments: [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000080",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        ])
    func smallOrders(key: String) throws {
        // R the identity and S zero: the signature that such keys give to every message, or to one in a few.
        let trivial = Data([1]) + Data(repeating: 0, count: 63)
        for byte in UInt8(0)..<32 {
            let key = try Hex.id(key, "key")
            #expect(!Ed25519.verify(publicKey: key, signature: trivial, message: Data([byte])))
        }
    }

    @Test("Seeds and secrets of another size are refused")
    func sizes() {
        for count in [0, 31, 33, 64] {
            #expect(throws: AccountError.self) { try Ed25519.publicKey(seed: Data(count: count)) }
            #expect(throws: AccountError.self) { try Ed25519.sign(seed: Data(count: count), message: Data()) }
            #expect(throws: AccountError.self) { try X25519.publicKey(secret: Data(count: count)) }
        }
        #expect(randomBytes(0).isEmpty)
        #expect(randomBytes(-1).isEmpty)
        #expect(randomBytes(32) != randomBytes(32))
    }

    @Test("Fields in hex: trimmed, either case, no prefix; the complaint names field and length, not the value")
    func hexFields() throws {
        #expect(try Hex.decode(" 00fF\n", label: "x", bytes: 2) == Data([0, 255]))
        #expect(throws: AccountError.invalidInput("node must be 64 hex characters, got 4")) {
            try Hex.decode("abcd", label: "node", bytes: 32)
        }
        for text in ["0x11", "zz11", "é11x", "1 11"] {
            let error = #expect(throws: AccountError.self) { try Hex.decode(text, label: "salt", bytes: 2) }
            #expect(error?.localizedDescription.contains("salt must be 4 hex characters") == true)
            #expect(error?.localizedDescription.contains(text) == false)
        }
        #expect(try Hex.decodeUnsized("", label: "x").isEmpty)
        #expect(throws: AccountError.self) { try Hex.decodeUnsized("abc", label: "x") }
        #expect(Hex.is32(String(repeating: "aB", count: 32)))
        #expect(!Hex.is32(String(repeating: "aB", count: 32) + " "))
        #expect(!Hex.is32(String(repeating: "ab", count: 31)))
        #expect(!Hex.is32(String(repeating: "xy", count: 32)))
        #expect(Hex.encode(Data([0, 171])) == "00ab")
    }

    @Test("Base58 and random bytes: there and back")
    func base58RoundTrip() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let zeros = Int.random(in: 0...3, using: &generator)
            let bytes =
                [UInt8](repeating: 0, count: zeros)
                + (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    UInt8.random(in: .min ... .max, using: &generator)
                }
            #expect(Base58.decode(Base58.encode(bytes)) == bytes, "seed \(seed)")
        }
        // Where groups of digits begin and end.
        for count in 1...24 {
            for byte: UInt8 in [1, 57, 58, 255] {
                let bytes = [byte] + [UInt8](repeating: 0xff, count: count - 1)
                #expect(Base58.decode(Base58.encode(bytes)) == bytes)
                let text = String(repeating: "z", count: count)
                #expect(Base58.decode(text).map { Base58.encode($0) } == text)
                let round = "2" + String(repeating: "1", count: count)
                #expect(Base58.decode(round).map { Base58.encode($0) } == round)
            }
        }
        #expect(Base58.decode("é") == nil)
    }

    @Test("Secret bytes do not show themselves")
    func secretBytes() {
        let secret = SecretBytes(Data("hidden".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("hidden") && !text.contains("104"), "\(text)")
        }
        #expect(secret == SecretBytes(Data("hidden".utf8)))
        #expect(secret != SecretBytes(Data("hiddeN".utf8)))
        #expect(secret != SecretBytes(Data("hidde".utf8)))
        #expect(secret.data == Data("hidden".utf8))
        #expect(SecretBytes(Data()).count == 0)
    }

    @Test("Wiping leaves zeros")
    func wiping() {
        var bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeMutableBytes { SecretBytes.wipe($0) }
        #expect(bytes == [0, 0, 0])
    }
}
