#if canImport(COpenSSL)
    import COpenSSL

    /// AES-256-GCM with a nonce of 12 bytes and a tag of 16, by libcrypto. Nil or false where the library says no.
    package enum AesGcmBackend {
        /// Writes the ciphertext of all parts, one behind the other, and the tag behind it.
        ///
        /// - Parameter output: room for all of it: the parts and 16 bytes.
        package static func seal(
            _ parts: [UnsafeRawBufferPointer], key: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8],
            into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard let context = EVP_CIPHER_CTX_new() else { return false }
            defer { EVP_CIPHER_CTX_free(context) }
            let size = parts.reduce(0) { $0 + $1.count }
            guard key.count == 32, nonce.count == 12, output.count == size + 16, let start = output.baseAddress,
                EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, bytes(key), nonce) == 1
            else { return false }
            var length: Int32 = 0
            guard aad.isEmpty || EVP_EncryptUpdate(context, nil, &length, aad, Int32(clamping: aad.count)) == 1 else {
                return false
            }
            var written = 0
            for part in parts where !part.isEmpty {
                guard let count = Int32(exactly: part.count),
                    EVP_EncryptUpdate(
                        context, (start + written).assumingMemoryBound(to: UInt8.self), &length, bytes(part), count)
                        == 1
                else { return false }
                written += part.count
            }
            let tag = start + size
            return EVP_EncryptFinal_ex(context, tag.assumingMemoryBound(to: UInt8.self), &length) == 1
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1
        }

        /// Writes the plaintext, 16 bytes fewer than there are of `sealed`. What it has written counts for nothing when it
        /// returns false.
        package static func open(
            _ sealed: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, nonce: [UInt8], aad: [UInt8],
            into output: UnsafeMutableRawBufferPointer
        ) -> Bool {
            guard key.count == 32, nonce.count == 12, sealed.count >= 16, output.count == sealed.count - 16,
                let size = Int32(exactly: output.count), let context = EVP_CIPHER_CTX_new()
            else { return false }
            defer {
                EVP_CIPHER_CTX_free(context)
                ERR_clear_error()
            }
            var length: Int32 = 0
            var none: UInt8 = 0
            let tag = UnsafeMutableRawPointer(mutating: sealed.baseAddress.map { $0 + output.count })
            return EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, bytes(key), nonce) == 1
                && (aad.isEmpty || EVP_DecryptUpdate(context, nil, &length, aad, Int32(clamping: aad.count)) == 1)
                && (size == 0
                    || EVP_DecryptUpdate(
                        context, output.bindMemory(to: UInt8.self).baseAddress, &length, bytes(sealed), size) == 1)
                // The library only reads the tag; its call takes pointers that can be written to for other uses of it.
                && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
                && EVP_DecryptFinal_ex(context, &none, &length) == 1
        }

        private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
            buffer.bindMemory(to: UInt8.self).baseAddress
        }
    }
#endif
