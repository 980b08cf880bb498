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
        use(sealer, output.count, AesGcmSealer.init) { $0.seal(parts, nonce: nonce, aad: aad, into: output) }
    }

    /// Writes the plaintext, 16 bytes fewer than there are of `sealed`. What it has written counts for nothing when it
    /// returns false.
    package func open(
        _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        use(opener, sealed.count, AesGcmOpener.init) { $0.open(sealed, nonce: nonce, aad: aad, into: output) }
    }

    /// Works with what is prepared, or is prepared now. False where the library does not prepare it.
    private func use<Cipher>(
        _ shared: Locked<Cipher?>, _ size: Int, _ prepare: (UnsafeRawBufferPointer) -> Cipher?,
        _ work: (Cipher) -> Bool
    ) -> Bool {
        guard size <= Self.sharedLimit else { return key.withUnsafeBytes(prepare).map(work) ?? false }
        return shared.withLock { shared in
            if shared == nil { shared = key.withUnsafeBytes(prepare) }
            return shared.map(work) ?? false
        }
    }
}
