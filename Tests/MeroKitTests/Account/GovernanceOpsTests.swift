import Foundation
import Testing

@testable import MeroKit

@Suite("Governance ops")
struct GovernanceOpsTests {
    private static func metadata(_ arguments: ExactJSON) throws -> (String?, GovernanceOps.Entries) {
        guard case .object(let members) = try arguments.member("data") else {
            throw CryptoVector.Missing(field: "data")
        }
        let entries = try members.map { member in
            (key: member.key, value: try arguments.member("data").string(member.key))
        }
        return (try arguments.optionalString("name"), entries)
    }

    private static func op(_ name: String, _ args: ExactJSON) throws -> Warrants.GovernanceOp {
        switch name {
        case "memberAdded":
            return try GovernanceOps.memberAdded(member: args.string("member"), role: args.string("role"))
        case "memberRemoved": return try GovernanceOps.memberRemoved(member: args.string("member"))
        case "memberLeft": return try GovernanceOps.memberLeft(member: args.string("member"))
        case "memberRoleSet":
            return try GovernanceOps.memberRoleSet(member: args.string("member"), role: args.string("role"))
        case "memberCapabilitySet":
            return try GovernanceOps.memberCapabilitySet(
                member: args.string("member"), capabilities: args.integer("capabilities"))
        case "defaultCapabilitiesSet":
            return try GovernanceOps.defaultCapabilitiesSet(capabilities: args.integer("capabilities"))
        case "targetApplicationSet":
            return try GovernanceOps.targetApplicationSet(
                applicationId: args.string("applicationId"), package: args.string("package"),
                version: args.string("version"))
        case "contextDetached": return try GovernanceOps.contextDetached(contextId: args.string("contextId"))
        case "subgroupVisibilitySet": return try GovernanceOps.subgroupVisibilitySet(mode: args.string("mode"))
        case "groupMetadataSet":
            let (name, entries) = try metadata(args)
            return try GovernanceOps.groupMetadataSet(name: name, entries: entries)
        case "memberMetadataSet":
            let (name, entries) = try metadata(args)
            return try GovernanceOps.memberMetadataSet(member: args.string("member"), name: name, entries: entries)
        case "contextMetadataSet":
            let (name, entries) = try metadata(args)
            return try GovernanceOps.contextMetadataSet(
                contextId: args.string("contextId"), name: name, entries: entries)
        case "contextCapabilityGranted":
            return try GovernanceOps.contextCapabilityGranted(
                contextId: args.string("contextId"), member: args.string("member"),
                capability: args.integer("capability"))
        case "contextCapabilityRevoked":
            return try GovernanceOps.contextCapabilityRevoked(
                contextId: args.string("contextId"), member: args.string("member"),
                capability: args.integer("capability"))
        case "groupCreated":
            return try GovernanceOps.groupCreated(
                groupId: args.string("groupId"), parentId: args.string("parentId"),
                restricted: args.bool("restricted"), admin: args.string("admin"), salt: args.string("salt"))
        case "groupReparented":
            return try GovernanceOps.groupReparented(
                childGroupId: args.string("childGroupId"), newParentId: args.string("newParentId"))
        case "groupDeleted": return try GovernanceOps.groupDeleted(rootGroupId: args.string("rootGroupId"))
        case "memberJoinedOpen":
            return try GovernanceOps.memberJoinedOpen(
                member: args.string("member"), groupId: args.string("groupId"), credential: args.string("credential"))
        case "namespaceCreated":
            return try GovernanceOps.namespaceCreated(
                founder: args.string("founder"), credential: args.string("credential"), salt: args.string("salt"))
        default: throw CryptoVector.Missing(field: name)
        }
    }

    @Test("Ops and derived ids", arguments: CryptoVector.load("governance-ops") { $0.error == nil })
    func ops(vector: CryptoVector) throws {
        let args = try vector.input.member("args")
        switch try vector.input.string("op") {
        case "createdSubgroupId":
            let (admin, parent) = try (args.string("admin"), args.string("parentId"))
            let (restricted, salt) = try (args.bool("restricted"), args.string("salt"))
            let expected = try vector.expected.string("groupId")
            #expect(
                try GovernanceOps.createdSubgroupId(
                    admin: admin, parentId: parent, restricted: restricted, salt: salt) == expected)
            let created = try GovernanceOps.subgroupCreation(
                admin: admin, parentId: parent, restricted: restricted, salt: salt)
            #expect(created.groupId == expected)
            #expect(Hex.encode(created.op.bytes).hasPrefix("00" + expected + parent))
        case "foundedNamespaceId":
            #expect(
                try GovernanceOps.foundedNamespaceId(founder: args.string("founder"), salt: args.string("salt"))
                    == vector.expected.string("namespaceId"))
        case let name:
            let op = try Self.op(name, args)
            #expect(op.kind.rawValue == (try vector.expected.integer("kind")))
            #expect(Hex.encode(op.bytes) == (try vector.expected.string("bytes")))
            #expect(Hex.encode(Warrants.governanceOpHash(op)) == (try vector.expected.string("opHash")))
        }
    }

    @Test("What a relay would refuse is not made", arguments: CryptoVector.load("governance-ops") { $0.error != nil })
    func refusals(vector: CryptoVector) throws {
        #expect(vector.error == "invalidInput")
        let error = #expect(throws: AccountError.self) {
            try Self.op(vector.input.string("op"), vector.input.member("args"))
        }
        guard case .invalidInput(let text)? = error else {
            Issue.record("another error")
            return
        }
        if vector.id.hasSuffix("cap9") { #expect(text.contains("CAN_AUTHOR_ON_BEHALF")) }
    }

    private static let id = String(repeating: "1a", count: 32)

    @Test("Metadata by dictionary, roles and modes by name")
    func names() throws {
        #expect(
            try GovernanceOps.groupMetadataSet(name: "n", data: ["b": "2", "a": "1"])
                == GovernanceOps.groupMetadataSet(name: "n", entries: [("a", "1"), ("b", "2")]))
        #expect(
            try GovernanceOps.memberMetadataSet(member: Self.id, name: nil)
                == GovernanceOps.memberMetadataSet(member: Self.id, name: nil, entries: []))
        #expect(
            try GovernanceOps.contextMetadataSet(contextId: Self.id, name: nil, data: ["k": "v"])
                == GovernanceOps.contextMetadataSet(contextId: Self.id, name: nil, entries: [("k", "v")]))
        for role in ["admin", "", "RelayTee"] {
            #expect(throws: AccountError.self) { try GovernanceOps.memberAdded(member: Self.id, role: role) }
        }
        #expect(throws: AccountError.self) { try GovernanceOps.subgroupVisibilitySet(mode: "Open") }
        let created = try GovernanceOps.subgroupCreation(admin: Self.id, parentId: Self.id, restricted: false)
        #expect(
            created.groupId
                != (try GovernanceOps.subgroupCreation(admin: Self.id, parentId: Self.id, restricted: false).groupId))
    }
}
