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
            var point = [0x04] + key.point
            var result: OpaquePointer?
            // The parameters point to their names and values, which have to stay where they are during the call.
            "group".withCString { groupName in
                "pub".withCString { pointName in
                    (key.curve == .p256 ? "prime256v1" : "secp384r1").withCString { group in
                        point.withUnsafeMutableBufferPointer { point in
                            var parameters = [
                                OSSL_PARAM_construct_utf8_string(groupName, UnsafeMutablePointer(mutating: group), 0),
                                OSSL_PARAM_construct_octet_string(pointName, point.baseAddress, point.count),
                                OSSL_PARAM_construct_end(),
                            ]
                            if EVP_PKEY_fromdata(context, &result, publicKeySelection, &parameters) != 1 {
                                result = nil
                            }
                        }
                    }
                }
            }
            return result
        }

        /// Spelt out in a macro that Swift does not see.
        private static let publicKeySelection = EVP_PKEY_KEY_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
    }
#endif
