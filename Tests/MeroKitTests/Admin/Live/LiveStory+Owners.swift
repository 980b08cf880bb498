import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

extension LiveStory {
    static let owners = [
        LiveStory("owner ops", ownerOps), LiveStory("TEE policies", teePolicies),
        LiveStory("ownership proofs", ownershipProofs), LiveStory("sealing and signing", sealing),
        LiveStory("pairing", pairing), LiveStory("devices", devices), LiveStory("others' devices", othersDevices),
    ]

    static func ownerOps(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let id = try await world.shared()
        let room = try await ada.admin.createGroupInNamespace(id).groupId
        let context = try await world.context(in: room)
        let odd = String(repeating: "00", count: 40)
        func appoint(_ account: String, in group: String, proof: String? = nil, by who: LiveNode = ada) async throws {
            try await who.admin.changeNamespaceAdmin(
                group, request: ChangeNamespaceAdminRequest(newAdmin: account, rootProof: proof))
        }
        await refused(403) { try await appoint(bob.account, in: id, by: bob) }
        await refused(409, "not a member") { try await appoint(unknown, in: id) }
        await refused(404) { try await appoint(bob.account, in: unknown) }
        await refused(400, "root group") { try await appoint(bob.account, in: room) }
        await refused(400, "'newAdmin' must be exactly") { try await appoint("x", in: id) }
        try await appoint(bob.account, in: id)
        #expect(ada.node.members(group: id)?[bob.account] == .admin)
        #expect(try await ada.admin.getGroupInfo(id).ownerOpCounter == 1)

        func give(_ group: String, _ account: String, proof: String? = nil, by who: LiveNode = ada) async throws {
            try await who.admin.transferOwnership(
                group, request: TransferOwnershipRequest(newOwner: account, rootProof: proof))
        }
        await refused(409, "not a direct member") { try await give(room, bob.account) }
        await refused(400, "root proof is invalid") { try await give(room, bob.account, proof: odd) }
        await refused(403, "only the owner") { try await give(id, bob.account, by: bob) }

        func delete(_ group: String, proof: String? = nil, by who: LiveNode = ada) async throws {
            try await who.admin.ownerDeleteGroup(group, request: RootGuardedOpRequest(rootProof: proof))
        }
        await refused(409, "registered contexts") { try await delete(room) }
        await refused(400, "root proof is invalid") { try await delete(room, proof: odd) }
        await refused(403) { try await delete(id, by: bob) }
        #expect(try await ada.admin.deleteContext(context).isDeleted)
        try await delete(room)
        await refused(404) { _ = try await ada.admin.getGroupInfo(room) }
        try await give(id, bob.account)
        await refused(403, "only the owner") { try await give(id, ada.account) }
        // bob owns it now, and could give it back.
        try await give(id, ada.account, by: bob)
    }

    static func teePolicies(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let id = try await world.shared()
        let room = try await ada.admin.createGroupInNamespace(id).groupId
        let zeros = String(repeating: "0", count: 96)
        func measured(_ mrtd: [String], mode: TeeAdmissionMode? = nil) -> SetTeeAdmissionPolicyRequest {
            .measurement(
                allowedMrtd: mrtd, allowedRtmr1: [zeros], allowedRtmr2: [zeros], allowedRtmr3: [zeros],
                allowedTcbStatuses: ["UpToDate"], acceptMock: true, mode: mode)
        }
        func admit(_ request: SetTeeAdmissionPolicyRequest, _ group: String, by who: LiveNode = ada) async throws {
            try await who.admin.setTeeAdmissionPolicy(group, request: request)
        }
        let none = try await ada.admin.getTeeAdmissionPolicy(id)
        #expect(none.enabled == false && none.allowedMrtd.isEmpty && !none.acceptMock && none.mode == .replica)
        try await admit(measured([zeros]), id)
        let held = try await ada.admin.getTeeAdmissionPolicy(id)
        #expect(held.enabled == true && held.allowedMrtd == [zeros] && held.allowedRtmr0.isEmpty && held.acceptMock)
        #expect(held.mode == .replica && held.signedRelease == nil && held.allowedTcbStatuses == ["UpToDate"])
        let release = SignedReleaseTeePolicy(allowedProfiles: ["locked-read-only"], minReleaseVersion: "2.3.72")
        try await admit(.signedRelease(release, allowedTcbStatuses: ["OutOfDate"], mode: .relay), id)
        let signed = try await ada.admin.getTeeAdmissionPolicy(id)
        #expect(signed.signedRelease == release && signed.mode == .relay && signed.allowedMrtd.isEmpty)
        await refused(400, "allowed_mrtd") { try await admit(measured([]), id) }
        await refused(400, "signed_release.allowed_profiles") {
            try await admit(.signedRelease(SignedReleaseTeePolicy(allowedProfiles: [" "]), allowedTcbStatuses: []), id)
        }
        await refused(400, "subgroup") { try await admit(measured([zeros]), room) }
        await refused(404) { try await admit(measured([zeros]), unknown) }
        await refused(403) { try await admit(measured([zeros]), id, by: bob) }
        // A proof that was used once.
        var proven = measured([zeros])
        proven.rootProof = try ada.root.authorize(
            .teeAdmissionPolicy(
                OwnerOp.TeeAdmission(
                    allowedMrtd: [zeros], allowedRtmr0: [], allowedRtmr1: [zeros], allowedRtmr2: [zeros],
                    allowedRtmr3: [zeros], allowedTcbStatuses: ["UpToDate"], acceptMock: true, mode: .replica)),
            namespaceId: id, groupId: id, counter: try await ada.admin.getGroupInfo(id).ownerOpCounter ?? 0)
        try await admit(proven, id)
        await refused(409, "stale owner-op counter") { try await admit(proven, id) }

        func author(_ mrtd: [String], _ group: String, by who: LiveNode = ada) async throws {
            try await who.admin.setTeeAuthoringPolicy(group, request: SetTeeAuthoringPolicyRequest(allowedMrtd: mrtd))
        }
        let counter = try await ada.admin.getGroupInfo(id).ownerOpCounter ?? 0
        try await author([zeros], id)
        await refused(400, "subgroup") { try await author([zeros], room) }
        await refused(403) { try await author([zeros], id, by: bob) }
        await refused(400, "subgroup") { try await ada.admin.disableTeeAuthoringPolicy(room) }
        await refused(403) { try await bob.admin.disableTeeAuthoringPolicy(id) }
        try await ada.admin.disableTeeAuthoringPolicy(id)
        #expect(try await ada.admin.getGroupInfo(id).ownerOpCounter == counter + 2)
    }

    static func ownershipProofs(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let id = try await world.shared()
        let context = try await world.context(in: id)
        let expiry = UInt64(Date().timeIntervalSince1970 * 1000) + 60_000
        let nonce = String(repeating: "ab", count: 16)
        func ask(
            _ group: String, _ context: String, by who: LiveNode = ada, nonce: String = nonce
        ) async throws -> IssueOwnershipProofResponseData {
            try await who.admin.issueOwnershipProof(
                group,
                request: IssueOwnershipProofRequest(
                    audience: "shop", contextId: context, subject: "s-1", nonce: nonce, expiresAtMs: expiry))
        }
        func claim(_ proof: IssueOwnershipProofResponseData) throws -> JSONValue {
            let payload = try #require(Data(base64Encoded: proof.signedPayload))
            let signature = try #require(Data(base64Encoded: proof.signature))
            let message = Data("calimero.ownership-claim.v1".utf8) + [0] + payload
            let key = try Hex.decode(proof.signerPublicKey, label: "key", bytes: 32)
            #expect(Ed25519.verify(publicKey: key, signature: signature, message: message))
            return try JSONValue(jsonBytes: payload)
        }
        let one = try await ask(id, context)
        #expect(one.signerPublicKey == ada.node.nodeKey && one.founding == nil)
        let claimed = try claim(one)
        #expect(claimed["context_id"]?.stringValue == context && claimed["nonce"]?.stringValue == nonce)
        #expect(claimed["expires_at_ms"]?.doubleValue == Double(expiry))
        func askAll(_ group: String, by who: LiveNode = ada, subject: String = "s-1") async throws
            -> IssueOwnershipProofResponseData
        {
            try await who.admin.issueNamespaceOwnershipProof(
                group,
                request: IssueNamespaceOwnershipProofRequest(
                    audience: "shop", subject: subject, nonce: nonce, expiresAtMs: expiry))
        }
        let whole = try await askAll(id)
        #expect(try claim(whole)["context_id"]?.stringValue == "")
        #expect(whole.founding?.founderAccountId == ada.account)
        #expect(try DeviceCertificates.verify(whole.credential ?? "").signPublicKey == ada.node.nodeKey)
        await refused(400, "even length") { _ = try await ask(id, context, nonce: "abc") }
        await refused(403, "not a direct admin") { _ = try await ask(id, context, by: bob) }
        await refused(404) { _ = try await ask(id, LiveWorld.unknown) }
        await refused(400, "control characters") { _ = try await askAll(id, subject: "a\u{1}") }
        await refused(403) { _ = try await askAll(id, by: bob) }
        await refused(404) { _ = try await askAll(LiveWorld.unknown) }
    }

    static func sealing(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let id = try await world.shared()
        let sealed = try await ada.admin.sealToAccount(
            id, account: bob.account, request: SealToAccountRequest(plaintext: "00ff"))
        #expect(sealed.accountRootEpoch == 0 && Hex.is32(sealed.ephemeralPublicKey))
        #expect(sealed.nonce.count == 24 && sealed.ciphertext.count == 2 * (2 + 16))
        func seal(_ group: String, _ account: String, _ text: String = "00", by who: LiveNode = ada) async throws {
            _ = try await who.admin.sealToAccount(
                group, account: account, request: SealToAccountRequest(plaintext: text))
        }
        await refused(400, "'plaintext' is required") { try await seal(id, bob.account, "") }
        await refused(400, "even length") { try await seal(id, bob.account, "0") }
        await refused(404) { try await seal(id, LiveWorld.unknown) }
        let room = try await ada.admin.createGroupInNamespace(id).groupId
        await refused(403) { try await seal(room, ada.account, by: bob) }

        let request = AccountSignWithRootRequest(domain: AccountSignWithRootRequest.loginDomain, text: "challenge")
        let signed = try await ada.admin.signWithAccountRoot(request)
        #expect(signed.accountId == ada.account && Data(base64Encoded: signed.signature)?.count == 64)
        #expect(try await signed.rootPublicKey == ada.admin.getNodeIdentity().accountRootPublicKey)
        await refused(400, "unknown signing domain") {
            _ = try await ada.admin.signWithAccountRoot(AccountSignWithRootRequest(domain: "mine", payload: "00"))
        }
    }

    /// What a new node shows of itself.
    private static func begin(_ world: LiveWorld) async throws -> PairDeviceInitResponseData {
        let root = try await world.ada.admin.getNodeIdentity()
        return try await world.bob.admin.accountPairInit(
            AccountPairInitRequest(
                accountRootPublicKey: root.accountRootPublicKey, accountNamespace: root.accountNamespaceId))
    }

    private static func complete(
        _ begun: PairDeviceInitResponseData, code: String? = nil, applications: [String] = []
    ) -> AccountPairCompleteRequest {
        AccountPairCompleteRequest(
            deviceId: begun.deviceId, kemPublicKey: begun.kemPublicKey, signPublicKey: begun.signPublicKey,
            statement: begun.statement, confirmationCode: code ?? begun.confirmationCode, applications: applications)
    }

    static func pairing(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let id = try await world.namespace()
        await refused(400, "'namespaces' is required") {
            _ = try await bob.admin.accountPairInit(AccountPairInitRequest(accountRootPublicKey: LiveWorld.unknown))
        }
        let begun = try await begin(world)
        #expect(begun.accountId == ada.account && begun.statement.count == 144)
        await refused(400, "confirmation code") {
            _ = try await ada.admin.accountPairComplete(complete(begun, code: "0000-0000-0000-0000"))
        }
        await refused(403, "root") { _ = try await bob.admin.accountPairComplete(complete(begun)) }
        let done = try await ada.admin.accountPairComplete(complete(begun))
        #expect(done.accountId == ada.account && done.deviceId == begun.deviceId && done.keyDelivered)
        #expect(done.confirmationCode == begun.confirmationCode)
        #expect(try DeviceCertificates.verify(done.credential).device == begun.deviceId)
        let identity = try await bob.admin.getNodeIdentity()
        #expect(identity.accountId == ada.account && identity.deviceCertified && !identity.holdsAccountRoot)
        #expect(try await bob.admin.listNamespaces().map(\.namespaceId) == [id])
        await refused(403, "root") {
            _ = try await bob.admin.signWithAccountRoot(
                AccountSignWithRootRequest(domain: AccountSignWithRootRequest.linkDomain, payload: ""))
        }
        await refused(403) { _ = try await bob.admin.relinkDevice(begun.deviceId) }
        await refused(403) {
            _ = try await bob.admin.rescopeDevice(begun.deviceId, request: RescopeDeviceRequest(scope: .all))
        }
        await refused(403, "label only itself") {
            _ = try await bob.admin.labelDevice(ada.node.deviceId, request: LabelDeviceRequest(label: "x"))
        }
    }

    static func devices(_ world: LiveWorld) async throws {
        let (ada, bob) = (world.ada, world.bob)
        let unknown = LiveWorld.unknown
        let id = try await world.namespace()
        let begun = try await begin(world)
        _ = try await ada.admin.accountPairComplete(complete(begun))
        let device = begun.deviceId
        let listed = try await ada.admin.listAccountDevices()
        #expect(Set(listed.map(\.deviceId)) == [ada.node.deviceId, device])
        #expect(listed.first { $0.deviceId == device }?.namespaces == [id])
        #expect(listed.first { $0.isSelf }?.deviceId == ada.node.deviceId)
        #expect(try await ada.admin.listAccountApplications().map(\.applicationId) == [LiveWorld.application])
        let relinked = try await ada.admin.relinkDevice(device)
        #expect(relinked.skipped.map(\.reason) == ["alreadyBound"] && relinked.linkedIn.isEmpty)
        func scope(_ scope: DeviceScope, _ device: String) async throws -> RescopeDeviceResponseData {
            try await ada.admin.rescopeDevice(device, request: RescopeDeviceRequest(scope: scope))
        }
        let all = try await scope(.only([LiveWorld.application]), device)
        #expect(all.applications == [LiveWorld.application] && all.descoped.isEmpty)
        #expect(try await scope(.all, device).applications.isEmpty)
        await refused(400, "empty") { _ = try await scope(.only([]), device) }
        await refused(400, "unknown application") { _ = try await scope(.only([unknown]), device) }
        await refused(403) { _ = try await scope(.all, ada.node.deviceId) }
        await refused(404) { _ = try await scope(.all, unknown) }
        await refused(404) { _ = try await ada.admin.relinkDevice(unknown) }
        await refused(400) { _ = try await ada.admin.relinkDevice("x") }
        func label(_ text: String, _ device: String) async throws -> LabelDeviceResponseData {
            try await ada.admin.labelDevice(device, request: LabelDeviceRequest(label: text))
        }
        let named = try await label("  laptop ", device)
        #expect(named.label == "laptop" && named.labelEpoch == 1)
        await refused(429, "too recently") { _ = try await label("desk", device) }
        await refused(409, "not available") { _ = try await label("laptop", ada.node.deviceId) }
        await refused(400, "'label'") { _ = try await label(" ", device) }
        await refused(404) { _ = try await label("x", unknown) }
        #expect(try await ada.admin.listAccountDevices().contains { $0.label == "laptop" })

        func revoke(_ device: String, in namespace: String, by who: LiveNode = ada, proof: String? = nil) async throws
            -> RevokeDeviceResponseData
        {
            try await who.admin.revokeDevice(namespace, request: RevokeDeviceRequest(deviceId: device, proof: proof))
        }
        await refused(403, "does not revoke itself") { _ = try await revoke(ada.node.deviceId, in: id) }
        await refused(400, "revocation proof") { _ = try await revoke(device, in: id, proof: "00") }
        await refused(404) { _ = try await revoke(unknown, in: id) }
        let gone = try await revoke(device, in: id)
        #expect(gone.accountId == ada.account && gone.keyRotated && gone.revokedIn.map(\.namespaceId) == [id])
        #expect(try await ada.admin.listAccountDevices().first { $0.deviceId == device }?.revoked == true)
        try await eventuallyTrue { try await bob.admin.getNodeIdentity().revokedFrom?.deviceId == device }
    }

    static func othersDevices(_ world: LiveWorld) async throws {
        let admin = world.ada.admin
        let id = try await world.namespace()
        let cleo = try DevAccount()
        let scope = try cleo.root.scope(device: cleo.deviceId, applications: [])
        func link(_ credential: String) async throws -> LinkAccountDeviceResponseData {
            try await admin.linkAccountDevice(
                id, request: LinkAccountDeviceRequest(credential: credential, scope: scope))
        }
        await refused(403, "device link refused") { _ = try await link(cleo.credential) }
        try await world.add(cleo, to: id)
        await refused(400, "credential is not hex") { _ = try await link("zz") }
        await refused(400, "not a device credential") { _ = try await link("00") }
        let linked = try await link(cleo.credential)
        #expect(linked.accountId == cleo.accountId && linked.deviceId == cleo.deviceId && !linked.alreadyBound)
        #expect(try await link(cleo.credential).alreadyBound)
        #expect(
            try await admin.listMemberDevices(id).first { $0.account == cleo.accountId }?.devices.map(\.deviceId)
                == [cleo.deviceId])
    }
}
