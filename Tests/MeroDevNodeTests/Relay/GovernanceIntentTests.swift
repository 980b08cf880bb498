import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct GovernanceIntentTests {
    static let other = String(repeating: "9", count: 64)
    static let bob = String(repeating: "b0", count: 32)

    @Test func membersComeChangeAndGo() async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let node = relay.node
            let tap = try await relay.fixture.listen(
                groups: [relay.namespace], token: node.mintTokens().accessToken)
            let described = try await relay.fixture.call(
                "GET", "/admin-api/groups/\(relay.namespace)/governance-intents")
            #expect(
                described.data == [
                    "executorAccount": .string(node.accountId), "executorKey": .string(node.nodeKey),
                    "groupId": .string(relay.namespace), "canActOnBehalf": true,
                ])
            let added = try await relay.govern(
                try GovernanceOps.memberAdded(member: Self.bob, role: "Member"), nonce: 1)
            #expect(added.status == 200, "\(added.text)")
            #expect(added.data == ["groupId": .string(relay.namespace)])
            #expect(node.members(group: relay.namespace)?[Self.bob] == .member)
            #expect(node.capabilities(of: Self.bob, group: relay.namespace) == 4)
            let ops: [(UInt64, Warrants.GovernanceOp)] = [
                (2, try GovernanceOps.memberRoleSet(member: Self.bob, role: "ReadOnly")),
                (3, try GovernanceOps.memberCapabilitySet(member: Self.bob, capabilities: 231)),
                (4, try GovernanceOps.defaultCapabilitiesSet(capabilities: 7)),
                (5, try GovernanceOps.groupMetadataSet(name: "room", data: ["b": "2", "a": "1"])),
                (6, try GovernanceOps.memberMetadataSet(member: Self.bob, name: "Bob")),
                (7, try GovernanceOps.contextMetadataSet(contextId: relay.context, name: "lobby")),
                (
                    8,
                    try GovernanceOps.contextCapabilityGranted(
                        contextId: relay.context, member: Self.bob, capability: 3)
                ),
                (
                    9,
                    try GovernanceOps.contextCapabilityRevoked(
                        contextId: relay.context, member: Self.bob, capability: 1)
                ),
            ]
            for (nonce, op) in ops {
                let answer = try await relay.govern(op, nonce: nonce)
                #expect(answer.status == 200, "\(nonce): \(answer.text)")
            }
            #expect(node.members(group: relay.namespace)?[Self.bob] == .readOnly)
            #expect(node.capabilities(of: Self.bob, group: relay.namespace) == 231)
            let record = try #require(node.core.groups.read { $0[relay.namespace] })
            #expect(record.defaultCapabilities == 7 && node.name(ofGroup: relay.namespace) == "room")
            #expect(record.metadata?.data.map(\.key) == ["a", "b"])
            #expect(record.members[Self.bob]?.metadata?.name == "Bob")
            #expect(record.contextMetadata[relay.context]?.name == "lobby")
            #expect(record.contextCapabilities[relay.context] == [Self.bob: 2])
            #expect(try await relay.govern(try GovernanceOps.memberRemoved(member: Self.bob), nonce: 10).status == 200)
            #expect(
                try await relay.govern(try GovernanceOps.contextDetached(contextId: relay.context), nonce: 11).status
                    == 200)
            #expect(node.contexts(ofGroup: relay.namespace) == [])
            #expect(node.members(group: relay.namespace)?[Self.bob] == nil)
            #expect(await tap.has(frames: 3))
            #expect(tap.types == ["MemberAdded", "MemberRemoved"])
            #expect(relay.governanceMark() == 11)
            #expect(relay.mark() == nil)
        }
    }

    @Test func theTreeOfGroups() async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let node = relay.node
            let (open, openOp) = try GovernanceOps.subgroupCreation(
                admin: relay.ada.accountId, parentId: relay.namespace, restricted: false)
            let (closed, closedOp) = try GovernanceOps.subgroupCreation(
                admin: relay.ada.accountId, parentId: open, restricted: true)
            #expect(try await relay.govern(openOp, nonce: 1).data == ["groupId": .string(open)])
            #expect(try await relay.govern(closedOp, nonce: 2).data == ["groupId": .string(closed)])
            let again = try await relay.govern(openOp, nonce: 3)
            #expect(again.status == 409)
            #expect(again.error == "group \(open) already exists; pick a fresh random id for the new subgroup")
            #expect(relay.governanceMark() == 2)
            #expect(node.subgroups(of: open) == [closed] && node.members(group: open)?[relay.ada.accountId] == .admin)

            func reparent(_ child: String, _ parent: String) async throws -> Int {
                try await relay.govern(
                    try GovernanceOps.groupReparented(childGroupId: child, newParentId: parent), nonce: 3
                ).status
            }
            #expect(try await reparent(open, open) == 400)
            #expect(try await reparent(open, closed) == 409)
            #expect(try await reparent(open, Self.other) == 404)
            #expect(try await reparent(relay.namespace, open) == 400)
            #expect(try await reparent(closed, try node.createNamespace()) == 400)
            #expect(try await reparent(closed, relay.namespace) == 200)
            #expect(Set(node.subgroups(of: relay.namespace)) == [open, closed])

            // A group op goes to its own group.
            let flip = try GovernanceOps.subgroupVisibilitySet(mode: "restricted")
            #expect(try await relay.govern(flip, scope: open, nonce: 1).status == 200)
            #expect(try await relay.govern(flip, nonce: 4).status == 400)
            let context = try node.createContext(KeyValueContract(), inGroup: open)
            let gone = try await relay.govern(try GovernanceOps.groupDeleted(rootGroupId: open), nonce: 5)
            #expect(gone.data == ["groupId": .string(open)])
            #expect(node.members(group: open) == nil && node.core.groups.group(ofContext: context) == nil)
            #expect(
                try await relay.govern(try GovernanceOps.groupDeleted(rootGroupId: relay.namespace), nonce: 6).status
                    == 400)
            // A root op goes to the namespace.
            let (_, strayOp) = try GovernanceOps.subgroupCreation(
                admin: relay.ada.accountId, parentId: closed, restricted: true)
            #expect(try await relay.govern(strayOp, scope: closed, nonce: 2).status == 400)
        }
    }

    @Test func openGroupsAreJoinedAndLeft() async throws {
        try await withRelay { relay async throws in
            let node = relay.node
            let open = try node.createGroup(parent: relay.namespace, isOpen: true)
            let closed = try node.createGroup(parent: relay.namespace)
            func join(_ group: String, nonce: UInt64) async throws -> Answer {
                try await relay.govern(
                    try GovernanceOps.memberJoinedOpen(
                        member: relay.ada.accountId, groupId: group, credential: relay.ada.credential), nonce: nonce)
            }
            #expect(try await join(open, nonce: 1).status == 200)
            #expect(node.members(group: open)?[relay.ada.accountId] == .member)
            let again = try await join(open, nonce: 2)
            #expect(again.status == 409 && again.error == "signer \(relay.ada.accountId) is a direct member")
            #expect(try await join(closed, nonce: 2).status == 403)
            #expect(try await join(Self.other, nonce: 2).status == 404)
            let eve = try DevAccount()
            let other = try await relay.govern(
                try GovernanceOps.memberJoinedOpen(
                    member: eve.accountId, groupId: open, credential: eve.credential), nonce: 2)
            #expect(other.status == 403)

            let leave = try GovernanceOps.memberLeft(member: relay.ada.accountId)
            let forced = try await relay.govern(
                try GovernanceOps.memberLeft(member: node.accountId), scope: open, nonce: 1)
            #expect(forced.status == 403)
            #expect(try await relay.govern(leave, scope: open, nonce: 1).status == 200)
            // What is inherited cannot be left.
            #expect(try await relay.govern(leave, scope: open, nonce: 2).status == 409)
            try node.addMember(relay.ada.accountId, group: closed)
            #expect(try await relay.govern(leave, nonce: 3).status == 200)
            #expect(node.members(group: closed)?[relay.ada.accountId] == nil)
            #expect(node.members(group: relay.namespace)?[relay.ada.accountId] == nil)
        }
    }

    @Test func anAccountFoundsANamespace() async throws {
        try await withRelay { relay async throws in
            let node = relay.node
            let salt = String(repeating: "22", count: 32)
            let id = try GovernanceOps.foundedNamespaceId(founder: relay.ada.accountId, salt: salt)
            let op = try GovernanceOps.namespaceCreated(
                founder: relay.ada.accountId, credential: relay.ada.credential, salt: salt)
            let founded = try await relay.govern(op, scope: id, nonce: 1)
            #expect(founded.status == 200, "\(founded.text)")
            #expect(founded.data == ["groupId": .string(id), "teeEnabled": true])
            #expect(node.members(group: id) == [relay.ada.accountId: .admin, node.accountId: .relayTee])
            let again = try await relay.govern(op, scope: id, nonce: 2)
            #expect(again.status == 409)
            #expect(relay.governanceMark(id) == 1)

            let application = try GovernanceOps.targetApplicationSet(
                applicationId: DevNode.applicationId(of: KeyValueContract()), package: "kv-store", version: "1.0.0")
            let missing = try GovernanceOps.targetApplicationSet(
                applicationId: DevNode.applicationId(of: KeyValueContract()), package: "kv-store", version: "7.0.0")
            let unresolved = try await relay.govern(missing, scope: id, nonce: 2)
            #expect(unresolved.status == 502)
            #expect(unresolved.error == "this relay could not resolve kv-store@7.0.0 from its registry")
            #expect(try await relay.govern(application, scope: id, nonce: 2).status == 200)
            #expect(
                node.releaseBytecodeId(group: id) == ReleaseCatalog.bytecodeId(package: "kv-store", version: "1.0.0"))
            let second = try await relay.govern(application, scope: id, nonce: 3)
            #expect(second.status == 403)
            let mask = try GovernanceOps.defaultCapabilitiesSet(capabilities: 231)
            #expect(try await relay.govern(mask, scope: id, nonce: 3).status == 200)
            let founding = try await relay.fixture.call("GET", "/admin-api/namespaces/\(id)", token: relay.session())
            #expect(
                founding.data?["founding"] == [
                    "founderAccountId": .string(relay.ada.accountId), "salt": .string(salt),
                ])
            // The founder stays.
            #expect(
                try await relay.govern(
                    try GovernanceOps.memberLeft(member: relay.ada.accountId), scope: id, nonce: 4
                ).status == 403)
        }
    }

    @Test func aFoundingMayStayWithoutARelay() async throws {
        try await withRelay(.relay { $0.relay.foundingTeeError = "no attestation" }) { relay async throws in
            let salt = String(repeating: "23", count: 32)
            let id = try GovernanceOps.foundedNamespaceId(founder: relay.ada.accountId, salt: salt)
            let op = try GovernanceOps.namespaceCreated(
                founder: relay.ada.accountId, credential: relay.ada.credential, salt: salt)
            #expect(
                try await relay.govern(op, scope: id, nonce: 1).data == [
                    "groupId": .string(id), "teeEnabled": false, "teeError": "no attestation",
                ])
            #expect(relay.node.members(group: id) == [relay.ada.accountId: .admin])
            let described = try await relay.fixture.call("GET", "/admin-api/groups/\(id)/governance-intents")
            #expect(described.data?["canActOnBehalf"] == false)
            let mask = try GovernanceOps.defaultCapabilitiesSet(capabilities: 231)
            let refused = try await relay.govern(mask, scope: id, nonce: 2)
            #expect(refused.status == 403)
            #expect(refused.error?.hasPrefix("the executor may not act for members in this group: ") == true)
        }
    }

    @Test func onlyOnesOwnNamespaceIsFounded() async throws {
        try await withRelay { relay async throws in
            let salt = String(repeating: "24", count: 32)
            let id = try GovernanceOps.foundedNamespaceId(founder: relay.ada.accountId, salt: salt)
            let eve = try DevAccount()
            let text = "this namespace id is not one the warrant's author founds"
            let foreign = try GovernanceOps.namespaceCreated(
                founder: eve.accountId, credential: eve.credential, salt: salt)
            let wrongId = try GovernanceOps.namespaceCreated(
                founder: relay.ada.accountId, credential: relay.ada.credential, salt: Self.other)
            for op in [foreign, wrongId] {
                let answer = try await relay.govern(op, scope: id, nonce: 1)
                #expect(answer.status == 403 && answer.error == text)
            }
            let other = try GovernanceOps.namespaceCreated(
                founder: relay.ada.accountId, credential: eve.credential, salt: salt)
            #expect(try await relay.govern(other, scope: id, nonce: 1).status == 400)
            #expect(relay.node.members(group: id) == nil && relay.governanceMark(id) == nil)
        }
    }

    @Test(arguments: [
        ("scope", 403, "this governance warrant is for a different group than the one it was presented in"),
        ("op", 403, "this governance warrant does not cover the op presented with it"),
        ("expired", 403, "this governance warrant expired at "),
        ("executor", 403, "this governance warrant names an executor other than this node's account"),
        ("executorKey", 403, "this governance warrant names an executor key other than this node's"),
        ("author", 400, "governance delegation does not verify: the credential is another account's"),
        ("floor", 403, "this relay has not reached the governance floor that the warrant cites"),
    ])
    func whatIsSignedHasToFit(field: String, status: Int, text: String) async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let op = try GovernanceOps.memberAdded(member: Self.bob, role: "Member")
            let answer = try await relay.govern(op, nonce: 1) { input in
                switch field {
                case "scope": input.scope = Self.other
                case "op": input.op = Warrants.GovernanceOp(kind: .group, bytes: Data([6, 1, 0, 0, 0]))
                case "expired": input.notAfter = relay.now - 1
                case "executor": input.executor = Self.other
                case "executorKey": input.executorKey = Self.other
                case "author": input.authorAccount = Self.other
                default: input.governanceFloor = [Self.other]
                }
            }
            #expect(answer.status == status)
            #expect(answer.error?.hasPrefix(text) == true, "\(answer.text)")
            #expect(answer.error?.lowercased().contains("nonce") == false)
            #expect(relay.node.members(group: relay.namespace)?[Self.bob] == nil)
            #expect(relay.governanceMark() == nil)
            let hash = relay.node.core.groups.read { $0.stateHash(of: relay.namespace) }
            #expect(try await relay.govern(op, nonce: 1) { $0.governanceFloor = [hash] }.status == 200)
        }
    }

    @Test func everyByteCounts() async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let op = try GovernanceOps.memberAdded(member: Self.bob, role: "Member")
            let warrant = try relay.governanceWarrant(op, nonce: 1)
            func post(_ warrant: String, _ op: String, _ proof: String) async throws -> Answer {
                try await relay.fixture.post(
                    "/admin-api/groups/\(relay.namespace)/governance-intents",
                    ["warrant": .string(warrant), "authorProof": .string(proof), "op": .string(op)])
            }
            let opText = Hex.encode(op.bytes)
            for index in 0..<(warrant.count / 2) {
                let answer = try await post(flipped(warrant, at: index), opText, relay.ada.credential)
                #expect(answer.status == 400 || answer.status == 403, "byte \(index): \(answer.text)")
            }
            for index in 0..<237 {
                let answer = try await post(warrant, opText, flipped(relay.ada.credential, at: index))
                #expect(answer.status == 400, "byte \(index): \(answer.text)")
            }
            for index in op.bytes.indices {
                let answer = try await post(warrant, flipped(opText, at: index, by: 0x80), relay.ada.credential)
                #expect(answer.status == 400 || answer.status == 403, "byte \(index): \(answer.text)")
            }
            #expect(relay.node.members(group: relay.namespace)?.count == 2)
            #expect(relay.governanceMark() == nil)
            #expect(try await post(warrant, opText, relay.ada.credential).status == 200)
            let again = try await post(warrant, opText, relay.ada.credential)
            #expect(again.status == 403 && again.json == ["error": "this governance warrant has already been spent"])
        }
    }

    @Test(arguments: [
        ("00", 403, "the Noop op cannot be published on a member's behalf"),
        ("0e", 403, "the GroupDelete op cannot be published on a member's behalf"),
        ("15" + other, 403, "the TransferOwnership op cannot be published on a member's behalf"),
        ("ff", 400, "op is not a valid group op: "), ("", 400, "op is not a valid group op: "),
        ("06010000", 400, "op is not a valid group op: "), ("060100000000", 400, "op is not a valid group op: "),
        ("0a02", 400, "op is not a valid group op: "),
        ("01" + bob + "05", 400, "op is not a valid group op: "),
        ("01" + bob + "04", 400, "TEE roles (ReadOnlyTee, RelayTee) can only be assigned via TEE attestation"),
        // Not in the form that may be delegated: a key only a node can make is there, members of a map out of order.
        ("02" + bob + other + "00000000", 403, "this governance warrant does not cover the op presented with it"),
        (
            "0b000200000001000000" + "62" + "00000000" + "01000000" + "61" + "00000000", 403,
            "this governance warrant does not cover the op presented with it"
        ),
        ("0600020000", 403, "CAN_AUTHOR_ON_BEHALF cannot be granted or withdrawn on a member's behalf"),
        ("zz", 400, "op is not hex: "),
    ])
    func opsThatCannotBeDelegated(op: String, status: Int, text: String) async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let bytes = Data(Hex.decode(op) ?? [])
            let warrant = try relay.governanceWarrant(.init(kind: .group, bytes: bytes), nonce: 1)
            let answer = try await relay.fixture.post(
                "/admin-api/groups/\(relay.namespace)/governance-intents",
                ["warrant": .string(warrant), "authorProof": .string(relay.ada.credential), "op": .string(op)])
            #expect(answer.status == status)
            #expect(answer.error?.hasPrefix(text) == true, "\(answer.text)")
            #expect(relay.governanceMark() == nil)
        }
    }

    @Test(arguments: [("03" + other, 403), ("08", 403), ("0c", 403), ("0b", 400), ("00", 400)])
    func rootOpsThatCannotBeDelegated(op: String, status: Int) async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let bytes = Data(Hex.decode(op) ?? [])
            let answer = try await relay.govern(.init(kind: .root, bytes: bytes), nonce: 1)
            #expect(answer.status == status)
            if status == 403 {
                #expect(answer.error == "this root op cannot be published on a member's behalf")
            } else {
                #expect(answer.error?.hasPrefix("op is not a valid root op: ") == true)
            }
        }
    }
}
