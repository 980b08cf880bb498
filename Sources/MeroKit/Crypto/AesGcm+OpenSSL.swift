#if canImport(COpenSSL)
    import COpenSSL

    /// Seals one message after the other under one key, by libcrypto: AES-256-GCM with a nonce of 12 bytes and a tag of 16.
    ///
    /// What it takes to prepare the key is done once, and wiped with this object. Not safe to share between threads.
    package final class AesGcmSealer {
        private let context: OpaquePointer

        /// Nil for a key that is not 32 bytes long.
        package init?(key: UnsafeRawBufferPointer) {
            guard key.count == 32, let context = EVP_CIPHER_CTX_new() else { return nil }
            self.context = context
            guard EVP_EncryptInit_ex(context, AesGcmLibrary.cipher, nil, AesGcmLibrary.bytes(key), nil) == 1 else {
                return nil
            }
        }

        deinit { EVP_CIPHER_CTX_free(context) }

        /// Writes the ciphertext of all parts, one behind the other, and the tag behind it. False where the library says no.
        ///
        /// - Parameter output: room for all of it: the parts and 16 bytes.
        package func seal(
            _ parts: [UnsafeRawBufferPointer], nonce: [UInt8], aad: [UInt8],
            into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            let size = parts.reduce(0) { $0 + $1.count }
            guard nonce.count == 12, output.count == size + 16, let start = output.baseAddress,
                EVP_EncryptInit_ex(context, nil, nil, nil, nonce) == 1
            else { return false }
            var length: Int32 = 0
            guard aad.isEmpty || EVP_EncryptUpdate(context, nil, &length, aad, Int32(clamping: aad.count)) == 1 else {
                return false
            }
            var written = 0
            for part in parts where !part.isEmpty {
                guard let count = Int32(exactly: part.count),
                    EVP_EncryptUpdate(
                        context, (start + written).assumingMemoryBound(to: UInt8.self), &length,
                        AesGcmLibrary.bytes(part), count) == 1
                else { return false }
                written += part.count
            }
            let tag = start + size
            return EVP_EncryptFinal_ex(context, tag.assumingMemoryBound(to: UInt8.self), &length) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1
        }
    }

    /// Opens one message after the other under one key, as `AesGcmSealer` seals them.
    package final class AesGcmOpener {
        private let context: OpaquePointer

        /// Nil for a key that is not 32 bytes long.
        package init?(key: UnsafeRawBufferPointer) {
            guard key.count == 32, let context = EVP_CIPHER_CTX_new() else { return nil }
            self.context = context
            guard EVP_DecryptInit_ex(context, AesGcmLibrary.cipher, nil, AesGcmLibrary.bytes(key), nil) == 1 else {
                return nil
            }
        }

        deinit { EVP_CIPHER_CTX_free(context) }

        /// Writes the plaintext, 16 bytes fewer than there are of `sealed`. What it has written counts for nothing when it
        /// returns false.
        package func open(
            _ sealed: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8], into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard nonce.count == 12, sealed.count >= 16, output.count == sealed.count - 16,
                let size = Int32(exactly: output.count)
            else { return false }
            var length: Int32 = 0
            var none: UInt8 = 0
            let tag = UnsafeMutableRawPointer(mutating: sealed.baseAddress.map { $0 + output.count })
            let isGenuine =
                EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1
                && (aad.isEmpty || EVP_DecryptUpdate(context, nil, &length, aad, Int32(clamping: aad.count)) == 1)
                && (size == 0
                    || EVP_DecryptUpdate(
                        context, output.bindMemory(to: UInt8.self).baseAddress, &length, AesGcmLibrary.bytes(sealed),
                        size) == 1)
                // The library only reads the tag; its call takes pointers that can be written to for other uses of it.
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
                && EVP_DecryptFinal_ex(context, &none, &length) == 1
            if !isGenuine { ERR_clear_error() }
            return isGenuine
        }
    }

    private enum AesGcmLibrary {
        /// Looked up once: `EVP_aes_256_gcm()` would have the library search for it with every key.
        ///
        /// Safe to share: libcrypto's ciphers never change.
        nonisolated(unsafe) static let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)

        static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
            buffer.bindMemory(to: UInt8.self).baseAddress
        }
    }
#endif
