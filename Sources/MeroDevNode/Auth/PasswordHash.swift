import Foundation
import MeroKit

/// PBKDF2 with HMAC-SHA-256, one block.
enum PasswordHash {
    /// What is kept of a password, in hex.
    struct Credential: Sendable {
        let salt: String
        let hash: String

        init(_ password: String) {
            let salt = SecureRandom.bytes(16)
            self.salt = Hex.encode(salt)
            hash = Hex.encode(PasswordHash.hash(password, salt: salt))
        }
    }

    /// Enough to make a stolen store of development passwords a nuisance, and a login still takes a few milliseconds.
    private static let rounds = 2_000

    static func hash(_ password: String, salt: [UInt8]) -> [UInt8] {
        let key = Array(password.utf8)
        var block = Digest.hmacSHA256(key: key, salt + [0, 0, 0, 1])
        var output = block
        for _ in 1..<rounds {
            block = Digest.hmacSHA256(key: key, block)
            for index in output.indices { output[index] ^= block[index] }
        }
        return output
    }

    static func matches(_ password: String, _ user: UserRecord?) -> Bool {
        // An unknown user costs as much time as a known one.
        let salt = user.flatMap { Hex.decode($0.salt) } ?? [UInt8](repeating: 0, count: 16)
        let expected = user.flatMap { Hex.decode($0.hash) } ?? []
        return Digest.constantTimeEqual(hash(password, salt: salt), expected)
    }
}
