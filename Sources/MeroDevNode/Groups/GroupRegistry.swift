import Foundation
import MeroKit

/// The groups the node knows: who is in them, and which contexts they govern.
final class GroupRegistry: Sendable {
    fileprivate struct Group {
        var parent: String?
        /// Members of the parent are members here as well.
        var isOpen = false
        var members: [String: DevRole] = [:]
        var contexts: Set<String> = []
    }

    private struct State {
        var groups: [String: Group] = [:]
        var groupOfContext: [String: String] = [:]
        var journal: Journal?
    }

    // Safe to share although `Journal` is not: it is only used inside the lock.
    private let state: Locked<State>

    init(directory: DataDirectory?) throws {
        var state = State()
        var entries: [String: JsonTree] = [:]
        if let directory { (state.journal, entries) = try directory.open("node-groups") }
        for (id, tree) in entries {
            let group = Group(tree)
            state.groups[id] = group
            for context in group.contexts { state.groupOfContext[context] = id }
        }
        self.state = Locked(state)
    }

    private func change<Result>(_ id: String, _ body: (inout Group?) throws -> Result) throws -> Result {
        try state.withLock { state in
            var group = state.groups[id]
            let result = try body(&group)
            try state.journal?.record([(id, group?.tree)]) { state.groups.mapValues(\.tree) }
            state.groups[id] = group
            for context in group?.contexts ?? [] { state.groupOfContext[context] = id }
            return result
        }
    }

    /// Does nothing but take up a group that is there already. Throws `DevNodeError`.
    func create(_ id: String, parent: String?, isOpen: Bool, admin: String) throws {
        try change(id) { group in
            guard group == nil else { return }
            group = Group(parent: parent, isOpen: isOpen, members: [admin: .admin])
        }
    }

    /// Adds a member or changes its role; false when there is no such group. Throws `DevNodeError`.
    func setMember(_ account: String, role: DevRole, in id: String) throws -> Bool {
        try change(id) { group in
            guard group != nil else { return false }
            group?.members[account] = role
            return true
        }
    }

    /// False when there is no such member. Throws `DevNodeError`.
    func removeMember(_ account: String, from id: String) throws -> Bool {
        try change(id) { $0?.members.removeValue(forKey: account) != nil }
    }

    /// False when there is no such group, or the context belongs to another one. Throws `DevNodeError`.
    func assign(context: String, to id: String) throws -> Bool {
        if let known = group(ofContext: context) { return known == id }
        return try change(id) { group in
            guard group != nil else { return false }
            group?.contexts.insert(context)
            return true
        }
    }

    func members(of id: String) -> [String: DevRole]? { state.withLock { $0.groups[id]?.members } }

    func group(ofContext id: String) -> String? { state.withLock { $0.groupOfContext[id] } }

    /// Nil for who is no member, neither here nor through open groups in an ancestor.
    func role(of account: String, in id: String) -> DevRole? {
        state.withLock { state in
            var next: String? = id
            var seen: Set<String> = []
            while let id = next, seen.insert(id).inserted, let group = state.groups[id] {
                if let role = group.members[account] { return role }
                next = group.isOpen ? group.parent : nil
            }
            return nil
        }
    }
}

extension GroupRegistry.Group {
    fileprivate var tree: JsonTree {
        var tree: [JsonMember] = [
            JsonMember(name: "open", value: .bool(isOpen)),
            JsonMember(
                name: "members",
                value: .object(
                    members.sorted { $0.key < $1.key }
                        .map { JsonMember(name: $0.key, value: .string($0.value.rawValue)) })),
            JsonMember(name: "contexts", value: JsonTree(contexts.sorted())),
        ]
        if let parent { tree.append(JsonMember(name: "parent", value: .string(parent))) }
        return .object(tree)
    }

    fileprivate init(_ tree: JsonTree) {
        parent = tree["parent"]?.stringValue
        isOpen = tree["open"]?.boolValue ?? false
        for member in tree["members"]?.members ?? [] {
            members[member.name] = member.value.stringValue.flatMap(DevRole.init)
        }
        contexts = Set((tree["contexts"]?.arrayValue ?? []).compactMap(\.stringValue))
    }
}
