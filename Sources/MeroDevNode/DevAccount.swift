import Foundation
import MeroKit

/// An account without a node, for demos and tests: a root, a device, and the certificate between them.
///
/// ```swift
/// let ada = try DevAccount()
/// let namespace = try node.createNamespace(members: [ada.accountId: .member])
/// let relay = RelayClient(
///     relayURL: node.url.absoluteString, authorAccount: ada.accountId, authorProof: ada.credential, keys: ada.keys,
///     nonces: MemoryWarrantNonceStore())
/// ```
public struct DevAccount: Sendable {
    /// What certifies the account's devices.
    public let root: AccountRoot
    /// The device's keys.
    public let keys: DeviceKeys
    /// The device's id, 64 hex.
    public let deviceId: String
    /// The device's certificate in hex: `authorProof`, `account_proof`.
    public let credential: String

    /// The account, 64 hex.
    public var accountId: String { root.accountId }

    /// A new account with one device, or one more device of an account whose root is given. Throws `AccountError`.
    public init(root: AccountRoot = .generate(), keys: DeviceKeys = .generate()) throws {
        self.root = root
        self.keys = keys
        deviceId = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: randomBytes(16))
        credential = try root.certify(
            device: deviceId, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey)
    }
}
