#if canImport(COpenSSL)
    import COpenSSL

    /// The functions of Curve25519 that the SDK needs, by libcrypto. Nil where the library says no.
    enum Curve25519Backend {
        static func ed25519PublicKey(seed: UnsafeRawBufferPointer) -> [UInt8]? {
            publicKey(EVP_PKEY_ED25519, secret: seed)
        }

        static func x25519PublicKey(secret: UnsafeRawBufferPointer) -> [UInt8]? {
            publicKey(EVP_PKEY_X25519, secret: secret)
        }

        /// A key that signs again and again: to make one of its seed takes as long as a signature.
        ///
        /// `@unchecked Sendable`: the library only reads a key when it signs, and counts its references atomically.
        final class SigningKey: @unchecked Sendable {
            private let key: OpaquePointer

            init?(seed: UnsafeRawBufferPointer) {
                guard let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, bytes(seed), seed.count) else {
                    return nil
                }
                self.key = key
            }

            // Freeing the key also overwrites the library's copy of the secret.
            deinit { EVP_PKEY_free(key) }

            func sign(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
                guard let context = EVP_MD_CTX_new() else { return nil }
                defer { EVP_MD_CTX_free(context) }
                var signature = [UInt8](repeating: 0, count: 64)
                var length = signature.count
                guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
                    EVP_DigestSign(context, &signature, &length, bytes(message), message.count) == 1,
                    length == signature.count
                else {
                    ERR_clear_error()
                    return nil
                }
                return signature
            }
        }

        static func ed25519Verify(
            publicKey: [UInt8], signature: [UInt8], message: UnsafeRawBufferPointer
        ) -> Bool {
            withKey(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)) { key, context in
                EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
                    && EVP_DigestVerify(context, signature, signature.count, bytes(message), message.count) == 1
            } ?? false
        }

        static func x25519Agree(secret: UnsafeRawBufferPointer, publicKey: [UInt8]) -> [UInt8]? {
            let peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nil, publicKey, publicKey.count)
            let key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nil, bytes(secret), secret.count)
            defer {
                EVP_PKEY_free(peer)
                EVP_PKEY_free(key)
                ERR_clear_error()
            }
            guard let peer, let key, let context = EVP_PKEY_CTX_new(key, nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            var output = [UInt8](repeating: 0, count: 32)
            var length = output.count
            guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer) == 1,
                EVP_PKEY_derive(context, &output, &length) == 1, length == output.count
            else { return nil }
            return output
        }

        private static func publicKey(_ kind: Int32, secret: UnsafeRawBufferPointer) -> [UInt8]? {
            // Freeing the key also overwrites the library's copy of the secret.
            guard let key = EVP_PKEY_new_raw_private_key(kind, nil, bytes(secret), secret.count) else { return nil }
            defer { EVP_PKEY_free(key) }
            var output = [UInt8](repeating: 0, count: 32)
            var length = output.count
            guard EVP_PKEY_get_raw_public_key(key, &output, &length) == 1, length == output.count else { return nil }
            return output
        }

        private static func withKey<Result>(
            _ key: OpaquePointer?, _ body: (_ key: OpaquePointer, _ context: OpaquePointer) -> Result?
        ) -> Result? {
            defer {
                EVP_PKEY_free(key)
                // What a refused signature leaves behind would be taken for a failure of somebody else's call.
                ERR_clear_error()
            }
            guard let key, let context = EVP_MD_CTX_new() else { return nil }
            defer { EVP_MD_CTX_free(context) }
            return body(key, context)
        }

        private static func bytes(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
            buffer.bindMemory(to: UInt8.self).baseAddress
        }
    }
#endif
