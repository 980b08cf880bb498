import MeroKit

/// Members, what they may do, and what is said of them.
///
/// Spec: 30, sections 5.4, 5.5, 5.8, 5.9 and 6.
extension GroupAdmin {
    func addMembers(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["members"])
            let rows = try AdminBody.shaped { () -> [(String, DevRole)] in
                guard let items = try fields.value("members").arrayValue else {
                    throw try JsonShapeProblem.type(fields.value("members"), expected: "a sequence")
                }
                return try items.map { item in
                    let row = try JsonFields(item, allowed: ["identity", "role"], what: "a member")
                    return (try row.string("identity"), try JsonFields.role(try row.string("role")))
                }
            }
            var check = BodyCheck()
            if rows.isEmpty { check.missing("members") }
            let added = rows.map { (check.id($0.0, "members[].identity"), $0.1) }
            try check.finish()
            let id = try Self.groupId(call)
            try change(call, id) { state, actor in
                try added.map { identity, role in
                    // A device's key stands for its account.
                    let account = state.account(ofSigningKey: identity) ?? identity
                    try state.addMember(account, role: role, to: id, by: actor)
                    return (.memberAdded(account: account, role: role), id)
                }
            }
            return Self.done
        }
    }

    func removeMembers(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["members"])
            let named = try AdminBody.shaped { try fields.strings("members") }
            var check = BodyCheck()
            if named.isEmpty { check.missing("members") }
            let removed = named.map { check.id($0, "members[]") }
            try check.finish()
            let id = try Self.groupId(call)
            try change(call, id) { state, actor in
                try removed.flatMap { account in
                    try state.removeMember(account, from: id, by: actor).map { (.memberRemoved(account: account), $0) }
                }
            }
            return Self.done
        }
    }

    func setRole(_ call: RouteCall) async -> DevHttpResponse {
        await member(call, ["role"]) { fields in
            let role = try AdminBody.shaped { try JsonFields.role(try fields.string("role")) }
            return { state, id, account, actor in try state.setRole(role, of: account, in: id, by: actor) }
        }
    }

    func setCapabilities(_ call: RouteCall) async -> DevHttpResponse {
        await member(call, ["capabilities"]) { fields in
            let mask = try AdminBody.shaped { try fields.mask("capabilities") }
            return { state, id, account, actor in try state.setCapabilities(mask, of: account, in: id, by: actor) }
        }
    }

    func setAutoFollow(_ call: RouteCall) async -> DevHttpResponse {
        await member(call, ["autoFollowContexts", "autoFollowSubgroups"]) { fields in
            let follows = try AdminBody.shaped {
                AutoFollow(
                    contexts: try fields.bool("autoFollowContexts"), subgroups: try fields.bool("autoFollowSubgroups"))
            }
            return { state, id, account, actor in
                if account != actor { try state.require(GroupCapability.manageMembers, actor, in: id) }
                guard state[id]?.members[account] != nil else { throw state.noDirectMember(account, in: id) }
                state.groups[id]?.members[account]?.autoFollow = follows
            }
        }
    }

    func setMemberMetadata(_ call: RouteCall) async -> DevHttpResponse {
        await member(call, ["name", "data"]) { fields in
            let label = try AdminBody.shaped { try fields.label() }
            return { state, id, account, actor in
                try state.setMetadata(
                    label, ofMember: account, in: id, by: actor, signer: identity.nodeKey, at: milliseconds)
            }
        }
    }

    private typealias MemberChange = (inout GroupState, _ id: String, _ account: String, _ actor: String) throws -> Void

    private func member(
        _ call: RouteCall, _ names: [String], _ read: (JsonFields) throws -> MemberChange
    ) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let perform = try read(try fields(call, names))
            let (id, account) = (try Self.groupId(call), try Self.account(call))
            try change(call, id) { state, actor in
                try perform(&state, id, account, actor)
                return []
            }
            return Self.done
        }
    }

    // MARK: - Groups

    func setGroupMetadata(_ call: RouteCall) async -> DevHttpResponse {
        await setting(call, ["name", "data"]) { fields in
            let label = try AdminBody.shaped { try fields.label() }
            return { state, id, actor in
                try state.setMetadata(label, of: id, by: actor, signer: identity.nodeKey, at: milliseconds)
            }
        }
    }

    func setContextMetadata(_ call: RouteCall) async -> DevHttpResponse {
        await setting(call, ["name", "data"]) { fields in
            let label = try AdminBody.shaped { try fields.label() }
            let context = try Self.id(call.parameters["context"] ?? "", "context id")
            return { state, id, actor in
                try state.setMetadata(
                    label, ofContext: context, in: id, by: actor, signer: identity.nodeKey, at: milliseconds)
            }
        }
    }

    func setDefaultCapabilities(_ call: RouteCall) async -> DevHttpResponse {
        await setting(call, ["defaultCapabilities"]) { fields in
            let mask = try AdminBody.shaped { try fields.mask("defaultCapabilities") }
            return { state, id, actor in try state.setDefaultCapabilities(mask, in: id, by: actor) }
        }
    }

    func setVisibility(_ call: RouteCall) async -> DevHttpResponse {
        await setting(call, ["subgroupVisibility"]) { fields in
            let word = try AdminBody.shaped { try fields.string("subgroupVisibility") }
            var check = BodyCheck()
            if !["open", "restricted"].contains(word) {
                check.fail("subgroup_visibility", "must be 'open' or 'restricted'")
            }
            try check.finish()
            return { state, id, actor in try state.setVisibility(isOpen: word == "open", of: id, by: actor) }
        }
    }

    func detachContext(_ call: RouteCall) async -> DevHttpResponse {
        await setting(call, []) { _ in
            let context = try Self.id(call.parameters["context"] ?? "", "context id")
            return { state, id, actor in try state.detach(context: context, from: id, by: actor) }
        }
    }

    private typealias GroupChange = (inout GroupState, _ id: String, _ actor: String) throws -> Void

    private func setting(
        _ call: RouteCall, _ names: [String], _ read: (JsonFields) throws -> GroupChange
    ) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let perform = try read(try fields(call, names))
            let id = try Self.groupId(call)
            try change(call, id) { state, actor in
                try perform(&state, id, actor)
                return []
            }
            return Self.done
        }
    }

    // MARK: - The tree

    func reparent(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let fields = try fields(call, ["newParentId"])
            var check = BodyCheck()
            let parent = check.id(try AdminBody.shaped { try fields.string("newParentId") }, "newParentId")
            try check.finish()
            let id = try Self.groupId(call)
            var isMoved = false
            try change(call, id) { state, actor in
                let before = state[id]?.parent
                try state.reparent(id, to: parent, in: state.namespace(of: id) ?? id, by: actor)
                isMoved = before != parent
                return []
            }
            return .json(200, ["reparented": .bool(isMoved)])
        }
    }

    func joinByInheritance(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            _ = try fields(call)
            let id = try Self.groupId(call)
            let actor = try actor(call)
            let (isNew, root) = try groups.change { state -> (Bool, String?) in
                guard let group = state[id] else { throw RelayService.unknownGroup }
                guard group.members[actor] == nil else { return (false, nil) }
                try state.joinOpen(id, by: actor)
                return (true, state.namespace(of: id))
            }
            if isNew { hub.announce([(.memberJoined(account: actor), id)], namespace: root) }
            return Self.data([
                "groupId": .string(id), "memberPublicKey": .string(identity.nodeKey), "wasInherited": .bool(isNew),
            ])
        }
    }

    func sync(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            _ = try fields(call)
            let id = try Self.groupId(call)
            let actor = try actor(call)
            if let root = groups.read({ $0.namespace(of: id) }) { groups.link.synchronize(root) }
            return Self.data(
                try groups.read { state in
                    try Self.require(actor, in: id, state)
                    return [
                        "groupId": .string(id),
                        "appKey": .string(state[id]?.target?.bytecodeId ?? GroupReads.zeros),
                        "targetApplicationId": .string(state[id]?.target?.applicationId ?? GroupReads.zeros),
                        "memberCount": JsonTree(state.members(of: id).count),
                        "contextCount": JsonTree(state[id]?.contexts.count ?? 0),
                    ]
                })
        }
    }
}

extension NodeCore {
    /// What the node's owner does with groups, members and settings.
    static func groupRoutes(_ admin: GroupAdmin) -> [NodeRoute] {
        [
            adminRoute("POST", "/namespaces") { await admin.createNamespace($0) },
            adminRoute("DELETE", "/namespaces/{group}") { await admin.deleteNamespace($0) },
            adminRoute("POST", "/namespaces/{group}/invite") { await admin.inviteToNamespace($0) },
            adminRoute("POST", "/namespaces/{group}/join") { await admin.joinNamespace($0) },
            adminRoute("POST", "/namespaces/{group}/leave") { await admin.leaveNamespace($0) },
            adminRoute("POST", "/namespaces/{group}/groups") { await admin.createSubgroup($0) },
            adminRoute("POST", "/groups") { await admin.createGroup($0) },
            adminRoute("POST", "/groups/join") { await admin.joinGroup($0) },
            adminRoute("DELETE", "/groups/{group}") { await admin.deleteGroup($0) },
            adminRoute("POST", "/groups/{group}/invite") { await admin.inviteToGroup($0) },
            adminRoute("POST", "/groups/{group}/leave") { await admin.leaveGroup($0) },
            adminRoute("POST", "/groups/{group}/members") { await admin.addMembers($0) },
            adminRoute("POST", "/groups/{group}/members/remove") { await admin.removeMembers($0) },
            adminRoute("PUT", "/groups/{group}/members/{member}/role") { await admin.setRole($0) },
            adminRoute("PUT", "/groups/{group}/members/{member}/capabilities") { await admin.setCapabilities($0) },
            adminRoute("PUT", "/groups/{group}/members/{member}/auto-follow") { await admin.setAutoFollow($0) },
            adminRoute("PUT", "/groups/{group}/members/{member}/metadata") { await admin.setMemberMetadata($0) },
            adminRoute("PUT", "/groups/{group}/metadata") { await admin.setGroupMetadata($0) },
            adminRoute("PUT", "/groups/{group}/contexts/{context}/metadata") { await admin.setContextMetadata($0) },
            adminRoute("POST", "/groups/{group}/contexts/{context}/remove") { await admin.detachContext($0) },
            adminRoute("PUT", "/groups/{group}/settings/default-capabilities") {
                await admin.setDefaultCapabilities($0)
            },
            adminRoute("PUT", "/groups/{group}/settings/subgroup-visibility") { await admin.setVisibility($0) },
            adminRoute("POST", "/groups/{group}/reparent") { await admin.reparent($0) },
            adminRoute("POST", "/groups/{group}/join-via-inheritance") { await admin.joinByInheritance($0) },
            adminRoute("POST", "/groups/{group}/sync") { await admin.sync($0) },
        ]
    }
}
