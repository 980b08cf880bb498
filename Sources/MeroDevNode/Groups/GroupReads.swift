import Foundation
import MeroKit

/// What may be read of namespaces and groups. An account's session sees what its account's groups reach and is
/// refused everything else; the node's owner sees all.
///
/// Spec: 20, sections 1.8 and 6.1; 30, sections 4.2, 5.1 and 12.4.
struct GroupReads: Sendable {
    let contexts: ContextRuntime
    let groups: GroupRegistry
    let identity: NodeIdentity
    let upgrades: UpgradeService

    // MARK: - Scope

    /// The groups a caller may see, nil for all of them.
    func reach(_ call: RouteCall, _ state: GroupState) -> Set<String>? {
        call.caller?.account.map { state.reach(of: $0, device: call.caller?.device) }
    }

    /// The group a path names, if the caller may see it. Throws `NodeRefusal`.
    func visible(_ call: RouteCall, _ state: GroupState) throws -> (id: String, group: GroupRecord) {
        let id = try GroupAdmin.groupId(call)
        guard let group = state[id] else { throw RelayService.unknownGroup }
        if let reach = reach(call, state) {
            guard reach.contains(id) else { throw NodeRefusal(403, "the caller is not a member of this group") }
        } else if state.membership(of: identity.accountId, in: id) == nil {
            throw NodeRefusal(403, "this node is not a member of group \(id)")
        }
        return (id, group)
    }

    func answer(_ body: (GroupState) throws -> JsonTree) async -> DevHttpResponse {
        await NodeRefusal.answering { .json(200, try groups.read { try body($0) }) }
    }

    // MARK: - Namespaces

    func listNamespaces(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let reach = reach(call, state)
            let seen = state.roots.filter { id in reach.map { !$0.isDisjoint(with: state.subtree(of: id)) } ?? true }
            return ["data": .array(try Paging(call.request).page(seen).map { Self.row($0, state) })]
        }
    }

    func namespace(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let id = try GroupAdmin.groupId(call)
            let reach = reach(call, state)
            guard state[id]?.parent == nil, state[id] != nil,
                reach.map({ !$0.isDisjoint(with: state.subtree(of: id)) }) ?? true
            else { throw NodeRefusal(404, "Namespace not found") }
            return ["data": Self.row(id, state)]
        }
    }

    /// Not cut to the caller's groups, and so refused to an account's session.
    func namespacesForApplication(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let application = try GroupAdmin.id(call.parameters["application"] ?? "", "application id")
            let seen = state.roots.filter { state[$0]?.target?.applicationId == application }
            return ["data": .array(try Paging(call.request).page(seen).map { Self.row($0, state) })]
        }
    }

    func namespaceGroups(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, _) = try visible(call, state)
            let reach = reach(call, state)
            let below = state.subtree(of: id).dropFirst().filter { reach?.contains($0) ?? true }
            return ["data": .array(below.map { Self.entry($0, state) })]
        }
    }

    private static func row(_ id: String, _ state: GroupState) -> JsonTree {
        guard let group = state[id] else { return .null }
        let tree = state.subtree(of: id)
        var members = [
            JsonMember(name: "namespaceId", value: .string(id)),
            JsonMember(name: "appKey", value: .string(group.target?.bytecodeId ?? zeros)),
            JsonMember(name: "targetApplicationId", value: .string(group.target?.applicationId ?? zeros)),
            JsonMember(name: "createdAt", value: JsonTree(group.createdAt)),
            JsonMember(name: "memberCount", value: JsonTree(state.members(of: id).count)),
            JsonMember(name: "contextCount", value: JsonTree(tree.reduce(0) { $0 + (state[$1]?.contexts.count ?? 0) })),
            JsonMember(name: "subgroupCount", value: JsonTree(tree.count - 1)),
        ]
        if let name = group.metadata?.name { members.append(JsonMember(name: "name", value: .string(name))) }
        if let version = group.target?.version {
            members.append(JsonMember(name: "appVersion", value: .string(version)))
        }
        if let salt = group.salt {
            members.append(
                JsonMember(
                    name: "founding",
                    value: ["founderAccountId": .string(group.founder), "salt": .string(salt)]))
        }
        return .object(members)
    }

    static let zeros = String(repeating: "0", count: 64)

    private static func entry(_ id: String, _ state: GroupState) -> JsonTree {
        var members = [JsonMember(name: "groupId", value: .string(id))]
        if let name = state[id]?.metadata?.name { members.append(JsonMember(name: "name", value: .string(name))) }
        return .object(members)
    }

    // MARK: - Groups

    func group(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, group) = try visible(call, state)
            var members = [
                JsonMember(name: "groupId", value: .string(id)),
                JsonMember(name: "appKey", value: .string(group.target?.bytecodeId ?? Self.zeros)),
                JsonMember(name: "targetApplicationId", value: .string(group.target?.applicationId ?? Self.zeros)),
                JsonMember(name: "memberCount", value: JsonTree(state.members(of: id).count)),
                JsonMember(name: "contextCount", value: JsonTree(group.contexts.count)),
                JsonMember(name: "defaultCapabilities", value: JsonTree(group.defaultCapabilities)),
                JsonMember(name: "subgroupVisibility", value: group.isOpen ? "open" : "restricted"),
                JsonMember(name: "groupStateHash", value: .string(state.stateHash(of: id))),
                JsonMember(name: "namespaceId", value: .string(state.namespace(of: id) ?? id)),
                JsonMember(name: "ownerOpCounter", value: JsonTree(group.ownerOpCounter)),
            ]
            if let active = upgrades.status(of: id, group), active.isRunning {
                members.append(JsonMember(name: "activeUpgrade", value: active.wire))
            }
            if let metadata = group.metadata { members.append(JsonMember(name: "metadata", value: metadata.wire)) }
            return ["data": .object(members)]
        }
    }

    func members(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, group) = try visible(call, state)
            let rows = try Paging(call.request).page(state.members(of: id)).map { account, membership -> JsonTree in
                var members = [
                    JsonMember(name: "identity", value: .string(account)),
                    JsonMember(name: "role", value: .string(membership.role.rawValue)),
                ]
                if let name = group.members[account]?.metadata?.name {
                    members.append(JsonMember(name: "name", value: .string(name)))
                }
                return .object(members)
            }
            return ["members": .array(rows)]
        }
    }

    func memberDevices(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, _) = try visible(call, state)
            let asker = call.caller?.account ?? identity.accountId
            let isAdmin = state.isAdmin(asker, in: id)
            guard isAdmin || state.membership(of: asker, in: id) != nil else {
                throw NodeRefusal(403, "the caller is not a member of this group")
            }
            let accounts = state.members(of: id).map(\.account).filter { isAdmin || $0 == asker }
            let rows = try Paging(call.request).page(accounts).map { account -> JsonTree in
                let devices = state.devices(of: account, in: id).map { device -> JsonTree in
                    ["deviceId": .string(device.id), "signingKey": .string(device.record.signingKey)]
                }
                return ["account": .string(account), "devices": .array(devices)]
            }
            return ["members": .array(rows)]
        }
    }

    func groupContexts(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (_, group) = try visible(call, state)
            let rows = try Paging(call.request).page(group.contexts).map { context -> JsonTree in
                var members = [JsonMember(name: "contextId", value: .string(context))]
                if let name = group.contextMetadata[context]?.name {
                    members.append(JsonMember(name: "name", value: .string(name)))
                }
                return .object(members)
            }
            return ["data": .array(rows)]
        }
    }

    func subgroups(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, _) = try visible(call, state)
            let reach = reach(call, state)
            let children = state.children(of: id).filter { reach?.contains($0) ?? true }
            return ["subgroups": .array(children.map { Self.entry($0, state) })]
        }
    }

    func capabilities(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (id, _) = try visible(call, state)
            let account = try GroupAdmin.account(call)
            guard let membership = state.membership(of: account, in: id) else { throw GroupState.noMember }
            return ["data": ["capabilities": JsonTree(membership.capabilities)]]
        }
    }

    func groupMetadata(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in ["data": try visible(call, state).group.metadata?.wire ?? .null] }
    }

    func memberMetadata(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (_, group) = try visible(call, state)
            let account = try GroupAdmin.account(call)
            return ["data": group.members[account]?.metadata?.wire ?? .null]
        }
    }

    func contextMetadata(_ call: RouteCall) async -> DevHttpResponse {
        await answer { state in
            let (_, group) = try visible(call, state)
            let context = try GroupAdmin.id(call.parameters["context"] ?? "", "context id")
            return ["data": group.contextMetadata[context]?.wire ?? .null]
        }
    }
}

extension GroupMetadata {
    /// As it is answered.
    var wire: JsonTree {
        [
            "name": name.map { .string($0) } ?? .null,
            "data": .object(data.map { JsonMember(name: $0.key, value: .string($0.value)) }),
            "updatedAt": JsonTree(updatedAt), "updatedBy": .string(updatedBy),
        ]
    }
}

extension NodeCore {
    static func readRoutes(_ reads: GroupReads) -> [NodeRoute] {
        let api = "/admin-api"
        return [
            guarded("GET", "\(api)/namespaces") { await reads.listNamespaces($0) },
            guarded("GET", "\(api)/namespaces/{group}") { await reads.namespace($0) },
            guarded("GET", "\(api)/namespaces/for-application/{application}") {
                await reads.namespacesForApplication($0)
            },
            guarded("GET", "\(api)/namespaces/{group}/groups") { await reads.namespaceGroups($0) },
            guarded("GET", "\(api)/groups/{group}") { await reads.group($0) },
            guarded("GET", "\(api)/groups/{group}/members") { await reads.members($0) },
            guarded("GET", "\(api)/groups/{group}/member-devices") { await reads.memberDevices($0) },
            guarded("GET", "\(api)/groups/{group}/contexts") { await reads.groupContexts($0) },
            guarded("GET", "\(api)/groups/{group}/subgroups") { await reads.subgroups($0) },
            guarded("GET", "\(api)/groups/{group}/upgrade/status") { await reads.upgradeStatus($0) },
            guarded("GET", "\(api)/groups/{group}/cascade-status") { await reads.cascadeStatus($0) },
            guarded("GET", "\(api)/groups/{group}/migration-status") { await reads.migrationStatus($0) },
            guarded("GET", "\(api)/groups/{group}/settings/tee-admission-policy") { await reads.teePolicy($0) },
            guarded("GET", "\(api)/groups/{group}/metadata") { await reads.groupMetadata($0) },
            guarded("GET", "\(api)/groups/{group}/members/{member}/metadata") { await reads.memberMetadata($0) },
            guarded("GET", "\(api)/groups/{group}/members/{member}/capabilities") { await reads.capabilities($0) },
            guarded("GET", "\(api)/groups/{group}/contexts/{context}/metadata") { await reads.contextMetadata($0) },
        ]
    }
}
