/// AES-256-GCM over arrays, for what is small. The work is done by `AesGcmSealer` and `AesGcmOpener`.
package enum AesGcm {
    /// The ciphertext and its tag of 16 bytes; nil for a key that is not 32 bytes long, or a nonce that is not 12.
    package static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], aad: [UInt8] = []) -> [UInt8]? {
        var done = false
        let output = [UInt8](unsafeUninitializedCapacity: plaintext.count + 16) { output, count in
            let room = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(output)[..<(plaintext.count + 16)])
            done = plaintext.withUnsafeBytes { plaintext in
                key.withUnsafeBytes {
                    AesGcmSealer(key: $0)?.seal([plaintext], nonce: nonce, aad: aad, into: room) ?? false
                }
            }
            count = done ? plaintext.count + 16 : 0
        }
        return done ? output : nil
    }

    /// The plaintext; nil when it was not sealed so.
    package static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], aad: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= 16 else { return nil }
        var done = false
        let output = [UInt8](unsafeUninitializedCapacity: sealed.count - 16) { output, count in
            let room = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(output)[..<(sealed.count - 16)])
            done = sealed.withUnsafeBytes { sealed in
                key.withUnsafeBytes { AesGcmOpener(key: $0)?.open(sealed, nonce: nonce, aad: aad, into: room) ?? false }
            }
            count = done ? sealed.count - 16 : 0
        }
        return done ? output : nil
    }
}
