import MeroKit

/// Challenges for the account-proof login. They carry their own expiry and seal, so handing them out costs no memory.
///
/// Spec: 10, section 9.7.
struct ChallengeMint: Sendable {
    enum Problem: Error, Equatable {
        case notIssuedHere
        case expired
    }

    private let key: [UInt8]

    init(secret: [UInt8]) { key = Digest.hmacSHA256(key: secret, Array("challenge".utf8)) }

    /// 8 bytes expiry (little-endian), 8 random, 16 of a MAC.
    func issue(expiresAt: Int64) -> [UInt8] {
        let head = (0..<8).map { UInt8(truncatingIfNeeded: expiresAt >> Int64(8 * $0)) } + SecureRandom.bytes(8)
        return head + seal(head)
    }

    /// Throws `Problem`.
    func check(_ challenge: [UInt8], now: Int64) throws {
        guard challenge.count == 32, Digest.constantTimeEqual(Array(challenge[16...]), seal(Array(challenge[..<16])))
        else {
            throw Problem.notIssuedHere
        }
        let expiry = challenge[..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard now <= expiry else { throw Problem.expired }
    }

    private func seal(_ head: [UInt8]) -> [UInt8] { Array(Digest.hmacSHA256(key: key, head).prefix(16)) }
}
