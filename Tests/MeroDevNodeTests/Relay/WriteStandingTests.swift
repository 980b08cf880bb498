import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Who may act, and for whom.
@Suite struct WriteStandingTests {
    private static let replica =
        "this node is a TEE replica (ReadOnlyTee) and does not relay writes; the namespace must admit relays with "
        + "mode=relay"
    private static let readOnly =
        "this node's role in this context is read-only (ReadOnly), so it does not relay writes"

    private func refused(_ relay: RelayFixture, _ status: Int, _ text: String) async throws {
        let answer = try await relay.write()
        #expect(answer.status == status)
        #expect(answer.json == ["error": .string(text)])
        relay.expectUntouched("\(text)")
        // Clients take this word for a spent one.
        if status == 403 { #expect(!text.lowercased().contains("nonce")) }
    }

    private func canAuthor(_ relay: RelayFixture) async throws -> JsonTree? {
        try await relay.fixture.call("GET", relay.path).data?["canAuthorOnBehalf"]
    }

    @Test(arguments: [(DevRole.readOnlyTee, replica), (.readOnly, readOnly)])
    func aRelayNeedsARole(role: DevRole, text: String) async throws {
        try await withRelay { relay async throws in
            relay.node.setRole(role, context: relay.context)
            try await refused(relay, 403, text)
            #expect(try await canAuthor(relay) == false)
            relay.node.setRole(.member, context: relay.context)
            try relay.node.addMember(relay.node.accountId, role: role, group: relay.namespace)
            try await refused(relay, 403, text)
            #expect(try await canAuthor(relay) == false)
            try relay.node.addMember(relay.node.accountId, role: .admin, group: relay.namespace)
            #expect(try await relay.write().status == 200)
        }
    }

    @Test func aRelayNeedsAGrantOrTheRoleOfOne() async throws {
        try await withRelay { relay async throws in
            try relay.node.setAuthorship(false, group: relay.namespace)
            #expect(try await canAuthor(relay) == false)
            let described = try await relay.fixture.call("GET", relay.path)
            #expect(described.data?["grantedOnGroupId"] == nil)
            try await refused(
                relay, 403,
                "this node holds no authorship grant on the group owning this context, so it cannot act for a member "
                    + "here — an admin must grant CAN_AUTHOR_ON_BEHALF to \(relay.node.accountId)")
            try relay.node.addMember(relay.node.accountId, role: .relayTee, group: relay.namespace)
            #expect(try await canAuthor(relay) == true)
            #expect(try await relay.write().status == 200)
        }
    }

    @Test func aGrantReachesOpenSubgroupsOnly() async throws {
        try await withRelay { relay async throws in
            for isOpen in [true, false] {
                let group = try relay.node.createGroup(parent: relay.namespace, isOpen: isOpen)
                let context = try relay.node.createContext(KeyValueContract(), inGroup: group)
                let data = try await relay.fixture.call("GET", "/admin-api/contexts/\(context)/intents").data
                #expect(data?["canAuthorOnBehalf"] == .bool(isOpen))
                #expect(data?["grantedOnGroupId"] == (isOpen ? .string(relay.namespace) : nil))
                #expect(data?["groupId"] == .string(group))
            }
        }
    }

    @Test func devicesAreRevoked() async throws {
        try await withRelay { relay async throws in
            let node = relay.node
            try node.setRevoked(true, device: relay.ada.deviceId, namespace: relay.namespace)
            try await refused(relay, 403, "the author's device has been revoked in this group")
            try node.setRevoked(false, device: relay.ada.deviceId, namespace: relay.namespace)
            try node.setRevoked(true, device: node.deviceId, namespace: relay.namespace)
            try await refused(relay, 403, "the executor's device has been revoked in this group")
            try node.setRevoked(false, device: node.deviceId, namespace: relay.namespace)
            #expect(try await relay.write().status == 200)
        }
    }

    @Test func anAuthorIsAMemberWhoMayWrite() async throws {
        try await withRelay { relay async throws in
            try relay.node.removeMember(relay.ada.accountId, group: relay.namespace)
            try await refused(relay, 403, "the author's account is not a member of the group owning this context")
            try relay.node.addMember(relay.ada.accountId, role: .readOnly, group: relay.namespace)
            try await refused(relay, 403, "the author's role in this context is read-only")
            try relay.node.addMember(relay.ada.accountId, role: .member, group: relay.namespace)
            #expect(try await relay.write().status == 200)
        }
    }

    @Test(arguments: [
        (DevContextCondition.uninitialized, 503, "this node is still catching up with this context"),
        (.groupKeyPending, 503, "this node is still catching up with this context"),
        (.applicationNotInstalled, 503, "this node is still catching up with this context"),
        (.upgradeInProgress(), 409, "upgrade in progress"), (.internalErrorBare, 500, "Internal server error"),
        (.noOwnedIdentity, 500, "Internal server error"), (.readOnlyWrites, 403, readOnly),
        (.notMember, 403, "the author's account is not a member of the group owning this context"),
        (.membershipCheckFailed, 503, "the author's authority cannot be decided yet"),
    ])
    func aContextMaySuffer(condition: DevContextCondition, status: Int, text: String) async throws {
        try await withRelay { relay async throws in
            relay.node.setCondition(condition, context: relay.context)
            try await refused(relay, status, text)
            relay.node.setCondition(nil, context: relay.context)
            #expect(try await relay.write().status == 200)
        }
    }

    @Test func contextsThatCannotBeWrittenTo() async throws {
        try await withRelay { relay async throws in
            let node = relay.node
            let alone = try node.createContext(KeyValueContract())
            let unnamed = try node.createContext(
                KeyValueContract(), inGroup: try node.createNamespace(founder: relay.ada.accountId))
            let foreign = try node.createNamespace(founder: relay.ada.accountId)
            let hidden = try node.createContext(KeyValueContract(), inGroup: foreign)
            try node.removeMember(node.accountId, group: foreign)
            try node.removeRelease(group: try #require(node.core.groups.group(ofContext: unnamed)))
            let missing = String(repeating: "5", count: 64)
            let noGroup = "this context belongs to no group, so a delegated write has no group to be authorized in"
            let cases: [(String, Int, String, Int, String)] = [
                (alone, 404, noGroup, 500, "Internal server error"), (missing, 404, noGroup, 404, "context not found"),
                (
                    hidden, 404, "this node holds no identity in this context, so it can spend no warrant here", 500,
                    "Internal server error"
                ), (unnamed, 404, "names no release", 403, "pins another release"),
                ("zz", 400, "context id 'zz' is not valid: ", 500, "Internal server error"),
            ]
            for (id, status, text, postStatus, postText) in cases {
                let path = "/admin-api/contexts/\(id)/intents"
                let described = try await relay.fixture.call("GET", path)
                #expect(described.status == status, "\(text)")
                #expect(described.error?.contains(text) == true, "\(described.text)")
                let warrant = try relay.warrant { input in
                    if id != "zz" { input.context = id }
                    input.executorKey = node.executor(inContext: id) ?? input.executorKey
                }
                let answer = try await relay.fixture.post(path, relay.body(warrant: warrant))
                #expect(answer.status == postStatus, "\(text): \(answer.text)")
                #expect(answer.error?.contains(postText) == true, "\(answer.text)")
            }
            #expect(node.delegatedWrites.isEmpty)
        }
    }

    @Test func anotherReleaseRuns() async throws {
        try await withRelay { relay async throws in
            let old = relay.node.releaseBytecodeId(group: relay.namespace)
            try relay.node.setRelease(version: "2.0.0", group: relay.namespace)
            #expect(try await relay.write { $0.releaseBytecodeId = old ?? "" }.status == 403)
            relay.expectUntouched()
            #expect(try await relay.write().status == 200)
            let data = try await relay.fixture.call("GET", relay.path).data
            #expect(data?["releaseVersion"] == "2.0.0" && data?["releaseBytecodeId"] != .string(old ?? ""))
        }
    }

    @Test func theErrorOfAMethodIsToldAndCostsNothing() async throws {
        try await withRelay(contract: ProbeContract()) { relay async throws in
            let failed = try await relay.write("increment_and_fail", ["by": 1, "message": "bad nonce"])
            #expect(failed.status == 400)
            #expect(
                failed.json == [
                    "error": "function call error: bad nonce", "type": "FunctionCallError", "data": "bad nonce",
                ])
            #expect(try await relay.write("text", ["json": "{"]).json["type"] == "SerdeError")
            let unknown = try await relay.write("nope", [:])
            #expect(unknown.status == 400 && unknown.json["type"] == "FunctionCallError")
            relay.expectUntouched()
            relay.node.setCondition(.custom(type: "Odd", data: #"{"a":1}"#), context: relay.context)
            let odd = try await relay.write("increment", [:])
            #expect(odd.status == 400 && odd.json == ["error": "Odd", "type": "Odd", "data": ["a": 1]])
            relay.node.setCondition(nil, context: relay.context)
            #expect(try await relay.write("increment", [:]).data?["returns"] == 1)
        }
    }

    @Test func anOlderNodeKeptItsErrorsToItself() async throws {
        try await withRelay(.relay { $0.relay = .older }, contract: ProbeContract()) { relay async throws in
            let failed = try await relay.write("fail", ["message": "no"])
            #expect(failed.status == 200 && failed.data?["returns"] == .null)
            #expect(failed.data?["rootHash"]?.stringValue?.count == 64)
            #expect(relay.mark() == nil)
            let session = try await relay.session()
            let queried = try await relay.query("fail", #"{"message":"no"}"#, token: session)
            #expect(queried.status == 500 && queried.error == "Internal server error")
        }
    }

    @Test func theOldestDescribedLessAndOneSpeltDifferently() async throws {
        try await withRelay(
            .relay {
                $0.relay.describesExecutorKey = false
                $0.relay.describesRelease = false
            }
        ) { relay async throws in
            #expect(
                try await relay.fixture.call("GET", relay.path).data?.names == [
                    "executorAccount", "canAuthorOnBehalf", "groupId", "grantedOnGroupId",
                ])
        }
        try await withRelay(.relay { $0.relay.spellsExecutorKeyInBase58 = true }) { relay async throws in
            let key = try await relay.fixture.call("GET", relay.path).data?["executorKey"]?.stringValue
            let bytes = InviteCodec.base58Decode(try #require(key))
            #expect(bytes.map { Hex.encode($0) } == relay.node.executor(inContext: relay.context))
        }
    }
}
