import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct GroupDeltaTests {
    private func full() -> GroupRecord {
        var group = GroupRecord(owner: "o")
        group.members = [
            "a": GroupMember(
                role: .admin, capabilities: 1, autoFollow: AutoFollow(contexts: true, subgroups: false))
        ]
        group.contexts = ["c2", "c1"]
        group.target = GroupTarget(applicationId: "x", bytecodeId: "y", package: "p", version: "1")
        group.metadata = GroupMetadata(
            name: "n", data: [GroupMetadataEntry(key: "k", value: "v")], updatedAt: 1, updatedBy: "d")
        group.contextMetadata = ["c1": GroupMetadata(name: nil, data: [], updatedAt: 2, updatedBy: "d")]
        group.contextCapabilities = ["c1": ["a": 3]]
        group.salt = "s"
        group.firstOwner = "f"
        group.ownerOpCounter = .max
        group.revokedDevices = ["r"]
        group.boundDevices = ["b"]
        group.rootKeys = ["a": ["k0", "k1"]]
        group.usedInvitations = ["i|a"]
        group.barred = ["z"]
        group.teeAdmission = TeeAdmissionPolicy(
            tcbStatuses: ["u"], release: .init(profiles: ["p"], minVersion: "1.0.0"), isForRelays: true)
        group.teeAuthoring = ["m"]
        group.upgrade = GroupUpgrade(
            from: nil, to: GroupTarget(applicationId: "x", bytecodeId: "z", package: "p", version: "2"),
            stateVersion: 2, initiatedAt: 5, initiatedBy: "a", initiator: "n", cascade: "h", attempt: 3)
        return group
    }

    @Test func aGroupComesBackFromItsFieldsAndFromDisk() {
        let group = full()
        #expect(GroupRecord(group.tree) == group)
        #expect(GroupRecord(GroupFields.join(GroupFields.split(group.tree))) == group)
        #expect(DeviceRecord(DeviceRecord(account: "a", signingKey: "s", agreementKey: "k").tree)?.isManaged == false)
        var device = DeviceRecord(account: "a", signingKey: "s", agreementKey: "k")
        device.isManaged = true
        device.applications = ["x"]
        device.scopeEpoch = 4
        device.isRevoked = true
        device.label = "l"
        device.labelEpoch = 2
        device.labelledAt = 9
        #expect(DeviceRecord(device.tree) == device)
    }

    @Test func onlyWhatDiffersTravels() {
        let old = full()
        var new = old
        new.members["b"] = GroupMember(role: .member, capabilities: 0)
        new.contexts.removeFirst()
        new.isOpen = true
        let changes = GroupFields.changes(from: GroupFields.split(old.tree), to: GroupFields.split(new.tree))
        #expect(changes.map(\.field) == ["contexts/c2", "members/b", "open"])
        #expect(changes.map { $0.value == nil } == [true, false, false])
        #expect(GroupFields.digestible(old.tree) != GroupFields.digestible(new.tree))
        var turned = old
        turned.contexts.reverse()
        #expect(GroupFields.digestible(old.tree) == GroupFields.digestible(turned.tree))
    }

    /// Two registries change the same groups at random and tell each other in whatever order: they end up equal.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func registriesConverge(seed: UInt64) throws {
        print("Seed \(seed)")
        var random = Lcg(state: seed)
        let network = DevNetwork()
        let one = try GroupRegistry(directory: nil, link: PeerLink(id: "one", network: network))
        let two = try GroupRegistry(directory: nil, link: PeerLink(id: "two", network: network))
        try one.change { try $0.found("g", founder: "f", salt: nil, at: 0) }
        _ = try two.merge(one.snapshot(of: "g"))
        for _ in 0..<60 {
            let registry = random.next() % 2 == 0 ? one : two
            let member = "m\(random.next() % 4)"
            let choice = random.next() % 5
            try registry.change { state in
                switch choice {
                case 0: _ = state.setMember(member, role: .member, in: "g")
                case 1: state.groups["g"]?.members[member] = nil
                case 2: state.groups["g"]?.defaultCapabilities += 1
                case 3: _ = state.attach(context: "c\(member)", to: "g")
                default: state.detach(context: "c\(member)")
                }
            }
            if random.next() % 4 == 0 { _ = try one.merge(two.snapshot(of: "g")) }
            if random.next() % 4 == 0 { _ = try two.merge(one.snapshot(of: "g")) }
        }
        let (left, right) = (one.snapshot(of: "g"), two.snapshot(of: "g"))
        _ = try one.merge(right)
        _ = try two.merge(left)
        #expect(one.read { $0.stateHash(of: "g") } == two.read { $0.stateHash(of: "g") })
        #expect(one.read { $0.groupOfContext.entries } == two.read { $0.groupOfContext.entries })
    }

    private struct Lcg {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state >> 33
        }
    }
}
