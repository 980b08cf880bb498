#if canImport(COpenSSL)
    import COpenSSL

    /// AES-256-GCM with a nonce of 12 bytes and a tag of 16, by libcrypto. Nil where the library says no.
    enum AesGcmBackend {
        static func seal(_ plaintext: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
            guard let context = EVP_CIPHER_CTX_new() else { return nil }
            defer { EVP_CIPHER_CTX_free(context) }
            guard key.count == 32, nonce.count == 12, let size = Int32(exactly: plaintext.count),
                EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
            else { return nil }
            var output = [UInt8](repeating: 0, count: plaintext.count)
            var tag = [UInt8](repeating: 0, count: 16)
            var length: Int32 = 0
            guard plaintext.isEmpty || EVP_EncryptUpdate(context, &output, &length, plaintext, size) == 1,
                EVP_EncryptFinal_ex(context, &tag, &length) == 1,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1
            else { return nil }
            return output + tag
        }

        static func open(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
            guard let context = EVP_CIPHER_CTX_new() else { return nil }
            defer {
                EVP_CIPHER_CTX_free(context)
                ERR_clear_error()
            }
            guard key.count == 32, nonce.count == 12, sealed.count >= 16,
                let size = Int32(exactly: sealed.count - 16),
                EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1
            else { return nil }
            let ciphertext = Array(sealed.dropLast(16))
            var tag = Array(sealed.suffix(16))
            var output = [UInt8](repeating: 0, count: ciphertext.count)
            var rest = [UInt8](repeating: 0, count: 16)
            var length: Int32 = 0
            guard ciphertext.isEmpty || EVP_DecryptUpdate(context, &output, &length, ciphertext, size) == 1,
                EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1,
                EVP_DecryptFinal_ex(context, &rest, &length) == 1
            else { return nil }
            return output
        }
    }
#endif
