import Foundation

/// What an account is derived from: a version and the first root key.
///
/// Spec: 50, section 3.1.
package struct AccountGenesis: Sendable, Equatable {
    /// The only version there is. It is hashed too: another one would silently name another account.
    package static let currentVersion: UInt8 = 2

    package let version: UInt8
    /// 32 bytes.
    package let rootPublicKey: Data

    package init(version: UInt8 = currentVersion, rootPublicKey: Data) {
        self.version = version
        self.rootPublicKey = rootPublicKey
    }

    package init(from reader: inout BorshReader) throws(BorshError) {
        version = try reader.u8("genesis version")
        rootPublicKey = try reader.raw(32, "root public key")
    }

    /// 33 bytes.
    package var bytes: Data { Data([version]) + rootPublicKey }

    /// The account, 32 bytes.
    package var account: Data { domainHash("calimero.account.genesis.v1", [bytes]) }
}
