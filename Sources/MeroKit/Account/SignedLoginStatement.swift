import Foundation

/// A login statement as it travels, and as a node reads and checks it.
///
/// Spec: 50, section 8.
package struct SignedLoginStatement: Sendable, Equatable {
    package let node: Data
    package let audience: LoginAudience
    package let challenge: Data
    package let sessionKey: Data
    package let deviceKey: Data
    package let issuedAt: UInt64
    package let expiresAt: UInt64
    package let signature: Data

    init(
        node: String, audience: LoginAudience, challenge: String, sessionKey: String, deviceKey: Data,
        issuedAt: UInt64, expiresAt: UInt64, signature: Data
    ) throws {
        guard deviceKey.count == 32 else {
            throw AccountError.invalidInput("deviceKey must be 32 bytes, got \(deviceKey.count)")
        }
        self.node = try Hex.id(node, "node")
        self.audience = audience
        self.challenge = try Hex.id(challenge, "challenge")
        self.sessionKey = try Hex.id(sessionKey, "sessionKey")
        self.deviceKey = deviceKey
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.signature = signature
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        node = try reader.raw(32, "node")
        audience = try LoginAudience(from: &reader)
        challenge = try reader.raw(32, "challenge")
        sessionKey = try reader.raw(32, "session key")
        deviceKey = try reader.raw(32, "device key")
        issuedAt = try reader.u64("issued at")
        expiresAt = try reader.u64("expires at")
        signature = try reader.raw(64, "signature")
    }

    /// Throws `BorshError`, also when something follows.
    package init(_ bytes: Data) throws(BorshError) {
        var reader = BorshReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    /// The 32 bytes that are signed.
    package var preimage: Data {
        domainHash(
            "calimero.auth.login.v1",
            [
                node, audience.signedBytes, challenge, sessionKey, deviceKey, LittleEndian.u64(issuedAt),
                LittleEndian.u64(expiresAt),
            ])
    }

    package var bytes: Data {
        var writer = BorshWriter()
        writer.raw(node)
        audience.write(to: &writer)
        writer.raw(challenge + sessionKey + deviceKey)
        writer.u64(issuedAt)
        writer.u64(expiresAt)
        writer.raw(signature)
        return writer.data
    }

    /// Whether the device it names signed it.
    package var isSigned: Bool {
        Ed25519.verify(publicKey: deviceKey, signature: signature, message: preimage)
    }
}
