import Foundation
import MeroKit

/// Reads the ops that members hand to a relay. Throws `NodeRefusal`.
///
/// What only a node can compute must be left blank; an op with anything there is not in its delegable form.
struct DelegatedOpReader {
    private static let uncovered = NodeRefusal(
        403, "this governance warrant does not cover the op presented with it")
    private static let groupNames: [UInt8: String] = [
        0: "Noop", 14: "GroupDelete", 21: "TransferOwnership", 33: "TeeAuthoringPolicySet",
        37: "TeeAdmissionPolicySet", 38: "TeeReleaseAdmissionPolicySet", 42: "RootGuarded",
    ]
    private static let rootNodeOnly: Set<UInt8> = [3, 4, 5, 6, 8, 10, 12]

    private var reader: BorshReader
    private var isDelegable = true

    static func read(_ kind: Warrants.GovernanceOp.Kind, _ bytes: Data) throws -> DelegatedOp {
        let what = kind == .group ? "group" : "root"
        var reader = DelegatedOpReader(reader: BorshReader(bytes))
        let op: DelegatedOp
        do {
            op = try kind == .group ? reader.group() : reader.root()
            try reader.reader.finish()
        } catch let problem as BorshError {
            throw NodeRefusal(400, "op is not a valid \(what) op: \(problem)")
        }
        guard reader.isDelegable else { throw uncovered }
        return op
    }

    private mutating func group() throws -> DelegatedOp {
        let index = try reader.u8("op")
        switch index {
        case 1: return .memberAdded(try id("member"), try role())
        case 2: return .memberRemoved(try departed())
        case 3: return .memberLeft(try departed())
        case 4: return .memberRoleSet(try id("member"), try role())
        case 5: return .memberCapabilitySet(try id("member"), try reader.u32("capabilities"))
        case 6: return .defaultCapabilitiesSet(try reader.u32("capabilities"))
        case 7:
            try blank("bytecode")
            return .targetApplicationSet(
                application: try id("application"), package: try reader.string("package"),
                version: try reader.string("version"))
        case 9: return .contextDetached(try id("context"))
        case 10:
            switch try reader.u8("visibility") {
            case 0: return .subgroupVisibilitySet(isOpen: true)
            case 1: return .subgroupVisibilitySet(isOpen: false)
            default: throw BorshError.invalid("visibility")
            }
        case 11: return .groupMetadataSet(try label())
        case 12: return .memberMetadataSet(try id("member"), try label())
        case 13: return .contextMetadataSet(try id("context"), try label())
        case 16:
            return .contextCapabilityGranted(
                context: try id("context"), member: try id("member"), try reader.u8("capability"))
        case 17:
            return .contextCapabilityRevoked(
                context: try id("context"), member: try id("member"), try reader.u8("capability"))
        default:
            guard let name = Self.groupNames[index] else { throw BorshError.invalid("op \(index)") }
            throw NodeRefusal(403, "the \(name) op cannot be published on a member's behalf")
        }
    }

    private mutating func root() throws -> DelegatedOp {
        let index = try reader.u8("op")
        switch index {
        case 0:
            return .groupCreated(
                NewSubgroup(
                    id: try id("group"), parent: try id("parent"), isRestricted: try reader.bool("restricted"),
                    admin: try id("admin"), salt: try id("salt")))
        case 1: return .groupReparented(child: try id("child"), parent: try id("parent"))
        case 2:
            let root = try id("group")
            // The groups and contexts that go with it are the node's to list.
            for field in ["groups", "contexts"] where try !reader.list(of: 32, field).isEmpty { isDelegable = false }
            return .groupDeleted(root)
        case 7:
            return .memberJoinedOpen(
                member: try id("member"), group: try id("group"), try AccountProof(from: &reader))
        case 9:
            return .namespaceCreated(
                founder: try id("founder"), try AccountProof(from: &reader), salt: try id("salt"))
        default:
            guard Self.rootNodeOnly.contains(index) else { throw BorshError.invalid("op \(index)") }
            throw NodeRefusal(403, "this root op cannot be published on a member's behalf")
        }
    }

    private mutating func id(_ field: String) throws -> String { Hex.encode(try reader.raw(32, field)) }

    private mutating func role() throws -> DevRole {
        switch try reader.u8("role") {
        case 0: return .admin
        case 1: return .member
        case 2: return .readOnly
        case 3: return .readOnlyTee
        case 4: return .relayTee
        default: throw BorshError.invalid("role")
        }
    }

    private mutating func blank(_ field: String) throws {
        if try reader.raw(32, field).contains(where: { $0 != 0 }) { isDelegable = false }
    }

    private mutating func departed() throws -> String {
        let member = try id("member")
        try blank("group key")
        if try !reader.list(of: 32, "envelopes").isEmpty { isDelegable = false }
        return member
    }

    private mutating func label() throws -> GroupLabel {
        let name = try reader.optionString("name")
        let count = try reader.u32("data")
        guard Int(count) <= reader.remaining / 8 else { throw BorshError.truncated("data") }
        var data: [GroupMetadataEntry] = []
        for _ in 0..<count {
            let entry = GroupMetadataEntry(key: try reader.string("key"), value: try reader.string("value"))
            if let last = data.last, !last.key.utf8.lexicographicallyPrecedes(entry.key.utf8) { isDelegable = false }
            data.append(entry)
        }
        return GroupLabel(name: name, data: data)
    }
}
