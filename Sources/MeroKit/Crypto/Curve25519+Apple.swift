#if canImport(CryptoKit)
    import CryptoKit
    import Foundation

    /// The functions of Curve25519 that the SDK needs, by CryptoKit. Nil where the library says no.
    enum Curve25519Backend {
        static func ed25519PublicKey(seed: UnsafeRawBufferPointer) -> [UInt8]? {
            guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return nil }
            return Array(key.publicKey.rawRepresentation)
        }

        static func x25519PublicKey(secret: UnsafeRawBufferPointer) -> [UInt8]? {
            guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret) else { return nil }
            return Array(key.publicKey.rawRepresentation)
        }

        static func x25519Agree(secret: UnsafeRawBufferPointer, publicKey: [UInt8]) -> [UInt8]? {
            guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: secret),
                let peer = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
                let shared = try? key.sharedSecretFromKeyAgreement(with: peer)
            else { return nil }
            return shared.withUnsafeBytes { Array($0) }
        }

        /// A key that signs again and again.
        final class SigningKey: Sendable {
            private let key: Curve25519.Signing.PrivateKey

            init?(seed: UnsafeRawBufferPointer) {
                guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: seed) else { return nil }
                self.key = key
            }

            /// Hedged: two signatures of one message differ, and both verify.
            func sign(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
                (try? key.signature(for: Data(message))).map { Array($0) }
            }
        }

        static func ed25519Verify(
            publicKey: [UInt8], signature: [UInt8], message: UnsafeRawBufferPointer
        ) -> Bool {
            guard let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else { return false }
            return key.isValidSignature(signature, for: Data(message))
        }
    }
#endif
