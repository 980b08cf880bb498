import Foundation
import MeroKit

/// Taking a second node in as a device of the account.
///
/// Spec: 30, section 11.2.
extension AccountAdmin {
    /// On the new node.
    func beginPairing(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["accountRootPublicKey", "namespaces", "accountNamespace"])
            let (root, named, home) = try AdminBody.shaped {
                (
                    try fields.string("accountRootPublicKey"), try fields.optionalStrings("namespaces") ?? [],
                    try fields.optionalString("accountNamespace")
                )
            }
            var check = BodyCheck()
            let rootKey = check.id(root, "accountRootPublicKey")
            for namespace in named { check.id(namespace, "namespaces[]") }
            let namespace = home.map { check.id($0, "accountNamespace") }
            if named.isEmpty, home == nil { check.missing("namespaces") }
            try check.finish()
            guard rootKey != identity.root.publicKey else {
                throw NodeRefusal(400, "this node holds that account's root itself")
            }
            try identity.beginPairing(rootPublicKey: rootKey, accountNamespaceId: namespace)
            let (account, device, keys) = (identity.accountId, identity.deviceId, identity.keys)
            let statement = try PairingStatement(
                account: account, device: device, keys: keys, at: UInt64(clamping: clock.seconds))
            return GroupAdmin.data([
                "accountId": .string(account), "deviceId": .string(device),
                "kemPublicKey": .string(keys.kemPublicKey), "signPublicKey": .string(keys.signPublicKey),
                "statement": .string(Hex.encode(statement.bytes)),
                "confirmationCode": .string(
                    try DevicePairing.confirmationCode(
                        account: account, device: device, kemPublicKey: keys.kemPublicKey,
                        signPublicKey: keys.signPublicKey)),
            ])
        }
    }

    private struct NewDevice {
        var id: String
        var kemPublicKey: String
        var signPublicKey: String
        var statement: PairingStatement
        var code: String
        var applications: [String]
    }

    /// On the node that holds the root.
    func completePairing(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let device = try newDevice(call)
            let account = identity.accountId
            guard identity.holdsRoot else { throw Self.notTheHolder }
            try verify(device, of: account)
            guard groups.read({ $0.devices[device.id]?.isRevoked }) != true else {
                throw NodeRefusal(403, "the device has been revoked")
            }
            let credential = try identity.root.certify(
                device: device.id, signPublicKey: device.signPublicKey, kemPublicKey: device.kemPublicKey)
            // The certificate first: who is not certified does not get the namespaces.
            let peer = groups.link.network?.peers(of: groups.link.id)
                .first { $0.identity.nodeKey == device.signPublicKey }
            let isDelivered = peer?.identity.complete(credential: credential) ?? false
            let linked = try groups.change { state -> [String] in
                var record = DeviceRecord(
                    account: account, signingKey: device.signPublicKey, agreementKey: device.kemPublicKey)
                record.isManaged = true
                record.applications = device.applications
                state.devices[device.id] = record
                return bind(device.id, account, &state)
            }
            for namespace in linked { admin.hub.announce([], namespace: namespace) }
            return GroupAdmin.data([
                "accountId": .string(account), "deviceId": .string(device.id), "keyDelivered": .bool(isDelivered),
                "confirmationCode": .string(
                    try DevicePairing.confirmationCode(
                        account: account, device: device.id, kemPublicKey: device.kemPublicKey,
                        signPublicKey: device.signPublicKey)),
                "credential": .string(credential),
            ])
        }
    }

    private func newDevice(_ call: RouteCall) throws -> NewDevice {
        let fields = try admin.fields(
            call, ["deviceId", "kemPublicKey", "signPublicKey", "statement", "confirmationCode", "applications"])
        let texts = try AdminBody.shaped {
            try ["deviceId", "kemPublicKey", "signPublicKey", "statement", "confirmationCode"].map(fields.string)
        }
        let named = try AdminBody.shaped { try fields.optionalStrings("applications") ?? [] }
        var check = BodyCheck()
        let id = check.id(texts[0], "deviceId")
        let kem = check.id(texts[1], "kemPublicKey")
        let sign = check.id(texts[2], "signPublicKey")
        let statement = check.hex(texts[3], "statement", bytes: PairingStatement.size)
        if texts[4].isEmpty { check.missing("confirmationCode") }
        let applications = named.map { check.id($0, "applications[]") }
        try check.finish()
        guard let read = Hex.decode(statement).flatMap({ PairingStatement(Data($0)) }) else {
            throw NodeRefusal(400, "the pairing statement is invalid")
        }
        return NewDevice(
            id: id, kemPublicKey: kem, signPublicKey: sign, statement: read, code: texts[4],
            applications: applications)
    }

    private func verify(_ device: NewDevice, of account: String) throws {
        let nonce = Data(Hex.decode(device.id) ?? []).prefix(16)
        guard try DeviceCertificates.mintDeviceId(account: account, nonce: Data(nonce)) == device.id,
            device.statement.isSigned(
                account: account, device: device.id, kemPublicKey: device.kemPublicKey,
                signPublicKey: device.signPublicKey)
        else { throw NodeRefusal(400, "the pairing statement is invalid") }
        guard device.statement.isFresh(at: clock.seconds) else {
            throw NodeRefusal(400, "the pairing statement is stale; start the pairing again")
        }
        let code = try DevicePairing.confirmationCode(
            account: account, device: device.id, kemPublicKey: device.kemPublicKey,
            signPublicKey: device.signPublicKey)
        guard DevicePairing.sameCode(code, device.code) else {
            throw NodeRefusal(400, "the confirmation code does not match")
        }
    }

    /// Lets a device count wherever its scope allows; the namespaces that are new to it.
    func bind(_ device: String, _ account: String, _ state: inout GroupState) -> [String] {
        guard let record = state.devices[device] else { return [] }
        let wanted = state.namespaces(of: account).filter { namespace in
            record.covers(state[namespace]?.target?.applicationId) && !state.isRevoked(device: device, in: namespace)
                && state[namespace]?.boundDevices.contains(device) == false
        }
        for namespace in wanted { state.groups[namespace]?.boundDevices.insert(device) }
        return wanted
    }
}
