import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct GroupStateTests {
    private static let root = String(repeating: "a", count: 64)
    private static let open = String(repeating: "b", count: 64)
    private static let deep = String(repeating: "c", count: 64)
    private static let closed = String(repeating: "d", count: 64)

    private func tree() throws -> GroupState {
        var state = GroupState()
        try state.found(Self.root, founder: "owner", salt: nil, at: 1)
        for (id, parent, isOpen) in [
            (Self.open, Self.root, true), (Self.deep, Self.open, true), (Self.closed, Self.root, false),
        ] {
            var group = GroupRecord(parent: parent, isOpen: isOpen, owner: "owner")
            group.createdAt = 2
            state.groups[id] = group
        }
        _ = state.setMember("ada", role: .member, in: Self.root)
        state.commit()
        return state
    }

    @Test func openGroupsInheritWhoMayJoinThem() throws {
        var state = try tree()
        #expect(state.lineage(of: Self.deep) == [Self.deep, Self.open, Self.root])
        #expect(state.namespace(of: Self.deep) == Self.root && state.namespace(of: "x") == nil)
        #expect(state.subtree(of: Self.root) == [Self.root, Self.open, Self.closed, Self.deep])
        #expect(state.membership(of: "ada", in: Self.deep)?.group == Self.root)
        #expect(state.role(of: "ada", in: Self.closed) == nil)
        state.groups[Self.root]?.members["ada"]?.capabilities = 0
        #expect(state.role(of: "ada", in: Self.deep) == nil)
        #expect(state.role(of: "owner", in: Self.deep) == .admin)
        #expect(state.reach(of: "ada", device: nil) == [Self.root])
        state.groups[Self.root]?.revokedDevices = ["phone"]
        #expect(state.reach(of: "owner", device: "phone").isEmpty)
        #expect(state.reach(of: "owner", device: "laptop") == [Self.root, Self.open, Self.deep])
    }

    @Test func rolesAndMasks() throws {
        var state = try tree()
        #expect(state.holds(GroupCapability.manageMembers, "owner", in: Self.root))
        #expect(!state.holds(GroupCapability.authorOnBehalf, "owner", in: Self.root))
        #expect(!state.holds(GroupCapability.manageMembers, "ada", in: Self.root))
        state.groups[Self.root]?.members["ada"] = GroupMember(role: .readOnly, capabilities: 1_023)
        #expect(!state.holds(GroupCapability.manageMembers, "ada", in: Self.root))
        state.groups[Self.root]?.members["ada"] = GroupMember(role: .member, capabilities: 8 | 512)
        #expect(state.holds(GroupCapability.manageMembers, "ada", in: Self.root))
        #expect(state.authorshipGrant(of: "ada", in: Self.deep) == Self.root)
        #expect(state.authorshipGrant(of: "ada", in: Self.closed) == nil)
        state.groups[Self.deep]?.members["ada"] = GroupMember(role: .relayTee, capabilities: 0)
        #expect(state.authorshipGrant(of: "ada", in: Self.deep) == Self.deep)
    }

    @Test func aFailedChangeLeavesNoTrace() throws {
        let registry = try GroupRegistry(directory: nil)
        try registry.change { state in
            try state.found(Self.root, founder: "owner", salt: nil, at: 1)
            _ = state.attach(context: "x", to: Self.root)
        }
        let before = registry.read { $0.stateHash(of: Self.root) }
        #expect(throws: NodeRefusal.self) {
            try registry.change { state in
                try state.addMember("bob", role: .member, to: Self.root, by: "owner")
                state.detach(context: "x")
                _ = try state.removeMember("owner", from: Self.root, by: "owner")
            }
        }
        #expect(registry.read { $0.stateHash(of: Self.root) } == before)
        #expect(registry.group(ofContext: "x") == Self.root)
        #expect(registry.knows(heads: [before], of: Self.root))
        #expect(!registry.knows(heads: ["y"], of: Self.root) && !registry.knows(heads: [before], of: "x"))
    }

    @Test func whatIsOnDiskComesBack() throws {
        var group = GroupRecord(parent: Self.root, isOpen: true, owner: "owner")
        group.createdAt = 7
        let label = GroupMetadata(
            name: "n",
            data: [GroupMetadataEntry(key: "é", value: "1"), GroupMetadataEntry(key: "e\u{301}", value: "2")],
            updatedAt: 9, updatedBy: "owner")
        group.members = ["ada": GroupMember(role: .relayTee, capabilities: .max, metadata: label)]
        group.contexts = ["y", "x"]
        group.target = GroupTarget(applicationId: "a", bytecodeId: "b", package: "p", version: "1.0.0")
        group.metadata = label
        group.contextMetadata = ["x": label]
        group.contextCapabilities = ["x": ["ada": 255]]
        group.salt = "s"
        group.revokedDevices = ["d2", "d1"]
        #expect(GroupRecord(try JsonParser.parse(group.tree.bytes)) == group)
        let plain = GroupRecord(owner: "owner")
        #expect(GroupRecord(plain.tree) == plain)
        #expect(GroupRecord([:]) == nil)
    }
}
