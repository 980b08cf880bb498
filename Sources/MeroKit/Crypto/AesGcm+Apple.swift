#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// AES-256-GCM with a nonce of 12 bytes and a tag of 16, by CryptoKit. False where the library says no.
    package enum AesGcmBackend {
        /// Writes the ciphertext of all parts, one behind the other, and the tag behind it.
        ///
        /// - Parameter output: room for all of it: the parts and 16 bytes.
        package static func seal(
            _ parts: [UnsafeRawBufferPointer], key: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8],
            into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            var plaintext = Data(capacity: parts.reduce(0) { $0 + $1.count })
            for part in parts { plaintext.append(contentsOf: part) }
            guard key.count == 32, output.count == plaintext.count + 16, let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(
                    plaintext, using: SymmetricKey(data: key), nonce: nonce, authenticating: aad)
            else { return false }
            output.copyBytes(from: box.ciphertext)
            UnsafeMutableRawBufferPointer(rebasing: output[plaintext.count...]).copyBytes(from: box.tag)
            return true
        }

        /// Writes the plaintext, 16 bytes fewer than there are of `sealed`.
        package static func open(
            _ sealed: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8],
            into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard key.count == 32, sealed.count >= 16, output.count == sealed.count - 16,
                let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: Data(sealed.dropLast(16)), tag: Data(sealed.suffix(16))),
                let plaintext = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: aad)
            else { return false }
            output.copyBytes(from: plaintext)
            return true
        }
    }
#endif
