import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// A subscriber that keeps what it was handed.
private final class Listener: Sendable {
    private let seen = Locked<[JsonTree]>([])
    let prunings = Locked(0)
    let isFull = Locked(false)

    func attach(_ node: DevNode, _ principal: EventPrincipal = EventPrincipal(owner: .nodeOwner)) -> EventSubscription {
        node.core.events.attach(principal) {
            self.prunings.withLock { $0 += 1 }
        } deliver: { message in
            if self.isFull.withLock({ $0 }) { return false }
            let tree = (try? JsonParser.parse(Array("{".utf8) + message.member + Array("}".utf8))) ?? .null
            self.seen.withLock { $0.append(tree) }
            return true
        }
    }

    var frames: [JsonTree] { seen.withLock { $0 } }
    var results: [JsonTree] { frames.compactMap { $0["result"] } }
    var types: [String] { results.map { $0["type"]?.stringValue ?? "" } }
}

@Suite struct EventHubTests {
    private let account = String(repeating: "a", count: 64)

    @Test func onlySubscribersHear() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let first = try node.createContext(KeyValueContract())
            let second = try node.createContext(KeyValueContract())
            let group = try node.createGroup()
            let listener = Listener()
            let subscription = listener.attach(node)
            let unknown = String(repeating: "0", count: 64)
            let granted = subscription.subscribe(
                contextIds: [first.uppercased(), unknown, first], groupIds: [unknown, group])
            #expect(granted.contexts == [first])
            #expect(granted.groups == [group])
            #expect(node.emit(.syncStatus(.idle), context: first) == 1)
            #expect(node.emit(.syncStatus(.idle), context: second) == 0)
            #expect(node.emit(.memberAdded(account: account, role: .readOnly), group: group) == 1)
            #expect(node.emitSerializationFailure(context: first) == 1)
            #expect(
                listener.frames == [
                    [
                        "result": [
                            "contextId": .string(first), "type": "SyncStatus",
                            "data": ["syncState": ["state": "idle"], "failureCount": 0],
                        ]
                    ],
                    [
                        "result": [
                            "groupId": .string(group), "type": "MemberAdded",
                            "data": ["memberAccount": .string(account), "role": "ReadOnly"],
                        ]
                    ],
                    ["error": ["type": "InternalError", "data": [:]]],
                ])
            #expect(subscription.unsubscribe(contextIds: [second, first], groupIds: [group]) == [first])
            #expect(node.emit(.syncStatus(.idle), context: first) == 0)
            #expect(node.emit(.memberRemoved(account: account), group: group) == 0)
            subscription.detach()
            #expect(subscription.subscribe(contextIds: [first], groupIds: []).contexts.isEmpty)
        }
    }

    @Test func aFullSubscriberMissesSilently() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(KeyValueContract())
            let slow = Listener()
            let fast = Listener()
            for listener in [slow, fast] {
                _ = listener.attach(fixture.node).subscribe(contextIds: [context], groupIds: [])
            }
            slow.isFull.withLock { $0 = true }
            #expect(fixture.node.emit(.syncStatus(.syncing), context: context) == 1)
            slow.isFull.withLock { $0 = false }
            #expect(fixture.node.emit(.syncStatus(.idle), context: context) == 2)
            #expect(slow.results.count == 1)
            #expect(fast.results.count == 2)
        }
    }

    @Test func bindingsAndAccountsNarrow() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let first = try node.createContext(KeyValueContract())
            let other = try node.createContext(ProbeContract())
            let group = try node.createGroup()
            func granted(_ principal: EventPrincipal) -> [String] {
                let subscription = Listener().attach(node, principal)
                let granted = subscription.subscribe(contextIds: [first, other], groupIds: [group])
                return granted.contexts + granted.groups
            }
            #expect(granted(EventPrincipal(owner: .nodeOwner)) == [first, other, group])
            #expect(granted(EventPrincipal(owner: .key("k"))) == [first, other, group])
            #expect(granted(EventPrincipal(owner: .nodeOwner, contextBinding: first)) == [first])
            let application = ContextBox.applicationId(ofContract: "kv-store")
            #expect(granted(EventPrincipal(owner: .nodeOwner, applicationBinding: application)) == [first])
            #expect(
                granted(EventPrincipal(owner: .nodeOwner, contextBinding: other, applicationBinding: application))
                    == [])
            let stranger = EventPrincipal(owner: .account(account))
            #expect(granted(stranger) == [])
            try node.assign(context: first, toGroup: group)
            #expect(granted(stranger) == [])
            try node.addMember(account, group: group)
            #expect(granted(stranger) == [first, group])
            node.setCondition(.notMember, context: first)
            #expect(granted(stranger) == [group])
        }
    }

    @Test func aRemovedMemberHearsOfItAndThenNothing() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let group = try node.createGroup()
            let context = try node.createContext(KeyValueContract())
            try node.assign(context: context, toGroup: group)
            let owner = Listener()
            let member = Listener()
            let ownersPart = owner.attach(node)
            _ = ownersPart.subscribe(contextIds: [context], groupIds: [group])
            try node.addMember(account, joinsByItself: true, group: group)
            let membersPart = member.attach(node, EventPrincipal(owner: .account(account)))
            #expect(membersPart.subscribe(contextIds: [context], groupIds: [group]).groups == [group])
            #expect(try node.removeMember(account, group: group))
            #expect(try node.removeMember(account, group: group) == false)
            #expect(membersPart.contexts.isEmpty && membersPart.groups.isEmpty)
            #expect(member.prunings.withLock { $0 } == 1)
            #expect(owner.prunings.withLock { $0 } == 0)
            #expect(node.emit(.syncStatus(.idle), context: context) == 1)
            #expect(owner.types == ["MemberJoined", "MemberRemoved", "SyncStatus"])
            #expect(member.types == ["MemberRemoved"])
            #expect(owner.results.last { $0["type"] == "MemberRemoved" }?["data"]?.names == ["memberAccount"])
        }
    }

    @Test func membershipIsInheritedThroughOpenGroups() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let root = try node.createGroup()
            let open = try node.createGroup(parent: root, isOpen: true)
            let closed = try node.createGroup(parent: root)
            try node.addMember(account, group: root)
            let listener = Listener()
            let part = listener.attach(node, EventPrincipal(owner: .account(account)))
            #expect(part.subscribe(contextIds: [], groupIds: [root, open, closed]).groups == [root, open])
            try node.removeMember(account, group: root)
            #expect(part.groups.isEmpty)
            #expect(throws: DevNodeError.self) { try node.createGroup(parent: String(repeating: "0", count: 64)) }
            #expect(throws: DevNodeError.self) { try node.addMember(account, group: account) }
        }
    }

    @Test func cascadesAreForAdministrators() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let group = try node.createGroup()
            try node.addMember(account, group: group)
            let admin = Listener()
            let member = Listener()
            let adminsPart = admin.attach(node)
            let membersPart = member.attach(node, EventPrincipal(owner: .account(account)))
            for part in [adminsPart, membersPart] { _ = part.subscribe(contextIds: [], groupIds: [group]) }
            let cascade = DevEvent.cascadeProgress(subgroupId: "ab", localContextsSwapped: 1, localContextsTotal: 2)
            #expect(node.emit(cascade, group: group) == 1)
            // The standing is read when it subscribes, not when it changes.
            try node.addMember(account, role: .admin, group: group)
            #expect(node.emit(cascade, group: group) == 1)
            _ = membersPart.subscribe(contextIds: [], groupIds: [group])
            #expect(node.emit(cascade, group: group) == 2)
        }
    }

    @Test func principalsSurviveBeingWritten() {
        let principals = [
            EventPrincipal(owner: .nodeOwner), EventPrincipal(owner: .key("k")),
            EventPrincipal(owner: .account("a"), contextBinding: "c"),
            EventPrincipal(owner: .nodeOwner, contextBinding: "c", applicationBinding: "d"),
        ]
        for principal in principals { #expect(EventPrincipal(principal.tree) == principal) }
    }
}
