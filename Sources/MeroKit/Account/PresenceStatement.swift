import Foundation

/// What a device signs to show presence in a context over a relay: 131 bytes, signed as they are.
///
/// Spec: 50, section 13.
package struct PresenceStatement: Sendable, Equatable {
    private static let tag = "calimero/presence/1"

    package let context: Data
    /// The device's signing key, 32 bytes.
    package let author: Data
    /// Rises with every statement in the context.
    package let sequence: UInt64
    /// Milliseconds since 1970.
    package let sentAt: UInt64
    package let stateHash: Data

    /// `state` nil retracts, which is not the same as an empty state. Throws `AccountError.invalidInput`.
    package init(context: String, author: Data, sequence: UInt64, sentAt: UInt64, state: Data?) throws {
        self.context = try Hex.id(context, "context")
        self.author = try Warrants.deviceKey(author)
        self.sequence = sequence
        self.sentAt = sentAt
        stateHash = Self.hash(state)
    }

    /// 32 bytes.
    package static func hash(_ state: Data?) -> Data {
        guard let state else { return sha256(Data([0])) }
        return sha256(Data([1]) + LittleEndian.u32(UInt32(clamping: state.count)) + state)
    }

    package var bytes: Data {
        Data(Self.tag.utf8) + context + author + LittleEndian.u64(sequence) + LittleEndian.u64(sentAt) + stateHash
    }

    /// Whether the author signed it.
    package func isSigned(_ signature: Data) -> Bool {
        Ed25519.verify(publicKey: author, signature: signature, message: bytes)
    }
}
