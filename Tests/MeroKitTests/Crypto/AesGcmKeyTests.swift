import MeroKit
import Testing

/// One key that many threads use at once, for what is short and shares a preparation and for what is long and does not.
@Suite("AES-256-GCM, a shared key") struct AesGcmKeyTests {
    private static let secret = [UInt8](repeating: 3, count: 32)
    /// On both sides of what shares a preparation.
    private static let sizes = [0, 1, 16, 17, 65_536, 131_056, 131_057, 150_000]

    @Test func manyThreads() async {
        let key = AesGcmKey(SecretBytes(Self.secret))
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for turn in 0..<16 {
                        let text = SecureRandom.bytes(Self.sizes[(worker + turn) % Self.sizes.count])
                        let nonce = [UInt8](repeating: UInt8(worker), count: 11) + [UInt8(turn)]
                        let aad = [UInt8](repeating: 5, count: turn)
                        let sealed = Self.seal(text, key, nonce, aad)
                        #expect(sealed == AesGcm.seal(text, key: Self.secret, nonce: nonce, aad: aad))
                        // What fails in between leaves nothing behind that the next one would feel.
                        var forged = sealed
                        forged[forged.count - 1 - turn] ^= 1
                        #expect(Self.open(forged, key, nonce, aad) == nil)
                        #expect(Self.open(sealed, key, [1], aad) == nil)
                        #expect(Self.open([1, 2, 3], key, nonce, aad) == nil)
                        #expect(Self.open(sealed, key, nonce, aad) == text)
                    }
                }
            }
        }
    }

    @Test(arguments: [0, 16, 31, 33]) func aKeyOfAnotherLength(count: Int) {
        let key = AesGcmKey(SecretBytes([UInt8](repeating: 1, count: count)))
        for size in [1, 200_000] {
            let text = [UInt8](repeating: 0, count: size)
            let nonce = [UInt8](repeating: 0, count: 12)
            #expect(Self.seal(text, key, nonce, []).isEmpty)
            #expect(Self.open(text + [UInt8](repeating: 0, count: 16), key, nonce, []) == nil)
        }
    }

    /// Empty where it fails.
    private static func seal(_ text: [UInt8], _ key: AesGcmKey, _ nonce: [UInt8], _ aad: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: text.count + 16)
        let isSealed = output.withUnsafeMutableBytes { room in
            text.withUnsafeBytes { text in
                let half = text.count / 2
                let parts = [text[..<half], text[half...]].map { UnsafeRawBufferPointer(rebasing: $0) }
                return key.seal(parts, nonce: nonce, aad: aad, into: room)
            }
        }
        return isSealed ? output : []
    }

    private static func open(_ sealed: [UInt8], _ key: AesGcmKey, _ nonce: [UInt8], _ aad: [UInt8]) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: max(0, sealed.count - 16))
        let isGenuine = output.withUnsafeMutableBytes { room in
            sealed.withUnsafeBytes { key.open($0, nonce: nonce, aad: aad, into: room) }
        }
        return isGenuine ? output : nil
    }
}
