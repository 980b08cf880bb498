import Foundation
import Testing

@testable import MeroKit

@Suite("Presence statements and spent nonces")
struct PresenceStatementTests {
    @Test("Statements", arguments: CryptoVector.load("presence"))
    func statements(vector: CryptoVector) throws {
        let keys = try DeviceKeys.signing(vector.input.bytes("deviceSecret"))
        let key = try keys.signPublicKeyBytes
        let state = try vector.input.member("stateHex").isNull ? nil : vector.input.bytes("stateHex")
        let statement = try PresenceStatement(
            context: vector.input.string("contextId"), author: key, sequence: vector.input.integer("seq"),
            sentAt: vector.input.integer("sentAtMs"), state: state)
        #expect(statement.bytes.count == 131)
        #expect(Hex.encode(statement.bytes) == (try vector.expected.string("statement")))
        if let expected = vector.expected["stateHash"]?.text { #expect(Hex.encode(statement.stateHash) == expected) }
        if let expected = vector.expected["signature"]?.text {
            let signature = try keys.sign(statement.bytes)
            try expectSameSigned(Hex.encode(signature), expected, key: key, message: statement.bytes)
            #expect(statement.isSigned(signature))
            #expect(!statement.isSigned(Data(count: 64)))
        }
    }

    @Test("Nothing and an empty state differ")
    func retract() {
        #expect(
            Hex.encode(PresenceStatement.hash(nil))
                == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d")
        #expect(PresenceStatement.hash(nil) != PresenceStatement.hash(Data()))
    }

    @Test("A window of nonces", arguments: CryptoVector.load("nonce-window"))
    func window(vector: CryptoVector) throws {
        var window = NonceWindow()
        let accepted = try vector.input.strings("nonces").map { window.spend(try #require(UInt64($0))) }
        let expected = try vector.expected.items("accepted").map { item in
            if case .bool(let value) = item { return value } else { throw CryptoVector.Missing(field: "accepted") }
        }
        #expect(accepted == expected)
        #expect(window.highest == (try vector.expected.integer("highWaterNonce")))
        let next =
            try vector.expected.member("nextNonce").isNull ? nil : vector.expected.integer("nextNonce", as: UInt64.self)
        #expect(window.next == next)
    }

    @Test("A window agrees with a plain memory of all nonces")
    func model() {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            var window = NonceWindow()
            var spent: Set<UInt64> = []
            var highest: UInt64?
            var around: UInt64 = .random(in: 0...(.max), using: &generator)
            for _ in 0..<300 {
                let nonce = around &+ .random(in: 0...140, using: &generator) &- 70
                let allowed = highest.map { nonce > $0 || ($0 - nonce <= 64 && !spent.contains(nonce)) } ?? true
                #expect(window.spend(nonce) == allowed, "seed \(seed)")
                if allowed {
                    spent.insert(nonce)
                    highest = max(highest ?? nonce, nonce)
                }
                around = .random(in: 0...20, using: &generator) == 0 ? around &+ 60 : around
            }
        }
        #expect(NonceWindow().next == 0)
    }
}
