import Foundation
import MeroKit

/// Founding, leaving and deleting.
///
/// Spec: 30, sections 4.1, 4.3, 4.6, 4.8, 5.2 and 5.3.
extension GroupAdmin {
    func createNamespace(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let new = try newGroup(call, ["applicationId", "name", "appKey", "bytecodeId"])
            let (id, salt) = try found(new, by: try actor(call))
            return Self.data([
                "namespaceId": .string(id),
                "founding": ["founderAccountId": .string(identity.accountId), "salt": .string(salt)],
            ])
        }
    }

    func createGroup(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let new = try newGroup(call, ["applicationId", "appKey", "bytecodeId", "name", "parentGroupId"])
            let actor = try actor(call)
            guard let parent = new.parent else {
                return Self.data(["groupId": .string(try found(new, by: actor).id)])
            }
            guard let root = groups.read({ $0.namespace(of: parent) }) else {
                throw NodeRefusal(404, "the parent group is not known here")
            }
            let id = try create(under: parent, isOpen: false, by: actor) { state, id in
                state.groups[id]?.target = new.target
                state.groups[id]?.metadata = new.name.map { label(named: $0) }
            }
            hub.announce([], namespace: root)
            return Self.data(["groupId": .string(id)])
        }
    }

    /// Its body is judged by the framework, which answers in plain text.
    func createSubgroup(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let tree: JsonTree
            switch call.request.jsonBody(limit: bodyLimit) {
            case .tree(let body): tree = body
            case .refused(let answer): throw EarlyReply(answer)
            }
            let (name, isOpen) = try RelayService.shaped { () -> (String?, Bool) in
                let fields = try JsonFields(tree, allowed: ["groupName", "visibility"], what: "a request")
                let visibility = try fields.optionalString("visibility") ?? "open"
                guard ["open", "restricted"].contains(visibility) else {
                    throw JsonShapeProblem(
                        description: "unknown variant `\(visibility)`, expected `open` or `restricted`")
                }
                return (try fields.optionalString("groupName"), visibility == "open")
            }
            let root = try Self.groupId(call)
            let actor = try actor(call)
            try groups.read { try Self.requireRoot(actor, root, $0) }
            let id = try create(under: root, isOpen: isOpen, by: actor) { state, id in
                // A name that will not do is no reason to refuse.
                guard let name, (1...64).contains(name.utf8.count) else { return }
                state.groups[id]?.metadata = label(named: name)
            }
            hub.announce([], namespace: root)
            return Self.data(["groupId": .string(id)])
        }
    }

    private struct NewGroup {
        var target: GroupTarget
        var name: String?
        var parent: String?
    }

    private func newGroup(_ call: RouteCall, _ names: [String]) throws -> NewGroup {
        let fields = try fields(call, names)
        let (application, name, key, parent) = try AdminBody.shaped {
            if fields.optional("appKey") != nil, fields.optional("bytecodeId") != nil {
                throw JsonShapeProblem.duplicate("appKey")
            }
            return (
                try fields.string("applicationId"), try fields.optionalString("name"),
                try fields.optionalString("appKey") ?? fields.optionalString("bytecodeId"),
                names.contains("parentGroupId") ? try fields.optionalString("parentGroupId") : nil
            )
        }
        var check = BodyCheck()
        let id = check.id(application, "applicationId")
        if let name { check.text("name", name, max: 64) }
        let parentId = parent.map { check.id($0, "parentGroupId") }
        try check.finish()
        if let key, Hex.decode(key)?.count != 32 {
            throw NodeRefusal(400, "Invalid appKey: expected hex-encoded 32 bytes")
        }
        let releases = catalog.releases(of: id)
        guard let latest = catalog.latest(of: id) else { throw NodeRefusal(404, "Application '\(id)' not found") }
        guard let release = key == nil ? latest : releases.first(where: { $0.target.bytecodeId == key?.lowercased() })
        else { throw NodeRefusal(404, "bytecode \(key ?? "") of application '\(id)' is not installed") }
        return NewGroup(target: release.target, name: name, parent: parentId)
    }

    private func label(named name: String) -> GroupMetadata {
        GroupMetadata(name: name, data: [], updatedAt: milliseconds, updatedBy: identity.nodeKey)
    }

    private func found(_ new: NewGroup, by founder: String) throws -> (id: String, salt: String) {
        let salt = Hex.encode(SecureRandom.bytes(32))
        let id = try GovernanceOps.foundedNamespaceId(founder: founder, salt: salt)
        try groups.change { state in
            try state.found(id, founder: founder, salt: salt, at: clock.seconds)
            state.groups[id]?.target = new.target
            state.groups[id]?.metadata = new.name.map { label(named: $0) }
        }
        hub.announce([], namespace: id)
        return (id, salt)
    }

    private func create(
        under parent: String, isOpen: Bool, by actor: String, _ more: (inout GroupState, String) -> Void
    ) throws -> String {
        let salt = Hex.encode(SecureRandom.bytes(32))
        let (id, _) = try GovernanceOps.subgroupCreation(
            admin: actor, parentId: parent, restricted: !isOpen, salt: salt)
        let new = NewSubgroup(id: id, parent: parent, isRestricted: !isOpen, admin: actor, salt: salt)
        try groups.change { state in
            let root = try Self.require(actor, in: parent, state)
            try state.create(new, in: root, by: actor, at: clock.seconds)
            more(&state, id)
        }
        return id
    }

    // MARK: - Ending

    func deleteNamespace(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            _ = try fields(call)
            let id = try Self.groupId(call)
            let actor = try actor(call)
            let gone = try groups.change { state -> [String] in
                try Self.requireRoot(actor, id, state)
                try state.requireAdmin(actor, in: id)
                return state.erase(id)
            }
            try clear(gone, namespace: id)
            return Self.data(["isDeleted": true])
        }
    }

    func deleteGroup(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            _ = try fields(call)
            let id = try Self.groupId(call)
            let actor = try actor(call)
            let (root, gone) = try groups.change { state -> (String, [String]) in
                let root = try Self.require(actor, in: id, state)
                return (root, try state.delete(id, in: root, by: actor).contexts)
            }
            try clear(gone, namespace: root)
            return Self.data(["isDeleted": true])
        }
    }

    /// Takes away the contexts of groups that are gone.
    func clear(_ gone: [String], namespace: String) throws {
        for context in gone { try contexts.remove(context) }
        hub.announce([], namespace: namespace)
    }

    // MARK: - Leaving

    func leaveNamespace(_ call: RouteCall) async -> DevHttpResponse {
        await leave(call, "namespaceId") { group in
            guard group.parent == nil else { throw Self.notARoot }
        }
    }

    func leaveGroup(_ call: RouteCall) async -> DevHttpResponse {
        await leave(call, "groupId") { group in
            guard group.parent != nil else {
                throw NodeRefusal(400, "a namespace is left through POST /namespaces/{id}/leave")
            }
        }
    }

    private func leave(
        _ call: RouteCall, _ name: String, _ check: (GroupRecord) throws -> Void
    ) async -> DevHttpResponse {
        await NodeRefusal.answering {
            try object(call)
            let id = try Self.groupId(call)
            try change(call, id) { state, actor in
                if let group = state[id] { try check(group) }
                return try state.leave(id, by: actor).map { (.memberRemoved(account: actor), $0) }
            }
            return Self.data([name: .string(id), "memberPublicKey": .string(identity.nodeKey)])
        }
    }

    /// A body of which nothing is read.
    private func object(_ call: RouteCall) throws {
        switch call.request.jsonBody(limit: bodyLimit) {
        case .tree(.object): return
        case .tree(let tree):
            try AdminBody.shaped { throw JsonShapeProblem.type(tree, expected: "a request") }
        case .refused: _ = try fields(call)
        }
    }
}

extension GroupState {
    /// Takes a group and all below it away; the contexts that went with it.
    mutating func erase(_ id: String) -> [String] {
        let gone = subtree(of: id)
        let contexts = gone.flatMap { groups[$0]?.contexts ?? [] }
        for context in contexts { groupOfContext[context] = nil }
        for id in gone { groups[id] = nil }
        return contexts
    }
}
