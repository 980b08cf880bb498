import Foundation
import MeroKit

/// The node's account: its devices, where they count, and what its root signs.
///
/// Spec: 30, section 11.
struct AccountAdmin: Sendable {
    let admin: GroupAdmin

    static let unknownDevice = NodeRefusal(404, "no such device of this account is known here")

    var identity: NodeIdentity { admin.identity }
    var groups: GroupRegistry { admin.groups }
    var clock: DevClock { admin.clock }

    // MARK: - Listings

    func listDevices(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let account = identity.accountId
            let rows = groups.read { state in
                state.devices.entries.filter { $0.value.account == account }.sorted { $0.key < $1.key }
                    .map { id, record in row(id, record, state) }
            }
            return .json(200, ["devices": .array(rows)])
        }
    }

    private func row(_ id: String, _ record: DeviceRecord, _ state: GroupState) -> JsonTree {
        var members = [
            JsonMember(name: "deviceId", value: .string(id)),
            JsonMember(name: "signingKey", value: .string(record.signingKey)),
            JsonMember(name: "isSelf", value: .bool(id == identity.deviceId)),
            JsonMember(name: "revoked", value: .bool(record.isRevoked)),
            JsonMember(name: "applications", value: JsonTree(record.applications)),
            JsonMember(
                name: "namespaces",
                value: JsonTree(state.namespaces(of: record.account).filter { state.isBound(device: id, in: $0) })),
        ]
        if let label = record.label { members.append(JsonMember(name: "label", value: .string(label))) }
        return .object(members)
    }

    func listApplications(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let rows = groups.read { state -> [JsonTree] in
                let namespaces = state.namespaces(of: identity.accountId)
                let applications = Set(namespaces.compactMap { state[$0]?.target?.applicationId })
                return applications.sorted().map { application in
                    [
                        "applicationId": .string(application),
                        "namespaces": JsonTree(namespaces.filter { state[$0]?.target?.applicationId == application }),
                    ]
                }
            }
            return .json(200, ["applications": .array(rows)])
        }
    }

    // MARK: - Signing

    private static let signingDomains = ["mdma.account-link", "mdma.account-login", "mdma.account-recovery"]

    func signWithRoot(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["domain", "payload"])
            let (domain, payload) = try AdminBody.shaped {
                (try fields.string("domain"), try fields.string("payload"))
            }
            var check = BodyCheck()
            if !Self.signingDomains.contains(domain) {
                check.fail(
                    "domain",
                    "unknown signing domain; expected one of: \(Self.signingDomains.joined(separator: ", "))")
            }
            let bytes = Self.bytes(payload, "payload", atMost: 4096, &check)
            try check.finish()
            guard identity.holdsRoot else { throw Self.notTheHolder }
            let message = Data("calimero.\(domain).v1".utf8) + [0] + bytes
            return GroupAdmin.data([
                "rootPublicKey": .string(identity.root.publicKey),
                "signature": .string(try identity.root.sign(message).base64EncodedString()),
                "accountId": .string(identity.accountId),
            ])
        }
    }

    /// Hex of any even length.
    static func bytes(_ text: String, _ field: String, atMost limit: Int, _ check: inout BodyCheck) -> Data {
        if text.count > 2 * limit {
            check.text(field, text, max: 2 * limit)
        } else if !text.count.isMultiple(of: 2) {
            check.fail(field, "hex string must have even length")
        } else if let bytes = Hex.decode(text) {
            return Data(bytes)
        } else {
            check.fail(hex: field)
        }
        return Data()
    }

    static let notTheHolder = NodeRefusal(403, "this node does not hold the account's root")

    // MARK: - Sealing

    func seal(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try admin.fields(call, ["plaintext"])
            let text = try AdminBody.shaped { try fields.string("plaintext") }
            var check = BodyCheck()
            if text.isEmpty { check.missing("plaintext") }
            let plaintext = Self.bytes(text, "plaintext", atMost: 65_536, &check)
            try check.finish()
            let (id, account) = (try GroupAdmin.groupId(call), try GroupAdmin.account(call))
            let actor = try admin.actor(call)
            let (key, epoch) = try groups.read { state -> (String, Int) in
                let root = try GroupAdmin.require(actor, in: id, state)
                guard state.membership(of: account, in: id) != nil else { throw GroupState.noMember }
                guard let device = state.devices(of: account, in: id).first else {
                    throw NodeRefusal(503, "no agreement key of this account is known here yet")
                }
                return (device.record.agreementKey, max(0, (state[root]?.rootKeys[account]?.count ?? 1) - 1))
            }
            let sealed = try SealedBox.seal(plaintext, to: Data(Hex.decode(key) ?? []))
            return GroupAdmin.data([
                "accountRootEpoch": JsonTree(epoch),
                "ephemeralPublicKey": .string(Hex.encode(sealed.ephemeralPublicKey)),
                "nonce": .string(Hex.encode(sealed.nonce)), "ciphertext": .string(Hex.encode(sealed.ciphertext)),
            ])
        }
    }
}

extension NodeCore {
    static func accountRoutes(_ accounts: AccountAdmin) -> [NodeRoute] {
        [
            adminRoute("GET", "/account/devices") { await accounts.listDevices($0) },
            adminRoute("GET", "/account/applications") { await accounts.listApplications($0) },
            adminRoute("POST", "/account/pair-init") { await accounts.beginPairing($0) },
            adminRoute("POST", "/account/pair-complete") { await accounts.completePairing($0) },
            adminRoute("POST", "/account/devices/{device}/relink") { await accounts.relink($0) },
            adminRoute("PUT", "/account/devices/{device}/scope") { await accounts.rescope($0) },
            adminRoute("PUT", "/account/devices/{device}/label") { await accounts.label($0) },
            adminRoute("POST", "/account/sign-with-root") { await accounts.signWithRoot($0) },
            adminRoute("POST", "/namespaces/{group}/account/revoke") { await accounts.revoke($0) },
            adminRoute("POST", "/namespaces/{group}/account/link-device") { await accounts.link($0) },
            adminRoute("POST", "/groups/{group}/accounts/{member}/seal") { await accounts.seal($0) },
        ]
    }
}
