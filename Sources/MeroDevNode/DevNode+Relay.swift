import Foundation
import MeroKit

/// The node as a relay.
extension DevNode {
    /// What the node signs with, 64 hex: the `node` of a login, what attestation binds, and the executor's key of warrants
    /// about groups. In a context it goes by ``executor(inContext:)``.
    public var nodeKey: String { core.identity.nodeKey }

    /// The node's own device, 64 hex.
    public var deviceId: String { core.identity.deviceId }

    // MARK: - Standing

    /// Lets the node act for members of a group and of open groups below it, or no longer. Throws ``DevNodeError``.
    public func setAuthorship(_ isGranted: Bool, group: String) throws {
        let me = accountId
        try changeGroup(group) { record in
            let capabilities = record.defaultCapabilities
            if record.members[me] == nil { record.members[me] = GroupMember(role: .member, capabilities: capabilities) }
            if isGranted {
                record.members[me]?.capabilities |= GroupCapability.authorOnBehalf
            } else {
                record.members[me]?.capabilities &= ~GroupCapability.authorOnBehalf
            }
        }
    }

    /// Sets what runs in a group's contexts, which a warrant has to pin. Throws ``DevNodeError``.
    ///
    /// - Parameters:
    ///   - version: of the package that is named like the contract.
    ///   - contract: the group's own unless given.
    ///   - group: the group, 64 hex.
    public func setRelease(version: String, contract: (any DevContract)? = nil, group: String) throws {
        let id = group.lowercased()
        let known = core.groups.read { $0[id]?.target?.package }
        guard let package = contract?.name ?? known else { throw DevNodeError.unknownGroup(group) }
        try changeGroup(id) { record in
            record.target = GroupTarget(
                applicationId: ContextBox.applicationId(ofContract: package),
                bytecodeId: ReleaseCatalog.bytecodeId(package: package, version: version), package: package,
                version: version)
        }
    }

    /// Makes a group name no release, as a new one does. Throws ``DevNodeError``.
    public func removeRelease(group: String) throws { try changeGroup(group) { $0.target = nil } }

    /// What a warrant has to pin in a group; nil when it names no release.
    public func releaseBytecodeId(group: String) -> String? {
        core.groups.read { $0[group.lowercased()]?.target?.bytecodeId }
    }

    /// The id that a contract goes by as an application, 64 hex.
    public static func applicationId(of contract: any DevContract) -> String {
        ContextBox.applicationId(ofContract: contract.name)
    }

    /// Lets accounts name a release of a contract as the application of a group, and the node's owner install it; see
    /// ``applications``.
    public func publish(_ contract: any DevContract, package: String, version: String) {
        applications.publish(contract, package: package, version: version)
    }

    // MARK: - Devices

    /// Tells the node whose a device is, so that an invitation the device signed is taken. It learns the same from every
    /// warrant that it carries out.
    ///
    /// Throws ``DevNodeError/invalidId(_:)`` for a credential that does not hold.
    public func enrol(credential: String) throws {
        guard let bytes = Hex.decode(credential), let proof = try? AccountProof<DeviceCertificate>(Data(bytes)),
            (try? proof.verify()) != nil
        else { throw DevNodeError.invalidId(credential) }
        core.groups.learn(proof.statement)
    }

    /// Takes a device's say in a namespace away, or gives it back. The node's own ``deviceId`` may be taken, too. Throws
    /// ``DevNodeError``.
    public func setRevoked(_ isRevoked: Bool, device: String, namespace: String) throws {
        try changeGroup(namespace) { record in
            if isRevoked {
                record.revokedDevices.insert(device.lowercased())
            } else {
                record.revokedDevices.remove(device.lowercased())
            }
        }
        announce([], in: namespace)
    }

    // MARK: - Invitations

    /// An invitation to a namespace as JSON text, signed by the node, which also admits whoever uses it.
    ///
    /// - Parameters:
    ///   - namespace: the namespace, 64 hex.
    ///   - role: administrator, member or read-only.
    ///   - admitters: the accounts whose nodes may admit; the node's own unless given.
    ///   - validFor: seconds; nil never expires.
    /// - Throws: ``DevNodeError``.
    public func createInvitation(
        namespace: String, role: DevRole = .member, admitters: [String]? = nil, validFor: TimeInterval? = 86_400
    ) throws -> String {
        let namespace = try ContextRuntime.checkedId(namespace)
        let admitters = try (admitters ?? [accountId]).map(ContextRuntime.checkedId)
        func bytes(_ id: String) -> Data { Data(Hex.decode(id) ?? []) }
        func numbers(_ data: Data) -> JsonTree { .array(data.map { JsonTree($0) }) }
        let expiry = validFor.map { UInt64(max(0, clock.now.timeIntervalSince1970 + $0)) } ?? 0
        let roles: [DevRole: UInt8] = [.admin: 0, .readOnly: 2]
        do {
            let body = try InvitationBody(
                inviterIdentity: bytes(nodeKey), groupId: bytes(namespace), expirationTimestamp: expiry,
                nonce: randomBytes(32), invitedRole: roles[role] ?? 1, admitters: admitters.map(bytes))
            let tree: JsonTree = [
                "invitation": [
                    "inviter_identity": numbers(body.inviterIdentity), "group_id": numbers(body.groupId),
                    "expiration_timestamp": JsonTree(expiry), "secret_salt": numbers(body.nonce),
                    "invited_role": JsonTree(body.invitedRole), "admitters": JsonTree(admitters),
                ],
                "inviter_signature": .string(Hex.encode(try core.identity.keys.sign(body.hash))),
                "inviter_account": .string(accountId),
                "admitter_addrs": [.string("http://127.0.0.1:\(port)")],
            ]
            return tree.text
        } catch {
            throw DevNodeError.invalidId(namespace)
        }
    }

    // MARK: - What it did

    /// The methods that the node ran for accounts, oldest first, at least the last 10,000. A node with a data directory
    /// forgets them when it restarts.
    public var delegatedWrites: [DevDelegatedWrite] { core.relay.log.all }

    /// The highest nonce that a device spent in a context; nil before the first.
    public func highestNonce(ofDeviceKey key: String, context: String) -> UInt64? {
        window(.context, context, key).highest
    }

    /// The highest nonce that a device spent on a group's governance; nil before the first.
    public func highestNonce(ofDeviceKey key: String, group: String) -> UInt64? { window(.group, group, key).highest }

    /// Whether a warrant of a device with this nonce would be refused in a context as spent.
    public func isSpent(_ nonce: UInt64, ofDeviceKey key: String, context: String) -> Bool {
        !window(.context, context, key).accepts(nonce)
    }

    /// Whether a warrant of a device with this nonce would be refused in a group as spent.
    public func isSpent(_ nonce: UInt64, ofDeviceKey key: String, group: String) -> Bool {
        !window(.group, group, key).accepts(nonce)
    }

    /// Spends a nonce as if a warrant with it had come. Throws ``DevNodeError``.
    public func spend(_ nonce: UInt64, ofDeviceKey key: String, context: String) throws {
        try core.relay.ledger.force(nonce, Self.account(.context, context, key))
    }

    private func window(_ scope: NonceLedger.Account.Scope, _ id: String, _ key: String) -> NonceWindow {
        core.relay.ledger.window(Self.account(scope, id, key))
    }

    private static func account(_ scope: NonceLedger.Account.Scope, _ id: String, _ key: String) -> NonceLedger.Account
    {
        NonceLedger.Account(scope: scope, id: id.lowercased(), device: key.lowercased())
    }
}
