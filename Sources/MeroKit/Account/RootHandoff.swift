import Foundation

/// The statement by which one root key of an account names the next, 132 bytes.
///
/// Spec: 50, section 6.1.
package struct RootHandoff: Sendable, Equatable {
    package static let size = 132

    package let account: Data
    package let fromEpoch: UInt32
    package let newRootPublicKey: Data
    /// By the key that goes.
    package let signature: Data

    package init(from reader: inout BorshReader) throws(BorshError) {
        account = try reader.raw(32, "handoff account")
        fromEpoch = try reader.u32("handoff epoch")
        newRootPublicKey = try reader.raw(32, "handoff key")
        signature = try reader.raw(64, "handoff signature")
    }

    package static func payload(account: Data, fromEpoch: UInt32, newRootPublicKey: Data) -> Data {
        domainHash("calimero.account.handoff.v1", [account, LittleEndian.u32(fromEpoch), newRootPublicKey])
    }

    package func isSigned(by outgoing: Data) -> Bool {
        Ed25519.verify(
            publicKey: outgoing, signature: signature,
            message: Self.payload(account: account, fromEpoch: fromEpoch, newRootPublicKey: newRootPublicKey))
    }
}

extension AccountRoot {
    /// Names the root key that follows this one; the hex of 132 bytes.
    ///
    /// - Parameters:
    ///   - newRootPublicKey: the root key that follows, 64 hex characters.
    ///   - fromEpoch: how many root keys there were before this one.
    ///   - account: the account, when this root is not its first.
    ///
    /// Throws `AccountError.invalidInput` for what is no key or account, and for a later epoch without an account. Spec:
    /// 50, section 6.1.
    public func handOff(
        to newRootPublicKey: String, fromEpoch: UInt32 = 0, account: String? = nil
    ) throws -> String {
        guard fromEpoch == 0 || account != nil else {
            throw AccountError.invalidInput("a root key of epoch \(fromEpoch) does not tell its account: name it")
        }
        let account = try Hex.id(account ?? accountId, "account")
        let next = try Hex.id(newRootPublicKey, "newRootPublicKey")
        let payload = RootHandoff.payload(account: account, fromEpoch: fromEpoch, newRootPublicKey: next)
        return Hex.encode(account + LittleEndian.u32(fromEpoch) + next + (try sign(payload)))
    }
}
