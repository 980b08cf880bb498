import Foundation

/// Bytes that only the holder of an X25519 secret can read. Says nothing of who sealed them.
///
/// How nodes derive the key is not known; here it is HKDF-SHA-256 over the agreement, with both public keys as salt.
/// Spec: 30, section 11.6; 50, section 21.
package struct SealedBox: Sendable, Equatable {
    /// 32 bytes.
    package let ephemeralPublicKey: Data
    /// 12 bytes.
    package let nonce: Data
    /// AES-256-GCM, with the tag of 16 bytes behind it.
    package let ciphertext: Data

    private static let label = Array("merokit.sealed-box.v1".utf8)

    package init(ephemeralPublicKey: Data, nonce: Data, ciphertext: Data) {
        self.ephemeralPublicKey = ephemeralPublicKey
        self.nonce = nonce
        self.ciphertext = ciphertext
    }

    /// Throws `AccountError.invalidInput` for what is no key.
    package static func seal(_ plaintext: Data, to publicKey: Data) throws -> SealedBox {
        let secret = SecretBytes(random: 32)
        let ephemeral = try X25519.publicKey(secret: secret)
        let nonce = randomBytes(12)
        guard
            let shared = secret.withUnsafeBytes({
                Curve25519Backend.x25519Agree(secret: $0, publicKey: Array(publicKey))
            }),
            let sealed = AesGcm.seal(
                Array(plaintext), key: key(shared, ephemeral + publicKey), nonce: Array(nonce))
        else { throw AccountError.invalidInput("publicKey is not one that can be sealed to") }
        return SealedBox(ephemeralPublicKey: ephemeral, nonce: nonce, ciphertext: Data(sealed))
    }

    /// Nil when it was sealed to another key, or changed since.
    package func open(with keys: DeviceKeys) -> Data? {
        guard let own = Hex.decode(keys.kemPublicKey) else { return nil }
        let secret = SecretBytes(keys.kemSecret)
        let shared = secret.withUnsafeBytes {
            Curve25519Backend.x25519Agree(secret: $0, publicKey: Array(ephemeralPublicKey))
        }
        guard let shared else { return nil }
        return AesGcm.open(
            Array(ciphertext), key: Self.key(shared, ephemeralPublicKey + own), nonce: Array(nonce)
        ).map { Data($0) }
    }

    private static func key(_ shared: [UInt8], _ salt: Data) -> [UInt8] {
        let extracted = Digest.hmacSHA256(key: Array(salt), shared)
        return Digest.hmacSHA256(key: extracted, label + [1])
    }
}
