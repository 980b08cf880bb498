#if canImport(COpenSSL)
    import COpenSSL

    /// ECDSA by libcrypto. False where the library says no.
    enum EcdsaBackend {
        static func verify(_ signature: [UInt8], message: [UInt8], hash: EcdsaHash, key: EcdsaPublicKey) -> Bool {
            // What a refused signature leaves behind would be taken for a failure of somebody else's call.
            defer { ERR_clear_error() }
            guard let key = publicKey(key) else { return false }
            defer { EVP_PKEY_free(key) }
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            let digest = hash == .sha256 ? EVP_sha256() : EVP_sha384()
            let der = EcdsaSignature.der(raw: signature)
            return EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
                && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
        }

        /// Nil also for a point that is not on the curve.
        private static func publicKey(_ key: EcdsaPublicKey) -> OpaquePointer? {
            guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            guard EVP_PKEY_fromdata_init(context) == 1 else { return nil }
            var group = Array((key.curve == .p256 ? "prime256v1" : "secp384r1").utf8CString)
            var point = [0x04] + key.point
            var result: OpaquePointer?
            group.withUnsafeMutableBufferPointer { group in
                point.withUnsafeMutableBufferPointer { point in
                    var parameters = [
                        OSSL_PARAM_construct_utf8_string("group", group.baseAddress, 0),
                        OSSL_PARAM_construct_octet_string("pub", point.baseAddress, point.count),
                        OSSL_PARAM_construct_end(),
                    ]
                    if EVP_PKEY_fromdata(context, &result, EVP_PKEY_PUBLIC_KEY, &parameters) != 1 { result = nil }
                }
            }
            return result
        }

        private static let EVP_PKEY_PUBLIC_KEY = EVP_PKEY_KEY_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
    }
#endif
