import Foundation
import MeroKit

/// Who the node is: an account of its own, and a device that its root certified. Made at its first start and kept as long
/// as its state.
struct NodeIdentity: Sendable {
    private static let secrets = ["rootSecret", "signSecret", "kemSecret", "deviceNonce", "accountNamespaceId"]

    /// The `data` of `GET /admin-api/identity`.
    ///
    /// Spec: 20, section 5.2.
    let tree: JsonTree

    /// The account the node acts as, 64 hex.
    let accountId: String
    let deviceId: String
    /// What the node signs with, 64 hex: the key that logins name and that attestation binds.
    let nodeKey: String
    let keys: DeviceKeys
    let root: AccountRoot

    /// How libp2p would write the node's key.
    var peerId: String { Base58.encode([0x00, 0x24, 0x08, 0x01, 0x12, 0x20] + (Hex.decode(nodeKey) ?? [])) }

    init(directory: DataDirectory?) throws {
        var stored: [String: JsonTree] = [:]
        var journal: Journal?
        if let directory { (journal, stored) = try directory.open("identity") }
        var values: [String: Data] = [:]
        var missing: [(key: String, value: JsonTree?)] = []
        for name in Self.secrets {
            let size = name == "deviceNonce" ? 16 : 32
            if let bytes = stored[name]?.stringValue.flatMap({ Hex.decode($0) }), bytes.count == size {
                values[name] = Data(bytes)
            } else {
                let bytes = SecureRandom.bytes(size)
                values[name] = Data(bytes)
                missing.append((name, .string(Hex.encode(bytes))))
            }
        }
        try journal?.record(missing) { [:] }
        func value(_ name: String) -> Data { values[name] ?? Data() }
        root = try AccountRoot(secret: value("rootSecret"))
        keys = try DeviceKeys(signSecret: value("signSecret"), kemSecret: value("kemSecret"))
        accountId = root.accountId
        nodeKey = keys.signPublicKey
        deviceId = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: value("deviceNonce"))
        tree = [
            "accountId": .string(accountId), "deviceId": .string(deviceId), "publicKey": .string(nodeKey),
            "accountRootPublicKey": .string(root.publicKey), "deviceAgreementKey": .string(keys.kemPublicKey),
            "accountNamespaceId": .string(Hex.encode(value("accountNamespaceId"))), "holdsAccountRoot": true,
            "deviceCertified": true,
        ]
    }
}
