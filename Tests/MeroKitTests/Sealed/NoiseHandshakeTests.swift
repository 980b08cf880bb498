import Foundation
import Testing

@testable import MeroKit

/// Spec: 80, sections 1.2 and 1.11.
@Suite("Noise handshake")
struct NoiseHandshakeTests {
    @Test func theBytesAreThoseOfTheVectors() throws {
        let cases = try SealedVectors.load("handshake").items("cases")
        #expect(cases.count >= 2)
        for vector in cases {
            let handshake = try NoiseHandshake(
                transportKey: Array(vector.bytes("transportPublic")),
                ephemeral: SecretBytes(vector.bytes("clientEphemeralSecret")))
            #expect(Hex.encode(handshake.request) == (try vector.string("handshakeRequest")))
            #expect(handshake.request.count == NoiseHandshake.requestSize)
            let outcome = try handshake.finish(Array(vector.bytes("handshakeReply")))
            #expect(Hex.encode(outcome.sessionId) == (try vector.string("sessionId")))
            #expect(outcome.lifetimeSeconds == (try vector.integer("lifetimeSeconds", as: UInt32.self)))
            #expect(outcome.requestKey.withUnsafeBytes { Hex.encode($0) } == (try vector.string("requestKey")))
            #expect(outcome.responseKey.withUnsafeBytes { Hex.encode($0) } == (try vector.string("responseKey")))
        }
    }

    @Test func badAnswersAreRefused() throws {
        let bad = try SealedVectors.load("handshake").member("badReplies")
        let cases = try bad.items("cases")
        #expect(cases.count == 11)
        for vector in cases {
            let handshake = try NoiseHandshake(
                transportKey: Array(bad.bytes("transportPublic")),
                ephemeral: SecretBytes(bad.bytes("clientEphemeralSecret")))
            let reply = Array(try vector.bytes("reply"))
            let name = try vector.string("name")
            #expect(throws: SealedTransportError.handshake, "\(name)") {
                _ = try handshake.finish(reply)
            }
        }
    }

    @Test func everyFlippedByteAndEveryCutIsRefused() throws {
        let vector = try #require(try SealedVectors.load("handshake").items("cases").first)
        let reply = Array(try vector.bytes("handshakeReply"))
        let handshake = try NoiseHandshake(
            transportKey: Array(vector.bytes("transportPublic")),
            ephemeral: SecretBytes(vector.bytes("clientEphemeralSecret")))
        _ = try handshake.finish(reply)
        for index in reply.indices {
            var flipped = reply
            // The highest bit of a point's last byte is ignored by the curve, and is hashed all the same.
            flipped[index] ^= 0x80
            #expect(throws: SealedTransportError.handshake) { _ = try handshake.finish(flipped) }
            #expect(throws: SealedTransportError.handshake) { _ = try handshake.finish(Array(reply.prefix(index))) }
        }
    }

    @Test(arguments: [0, 31, 33]) func aKeyOfAnotherSizeIsRefused(_ size: Int) {
        #expect(throws: SealedTransportError.transportKey) {
            _ = try NoiseHandshake(transportKey: [UInt8](repeating: 9, count: size))
        }
    }

    @Test func aKeyThatMakesEverySecretTheSameIsRefused() {
        #expect(throws: SealedTransportError.transportKey) {
            _ = try NoiseHandshake(transportKey: [UInt8](repeating: 0, count: 32))
        }
    }

    @Test func everyHandshakeHasAKeyOfItsOwn() throws {
        let key = Array(try X25519.publicKey(secret: SecretBytes(random: 32)))
        let first = try NoiseHandshake(transportKey: key).request
        let second = try NoiseHandshake(transportKey: key).request
        #expect(first.prefix(33) == second.prefix(33))
        #expect(first != second)
    }
}
