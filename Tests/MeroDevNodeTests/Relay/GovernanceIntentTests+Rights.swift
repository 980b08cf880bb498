import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Who may do what, by warrant.
extension GovernanceIntentTests {
    @Test func rightsOfMembers() async throws {
        try await withRelay { relay async throws in
            let node = relay.node
            func status(_ op: Warrants.GovernanceOp, scope: String? = nil) async throws -> Int {
                let before = relay.governanceMark(scope)
                let answer = try await relay.govern(op, scope: scope, nonce: (before ?? 0) + 1)
                if answer.status != 200 { #expect(relay.governanceMark(scope) == before) }
                return answer.status
            }
            func grant(_ mask: UInt32) throws {
                try node.setCapabilities(mask, of: relay.ada.accountId, group: relay.namespace)
            }
            let add = try GovernanceOps.memberAdded(member: Self.bob, role: "Member")
            let addAdmin = try GovernanceOps.memberAdded(member: Self.other, role: "Admin")
            let name = try GovernanceOps.groupMetadataSet(name: "x")
            let (group, create) = try GovernanceOps.subgroupCreation(
                admin: relay.ada.accountId, parentId: relay.namespace, restricted: true)
            for op in [add, addAdmin, name, create, try GovernanceOps.defaultCapabilitiesSet(capabilities: 0)] {
                #expect(try await status(op) == 403)
            }
            // Whatever else one may not do, one's own name is one's own.
            #expect(try await status(GovernanceOps.memberMetadataSet(member: relay.ada.accountId, name: "Ada")) == 200)
            try grant(8)
            #expect(try await status(add) == 200)
            #expect(try await status(add) == 409)
            #expect(try await status(addAdmin) == 403)
            #expect(try await status(GovernanceOps.memberRemoved(member: node.accountId)) == 403)
            #expect(try await status(GovernanceOps.memberRemoved(member: Self.other)) == 404)
            try grant(256)
            #expect(try await status(name) == 200)
            #expect(try await status(GovernanceOps.groupMetadataSet(name: "")) == 400)
            #expect(
                try await status(GovernanceOps.groupMetadataSet(name: String(repeating: "n", count: 65))) == 400)
            try grant(32)
            #expect(try await status(create) == 200)
            #expect(try await status(GovernanceOps.subgroupVisibilitySet(mode: "open"), scope: group) == 200)
            let foreign = try GovernanceOps.subgroupCreation(
                admin: Self.bob, parentId: relay.namespace, restricted: true)
            #expect(try await status(foreign.op) == 403)
            let salt = Self.other
            let underived = try GovernanceOps.groupCreated(
                groupId: Self.bob, parentId: relay.namespace, restricted: true, admin: relay.ada.accountId, salt: salt)
            #expect(try await status(underived) == 400)
            try grant(64)
            #expect(try await status(GovernanceOps.groupDeleted(rootGroupId: group)) == 200)
            #expect(
                try await status(
                    GovernanceOps.groupReparented(childGroupId: group, newParentId: relay.namespace)) == 403)
            try node.addMember(relay.ada.accountId, role: .readOnly, group: relay.namespace)
            try grant(1_023)
            #expect(try await status(add) == 403)
            try node.removeMember(relay.ada.accountId, group: relay.namespace)
            #expect(try await status(add) == 403)
        }
    }

    @Test func theLastAdministratorStays() async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let node = relay.node
            let me = relay.ada.accountId
            let (group, op) = try GovernanceOps.subgroupCreation(
                admin: me, parentId: relay.namespace, restricted: true)
            #expect(try await relay.govern(op, nonce: 1).status == 200)
            try node.addMember(node.accountId, role: .member, group: group)
            let demoted = try await relay.govern(
                try GovernanceOps.memberRoleSet(member: me, role: "Member"), scope: group, nonce: 1)
            #expect(demoted.status == 409)
            let left = try await relay.govern(try GovernanceOps.memberLeft(member: me), scope: group, nonce: 1)
            #expect(left.status == 403)
            // The relay's own grant cannot be taken away by a warrant.
            let caps = try await relay.govern(
                try GovernanceOps.memberCapabilitySet(member: node.accountId, capabilities: 4), nonce: 2)
            #expect(caps.status == 403)
            #expect(caps.error == "CAN_AUTHOR_ON_BEHALF cannot be granted or withdrawn on a member's behalf")
        }
    }

    @Test func aGovernedGroupOutlivesTheProcess() async throws {
        try await withFolder { folder async throws in
            try await withRelay(.relay { $0.dataDirectory = folder }, adminRole: true) { relay async throws in
                let op = try GovernanceOps.groupMetadataSet(name: "room", data: ["é": "1", "z": "2"])
                #expect(try await relay.govern(op, nonce: 3).status == 200)
                let before = relay.node.core.groups.read { $0[relay.namespace] }
                try await relay.node.restart()
                #expect(relay.node.core.groups.read { $0[relay.namespace] } == before)
                #expect(relay.node.core.groups.group(ofContext: relay.context) == relay.namespace)
                #expect(relay.governanceMark() == 3)
            }
        }
    }
}
