#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// ECDSA by CryptoKit. False where the library says no.
    enum EcdsaBackend {
        static func verify(_ signature: [UInt8], message: [UInt8], hash: EcdsaHash, key: EcdsaPublicKey) -> Bool {
            // With 0x04 in front the point is of the form that both libraries call X9.63.
            let point = [0x04] + key.point
            switch key.curve {
            case .p256:
                guard let key = try? P256.Signing.PublicKey(x963Representation: point),
                    let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
                else { return false }
                switch hash {
                case .sha256: return key.isValidSignature(signature, for: SHA256.hash(data: message))
                case .sha384: return key.isValidSignature(signature, for: SHA384.hash(data: message))
                }
            case .p384:
                guard let key = try? P384.Signing.PublicKey(x963Representation: point),
                    let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature)
                else { return false }
                switch hash {
                case .sha256: return key.isValidSignature(signature, for: SHA256.hash(data: message))
                case .sha384: return key.isValidSignature(signature, for: SHA384.hash(data: message))
                }
            }
        }
    }
#endif
