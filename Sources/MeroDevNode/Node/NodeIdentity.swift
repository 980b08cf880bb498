import Foundation
import MeroKit

/// Who the node is. At its first start it makes an account of its own and a device that its root certifies; later it may
/// become a device of another account. Kept as long as the node's state.
final class NodeIdentity: Sendable {
    private static let secrets = ["rootSecret", "signSecret", "kemSecret", "deviceNonce", "accountNamespaceId"]

    private struct State {
        var accountId: String
        var deviceId: String
        var rootPublicKey: String
        var accountNamespaceId: String
        /// The device's certificate; nil while a pairing is not completed.
        var credential: String?
        /// The device was revoked.
        var isWithdrawn = false
        var journal: Journal?
        /// What is on disk, if anything is.
        var entries: [String: JsonTree] = [:]
    }

    /// What the node signs with, 64 hex: the key that logins name and that attestation binds.
    let nodeKey: String
    let keys: DeviceKeys
    /// The root of the node's first account.
    let root: AccountRoot
    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

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
        nodeKey = keys.signPublicKey
        let deviceId = try DeviceCertificates.mintDeviceId(account: root.accountId, nonce: value("deviceNonce"))
        var state = State(
            accountId: root.accountId, deviceId: deviceId, rootPublicKey: root.publicKey,
            accountNamespaceId: Hex.encode(value("accountNamespaceId")),
            credential: try root.certify(
                device: deviceId, signPublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey))
        if let paired = stored["paired"], let account = paired["account"]?.stringValue,
            let device = paired["device"]?.stringValue, let key = paired["root"]?.stringValue
        {
            state.accountId = account
            state.deviceId = device
            state.rootPublicKey = key
            state.accountNamespaceId = paired["namespace"]?.stringValue ?? state.accountNamespaceId
            state.credential = paired["credential"]?.stringValue
        }
        state.isWithdrawn = stored["withdrawn"]?.boolValue ?? false
        state.journal = journal
        if journal != nil { state.entries = stored.merging(missing.map { ($0.key, $0.value ?? .null) }) { $1 } }
        self.state = Locked(state)
    }

    /// The account the node acts as, 64 hex.
    var accountId: String { state.withLock { $0.accountId } }
    var deviceId: String { state.withLock { $0.deviceId } }
    var rootPublicKey: String { state.withLock { $0.rootPublicKey } }
    /// Whether the root of the node's account is here.
    var holdsRoot: Bool { accountId == root.accountId }
    /// The device's certificate in hex; nil while a pairing is not completed.
    var credential: String? { state.withLock { $0.credential } }
    var isWithdrawn: Bool { state.withLock { $0.isWithdrawn } }

    /// The account, when the device speaks for it.
    var usableAccount: String? {
        state.withLock { $0.credential != nil && !$0.isWithdrawn ? $0.accountId : nil }
    }

    /// The device's certificate; nil when it does not speak for its account.
    var certificate: DeviceCertificate? {
        guard usableAccount != nil, let bytes = credential.flatMap({ Hex.decode($0) }) else { return nil }
        return (try? AccountProof<DeviceCertificate>(Data(bytes)))?.statement
    }

    /// The `data` of `GET /admin-api/identity`.
    ///
    /// Spec: 30, section 11.1.
    var tree: JsonTree {
        state.withLock { state in
            var members = [
                JsonMember(name: "accountId", value: .string(state.accountId)),
                JsonMember(name: "deviceId", value: .string(state.deviceId)),
                JsonMember(name: "publicKey", value: .string(nodeKey)),
                JsonMember(name: "accountRootPublicKey", value: .string(state.rootPublicKey)),
                JsonMember(name: "deviceAgreementKey", value: .string(keys.kemPublicKey)),
                JsonMember(name: "accountNamespaceId", value: .string(state.accountNamespaceId)),
                JsonMember(name: "holdsAccountRoot", value: .bool(state.accountId == root.accountId)),
                JsonMember(name: "deviceCertified", value: .bool(state.credential != nil && !state.isWithdrawn)),
            ]
            if state.isWithdrawn {
                let from: JsonTree = ["accountId": .string(state.accountId), "deviceId": .string(state.deviceId)]
                members.append(JsonMember(name: "revokedFrom", value: from))
            }
            return .object(members)
        }
    }

    // MARK: - Changes

    /// Takes up a pairing with another account: a device of it that is not certified yet. Throws `AccountError` and
    /// `DevNodeError`.
    func beginPairing(rootPublicKey: String, accountNamespaceId: String?) throws {
        let account = try DeviceCertificates.account(forRootPublicKey: rootPublicKey)
        let device = try DeviceCertificates.mintDeviceId(account: account, nonce: randomBytes(16))
        try change { state in
            state.accountId = account
            state.deviceId = device
            state.rootPublicKey = rootPublicKey
            if let accountNamespaceId { state.accountNamespaceId = accountNamespaceId }
            state.credential = nil
            state.isWithdrawn = false
        }
    }

    /// Completes the pairing. False for a certificate of another device.
    func complete(credential: String) -> Bool {
        guard let certificate = try? DeviceCertificates.verify(credential) else { return false }
        return
            (try? change { state in
                guard certificate.account == state.accountId, certificate.device == state.deviceId,
                    certificate.signPublicKey == nodeKey
                else { return false }
                state.credential = credential
                return true
            }) ?? false
    }

    /// The device was revoked.
    func withdraw() { try? change { $0.isWithdrawn = true } }

    private func change<Result>(_ body: (inout State) throws -> Result) throws -> Result {
        try state.withLock { state in
            let before = state
            do {
                let result = try body(&state)
                let paired: JsonTree? =
                    state.accountId == root.accountId
                    ? nil
                    : [
                        "account": .string(state.accountId), "device": .string(state.deviceId),
                        "root": .string(state.rootPublicKey), "namespace": .string(state.accountNamespaceId),
                        "credential": state.credential.map { .string($0) } ?? .null,
                    ]
                guard let journal = state.journal else { return result }
                state.entries["paired"] = paired
                state.entries["withdrawn"] = .bool(state.isWithdrawn)
                let entries = state.entries
                try journal.record([("paired", paired), ("withdrawn", .bool(state.isWithdrawn))]) { entries }
                return result
            } catch {
                state = before
                throw error
            }
        }
    }
}
