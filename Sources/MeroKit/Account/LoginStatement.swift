import Foundation

/// What a device signs once to open a session at a node.
///
/// `node` is the key that the node signs with, learned from something trusted and never from the node's own challenge.
/// Times are Unix seconds. Spec: 50, section 8.
public enum LoginStatement {
    /// The 32 bytes that the device signs. Throws `AccountError.invalidInput`.
    public static func preimage(
        node: String, audience: LoginAudience, challenge: String, sessionKey: String, deviceKey: Data,
        issuedAt: UInt64, expiresAt: UInt64
    ) throws -> Data {
        try SignedLoginStatement(
            node: node, audience: audience, challenge: challenge, sessionKey: sessionKey, deviceKey: deviceKey,
            issuedAt: issuedAt, expiresAt: expiresAt, signature: Data()
        ).preimage
    }

    /// The signed statement in hex. Throws `AccountError.invalidInput`, also for a signature that is not 64 bytes long.
    public static func wire(
        node: String, audience: LoginAudience, challenge: String, sessionKey: String, deviceKey: Data,
        issuedAt: UInt64, expiresAt: UInt64, signature: Data
    ) throws -> String {
        guard signature.count == 64 else {
            throw AccountError.invalidInput("signature must be 64 bytes, got \(signature.count)")
        }
        return Hex.encode(
            try SignedLoginStatement(
                node: node, audience: audience, challenge: challenge, sessionKey: sessionKey, deviceKey: deviceKey,
                issuedAt: issuedAt, expiresAt: expiresAt, signature: signature
            ).bytes)
    }

    /// Signs with the device's keys; the statement in hex. Throws `AccountError.invalidInput`.
    public static func sign(
        node: String, audience: LoginAudience, challenge: String, sessionKey: String, issuedAt: UInt64,
        expiresAt: UInt64, keys: DeviceKeys
    ) throws -> String {
        let key = try keys.signPublicKeyBytes
        let preimage = try preimage(
            node: node, audience: audience, challenge: challenge, sessionKey: sessionKey, deviceKey: key,
            issuedAt: issuedAt, expiresAt: expiresAt)
        return try wire(
            node: node, audience: audience, challenge: challenge, sessionKey: sessionKey, deviceKey: key,
            issuedAt: issuedAt, expiresAt: expiresAt, signature: keys.sign(preimage))
    }

    /// Signs with a signer; the statement in hex. Throws `AccountError.invalidInput`, and what the signer throws.
    public static func sign(
        node: String, audience: LoginAudience, challenge: String, sessionKey: String, issuedAt: UInt64,
        expiresAt: UInt64, signer: any DeviceSigner
    ) async throws -> String {
        let key = try signer.signPublicKeyBytes
        let preimage = try preimage(
            node: node, audience: audience, challenge: challenge, sessionKey: sessionKey, deviceKey: key,
            issuedAt: issuedAt, expiresAt: expiresAt)
        return try wire(
            node: node, audience: audience, challenge: challenge, sessionKey: sessionKey, deviceKey: key,
            issuedAt: issuedAt, expiresAt: expiresAt,
            signature: try await signer.checkedSignature(over: preimage))
    }
}
