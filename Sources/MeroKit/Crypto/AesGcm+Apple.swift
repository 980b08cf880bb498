#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// Seals one message after the other under one key, by CryptoKit: AES-256-GCM with a nonce of 12 bytes and a tag of 16.
    ///
    /// Not safe to share between threads.
    package final class AesGcmSealer {
        private let key: SymmetricKey

        /// Nil for a key that is not 32 bytes long.
        package init?(key: UnsafeRawBufferPointer) {
            guard key.count == 32 else { return nil }
            self.key = SymmetricKey(data: key)
        }

        /// Writes the ciphertext of all parts, one behind the other, and the tag behind it. False where the library says no.
        ///
        /// - Parameter output: room for all of it: the parts and 16 bytes.
        package func seal(
            _ parts: [UnsafeRawBufferPointer], nonce: [UInt8], aad: [UInt8],
            into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            var plaintext = Data(capacity: parts.reduce(0) { $0 + $1.count })
            for part in parts { plaintext.append(contentsOf: part) }
            guard output.count == plaintext.count + 16, let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: aad)
            else { return false }
            output.copyBytes(from: box.ciphertext)
            UnsafeMutableRawBufferPointer(rebasing: output[plaintext.count...]).copyBytes(from: box.tag)
            return true
        }
    }

    /// Opens one message after the other under one key, as `AesGcmSealer` seals them.
    package final class AesGcmOpener {
        private let key: SymmetricKey

        /// Nil for a key that is not 32 bytes long.
        package init?(key: UnsafeRawBufferPointer) {
            guard key.count == 32 else { return nil }
            self.key = SymmetricKey(data: key)
        }

        /// Writes the plaintext, 16 bytes fewer than there are of `sealed`. What it has written counts for nothing when it
        /// returns false.
        package func open(
            _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8], into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard sealed.count >= 16, output.count == sealed.count - 16, let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: Data(sealed.dropLast(16)), tag: Data(sealed.suffix(16))),
                let plaintext = try? AES.GCM.open(box, using: key, authenticating: aad)
            else { return false }
            output.copyBytes(from: plaintext)
            return true
        }
    }
#endif
