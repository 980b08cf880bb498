import Testing

@testable import MeroKit

@Suite("AES-256-GCM")
struct AesGcmTests {
    private let key = [UInt8](repeating: 3, count: 32)
    private let aad: [UInt8] = [1, 2, 3]

    private func nonce(_ number: UInt8) -> [UInt8] { [UInt8](repeating: 0, count: 11) + [number] }

    private func seal(_ sealer: AesGcmSealer, _ parts: [[UInt8]], _ nonce: [UInt8]) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: parts.joined().count + 16)
        let whole = Array(parts.joined())
        let isSealed = whole.withUnsafeBytes { whole in
            var start = 0
            let buffers = parts.map { part in
                defer { start += part.count }
                return UnsafeRawBufferPointer(rebasing: whole[start..<(start + part.count)])
            }
            return output.withUnsafeMutableBytes { sealer.seal(buffers, nonce: nonce, aad: aad, into: $0) }
        }
        return isSealed ? output : nil
    }

    private func open(_ opener: AesGcmOpener, _ sealed: [UInt8], _ nonce: [UInt8]) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: sealed.count - 16)
        let isGenuine = sealed.withUnsafeBytes { sealed in
            output.withUnsafeMutableBytes { opener.open(sealed, nonce: nonce, aad: aad, into: $0) }
        }
        return isGenuine ? output : nil
    }

    /// One message leaves nothing behind that the next would notice, be it good, forged or refused.
    @Test func oneAfterTheOther() throws {
        let sealer = try #require(key.withUnsafeBytes { AesGcmSealer(key: $0) })
        let opener = try #require(key.withUnsafeBytes { AesGcmOpener(key: $0) })
        for (number, size) in [0, 1, 15, 16, 17, 1000, 70_000].enumerated() {
            let nonce = nonce(UInt8(number))
            let plaintext = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
            let sealed = try #require(seal(sealer, [Array(plaintext.prefix(1)), Array(plaintext.dropFirst())], nonce))
            #expect(sealed == AesGcm.seal(plaintext, key: key, nonce: nonce, aad: aad))
            #expect(seal(sealer, [plaintext], [1, 2]) == nil)
            var forged = sealed
            forged[size / 2] ^= 1
            #expect(open(opener, forged, nonce) == nil)
            #expect(open(opener, sealed, self.nonce(99)) == nil)
            #expect(open(opener, sealed, nonce) == plaintext)
        }
    }

    @Test func aKeyHas32Bytes() {
        for size in [0, 16, 31, 33] {
            let key = [UInt8](repeating: 0, count: size)
            #expect(key.withUnsafeBytes { AesGcmSealer(key: $0) } == nil)
            #expect(key.withUnsafeBytes { AesGcmOpener(key: $0) } == nil)
        }
    }
}
