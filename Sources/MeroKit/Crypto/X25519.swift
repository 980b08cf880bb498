import Foundation

/// X25519 (RFC 7748): the keys that nodes seal to, and what two sides agree on.
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

    /// What both sides come to, 32 bytes; nil for a key that makes every secret the same, or that is none.
    package static func agreement(secret: SecretBytes, publicKey: [UInt8]) -> [UInt8]? {
        let shared = secret.withUnsafeBytes { Curve25519Backend.x25519Agree(secret: $0, publicKey: publicKey) }
        guard let shared, shared.contains(where: { $0 != 0 }) else { return nil }
        return shared
    }

    /// The same, in memory that is overwritten in the end.
    static func agreedSecret(secret: SecretBytes, publicKey: [UInt8]) -> SecretBytes? {
        guard var shared = agreement(secret: secret, publicKey: publicKey) else { return nil }
        defer { shared.withUnsafeMutableBytes { SecretBytes.wipe($0) } }
        return SecretBytes(shared)
    }

    package static func publicKey(secret: SecretBytes) throws -> Data {
        guard let key = secret.withUnsafeBytes(Curve25519Backend.x25519PublicKey) else {
            throw AccountError.invalidInput("the secret cannot be used")
        }
        return Data(key)
    }
}
