import Foundation

/// Ed25519 signatures as RFC 8032 has them: no context, no hash beforehand.
///
/// On Apple systems signatures are randomised, elsewhere they are deterministic; both verify everywhere. Spec: 50,
/// section 1.1.
public enum Ed25519 {
    /// The public key, 32 bytes, of a seed of 32 bytes. Throws `AccountError.invalidInput` for another size.
    public static func publicKey(seed: Data) throws -> Data { try publicKey(seed: secret(seed)) }

    /// Signs exactly these bytes; 64 bytes. Throws `AccountError.invalidInput` for a seed that is not 32 bytes long.
    public static func sign(seed: Data, message: Data) throws -> Data { try sign(seed: secret(seed), message: message) }

    /// Whether the signature of 64 bytes is that of the key of 32 bytes over exactly these bytes. False for other sizes.
    ///
    /// Keys that no seed has are refused: those of small order, under which one signature fits many messages, and second
    /// spellings of a key.
    public static func verify(publicKey: Data, signature: Data, message: Data) -> Bool {
        guard publicKey.count == 32, signature.count == 64 else { return false }
        let key = Array(publicKey)
        guard isProper(key) else { return false }
        return message.withUnsafeBytes {
            Curve25519Backend.ed25519Verify(publicKey: key, signature: Array(signature), message: $0)
        }
    }

    package static func publicKey(seed: SecretBytes) throws -> Data {
        guard let key = seed.withUnsafeBytes(Curve25519Backend.ed25519PublicKey) else { throw failure }
        return Data(key)
    }

    package static func sign(seed: SecretBytes, message: Data) throws -> Data {
        try SigningKey(seed: seed).sign(message)
    }

    /// A seed that is ready to sign. Twice as fast as the seed itself from the second signature on.
    package struct SigningKey: Sendable {
        private let key: Curve25519Backend.SigningKey

        /// Throws `AccountError.invalidInput` for a seed that is not 32 bytes long.
        package init(seed: SecretBytes) throws {
            guard let key = seed.withUnsafeBytes(Curve25519Backend.SigningKey.init(seed:)) else { throw failure }
            self.key = key
        }

        /// Signs exactly these bytes; 64 bytes.
        package func sign(_ message: Data) throws -> Data {
            guard let signature = message.withUnsafeBytes({ key.sign($0) }) else { throw failure }
            return Data(signature)
        }
    }

    private static let failure = AccountError.invalidInput("the signing seed cannot be used")

    private static func secret(_ seed: Data) throws -> SecretBytes {
        guard seed.count == 32 else {
            throw AccountError.invalidInput("seed must be 32 bytes, got \(seed.count)")
        }
        return SecretBytes(seed)
    }

    /// The y-coordinates, lowest byte first, of the eight points whose order divides 8.
    private static let smallOrders: [[UInt8]] = {
        func padded(_ first: UInt8) -> [UInt8] { [first] + [UInt8](repeating: 0, count: 31) }
        let eighth: [UInt8] = [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
            0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ]
        let otherEighth: [UInt8] = [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
            0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ]
        let minusOne = [0xec] + [UInt8](repeating: 0xff, count: 30) + [0x7f]
        return [padded(0), padded(1), minusOne, eighth, otherEighth]
    }()

    private static func isProper(_ key: [UInt8]) -> Bool {
        var y = key
        y[31] &= 0x7f
        // At least 2^255 - 19: the same point has a shorter spelling.
        if y[0] >= 0xed && y[31] == 0x7f && y[1..<31].allSatisfy({ $0 == 0xff }) { return false }
        return !smallOrders.contains(y)
    }
}
