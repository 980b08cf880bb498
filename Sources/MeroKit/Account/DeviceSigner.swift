import Foundation

/// Whoever can sign as a device: keys in memory, or a signer that never shows its key (an enclave, a service, a card).
///
/// Every call that signs with `keys:` has a twin with `signer:`. What comes back is checked against `signPublicKey` before
/// anything is sent.
///
/// ```swift
/// struct VaultSigner: DeviceSigner {
///     let signPublicKey: String
///     let vault: Vault
///     func sign(_ message: Data) async throws -> Data { try await vault.ed25519(message) }
/// }
/// ```
///
/// Spec: 50, section 23.1.
public protocol DeviceSigner: Sendable {
    /// The device's signing key, 64 hex characters.
    var signPublicKey: String { get }
    /// An Ed25519 signature, 64 bytes, over exactly these bytes: no hash beforehand.
    func sign(_ message: Data) async throws -> Data
}

extension DeviceSigner {
    /// The signing key as bytes. Throws `AccountError.invalidInput` when it is none.
    package var signPublicKeyBytes: Data {
        get throws { try Hex.id(signPublicKey, "signPublicKey") }
    }

    /// Signs, and lets nothing out that does not verify. Throws what the signer throws, and `AccountError.invalidInput`
    /// for a signature that is not its own.
    package func checkedSignature(over message: Data) async throws -> Data {
        // What was computed here needs no second look, which would take longer than the signature.
        if let keys = self as? DeviceKeys { return try keys.sign(message) }
        let key = try signPublicKeyBytes
        let signature = try await sign(message)
        guard Ed25519.verify(publicKey: key, signature: signature, message: message) else {
            throw AccountError.invalidInput("the signer's signature does not verify under its signPublicKey")
        }
        return signature
    }
}
