import Foundation

/// The key half of X25519 (RFC 7748) that a device publishes; the SDK agrees on no keys.
///
/// Spec: 50, section 1.1.
public enum X25519 {
    /// The public key, 32 bytes, of a secret of 32 bytes, which is clamped on use. Throws `AccountError.invalidInput` for
    /// another size.
    public static func publicKey(secret: Data) throws -> Data {
        guard secret.count == 32 else {
            throw AccountError.invalidInput("secret must be 32 bytes, got \(secret.count)")
        }
        return try publicKey(secret: SecretBytes(secret))
    }

    package static func publicKey(secret: SecretBytes) throws -> Data {
        guard let key = secret.withUnsafeBytes(Curve25519Backend.x25519PublicKey) else {
            throw AccountError.invalidInput("the secret cannot be used")
        }
        return Data(key)
    }
}
