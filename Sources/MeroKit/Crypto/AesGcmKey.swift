/// A key of AES-256-GCM that any thread may seal and open with. What it takes to prepare the key is done once.
package final class AesGcmKey: Sendable {
    /// Bytes. What is longer is worked on with a preparation of its own, so that nobody waits for it.
    private static let sharedLimit = 1 << 17

    private let key: SecretBytes
    private let sealer = Locked<AesGcmSealer?>(nil)
    private let opener = Locked<AesGcmOpener?>(nil)

    /// - Parameter key: 32 bytes; with others nothing can be sealed or opened.
    package init(_ key: SecretBytes) { self.key = key }

    /// Writes the ciphertext of all parts, one behind the other, and the tag behind it. False where the library says no.
    ///
    /// - Parameter output: room for all of it: the parts and 16 bytes.
    package func seal(
        _ parts: [UnsafeRawBufferPointer], nonce: [UInt8], aad: [UInt8], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard output.count <= Self.sharedLimit else {
            return makeSealer()?.seal(parts, nonce: nonce, aad: aad, into: output) ?? false
        }
        return sealer.withLock { sealer in
            if sealer == nil { sealer = makeSealer() }
            return sealer?.seal(parts, nonce: nonce, aad: aad, into: output) ?? false
        }
    }

    /// Writes the plaintext, 16 bytes fewer than there are of `sealed`. What it has written counts for nothing when it
    /// returns false.
    package func open(
        _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard sealed.count <= Self.sharedLimit else {
            return makeOpener()?.open(sealed, nonce: nonce, aad: aad, into: output) ?? false
        }
        return opener.withLock { opener in
            if opener == nil { opener = makeOpener() }
            return opener?.open(sealed, nonce: nonce, aad: aad, into: output) ?? false
        }
    }

    private func makeSealer() -> AesGcmSealer? { key.withUnsafeBytes { AesGcmSealer(key: $0) } }

    private func makeOpener() -> AesGcmOpener? { key.withUnsafeBytes { AesGcmOpener(key: $0) } }
}
