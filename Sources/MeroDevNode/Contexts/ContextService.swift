import Foundation
import MeroKit

/// `/admin-api/contexts`: what there is, what is in it, who is there.
///
/// An account's session sees what its account's groups reach and is refused everything else; the node's owner sees all.
/// Spec: 20, sections 6.1 to 6.3.
struct ContextService: Sendable {
    let contexts: ContextRuntime
    let groups: GroupRegistry
    let identities: ContextIdentities
    let hub: EventHub
    let status: NodeStatus
    let clock: DevClock
    let identity: NodeIdentity
    let bodyLimit: Int

    var nodeAccount: String { identity.accountId }

    static let notFound = NodeRefusal(404, "Context not found")
    static let notMember = NodeRefusal(403, "account is not a member of the group owning this context")

    // MARK: - Scope

    /// The groups a caller may see, nil for all of them.
    private func reach(_ call: RouteCall, _ state: GroupState) -> Set<String>? {
        call.caller?.account.map { state.reach(of: $0, device: call.caller?.device) }
    }

    /// Which contexts a caller may see.
    private func sight(_ call: RouteCall) -> (String) -> Bool {
        groups.read { state in
            guard let reach = reach(call, state) else { return { _ in true } }
            let groupOfContext = state.groupOfContext.entries
            return { groupOfContext[$0].map(reach.contains) ?? false }
        }
    }

    func sees(_ call: RouteCall, _ context: String) -> Bool { sight(call)(context) }

    /// The context that a path names. Throws `NodeRefusal` and `EarlyReply`.
    func visible(_ call: RouteCall) throws -> ContextBox {
        guard let box = contexts[try call.pathId("context")] else { throw Self.notFound }
        guard sees(call, box.id) else { throw Self.notMember }
        return box
    }

    // MARK: - Listings

    private func listing(
        _ call: RouteCall, _ choose: ([ContextBox]) throws -> some Sequence<ContextBox>
    ) rethrows -> JsonTree {
        let isSeen = sight(call)
        let seen = contexts.ids.filter(isSeen).compactMap { contexts[$0] }
        return .array(try choose(seen).map { row($0, withGroup: true) })
    }

    func list(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let paging = try Paging(call.request)
            return .json(200, ["data": ["contexts": listing(call) { paging.page($0) }]])
        }
    }

    func listForApplication(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let application = try call.pathId("application")
            return .json(
                200, ["data": ["contexts": listing(call) { $0.filter { $0.applicationId == application } }]])
        }
    }

    func listWithExecutors(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let application = try call.pathId("application")
            let rows = contexts.ids.filter(sight(call)).compactMap { contexts[$0] }
                .filter { $0.applicationId == application }
                .map { box -> JsonTree in
                    [
                        "id": .string(box.id), "application_id": .string(application),
                        "contextStateHash": .string(Self.stateHash(box)), "executors": [.string(box.executor)],
                    ]
                }
            return .json(200, ["contexts": .array(rows)])
        }
    }

    /// 64 zeros for a context whose state has not come yet.
    private static func stateHash(_ box: ContextBox) -> String {
        box.read { Hex.encode($0.condition == .uninitialized ? [UInt8](repeating: 0, count: 32) : $0.root) }
    }

    private func row(_ box: ContextBox, withGroup: Bool) -> JsonTree {
        let (program, hasState) = box.read { ($0.program, $0.condition != .uninitialized && $0.state.count > 0) }
        let hash = Self.stateHash(box)
        var members = [
            JsonMember(name: "id", value: .string(box.id)),
            JsonMember(name: "applicationId", value: .string(program.applicationId)),
        ]
        func add(_ name: String, _ value: JsonTree?) {
            if let value { members.append(JsonMember(name: name, value: value)) }
        }
        add("serviceName", program.service.map { .string($0) })
        add("contextStateHash", .string(hash))
        if hasState { add("dagHeads", [.array((Hex.decode(hash) ?? []).map { JsonTree($0) })]) }
        let (group, name, target) = groups.read { state -> (String?, String?, GroupTarget?) in
            let group = state.groupOfContext[box.id]
            let record = group.flatMap { state[$0] }
            return (group, record?.contextMetadata[box.id]?.name, record?.target)
        }
        let isGroups = target?.applicationId == program.applicationId
        add("applicationVersion", (isGroups ? target?.version : program.version).map { .string($0) })
        add("name", name.map { .string($0) })
        if withGroup { add("groupId", group.map { .string($0) }) }
        return .object(members)
    }

    // MARK: - One context

    func get(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering { .json(200, ["data": row(try visible(call), withGroup: false)]) }
    }

    func group(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let box = try visible(call)
            return .json(200, ["data": groups.group(ofContext: box.id).map { .string($0) } ?? .null])
        }
    }

    func storage(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("context", orSay: "Invalid context ID format")
            guard let box = contexts[id] else { return .json(200, ["data": ["sizeInBytes": 0]]) }
            guard sees(call, id) else { throw Self.notMember }
            return .json(200, ["data": ["sizeInBytes": JsonTree(box.size)]])
        }
    }

    /// What an account's devices sign with in a context, where the node has a key of its own.
    private func keys(of account: String, in group: String, _ box: ContextBox, _ state: GroupState) -> [String] {
        state.devices(of: account, in: group).map(\.record.signingKey).map { key in
            key == identity.nodeKey ? box.executor : key
        }
    }

    /// The keys that sign in a context: the node's, and those of the members' devices that the node has heard of.
    func memberIdentities(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let box = try visible(call)
            let others = groups.read { state -> [String] in
                guard let group = state.groupOfContext[box.id] else { return [] }
                return state.members(of: group).flatMap { self.keys(of: $0.account, in: group, box, state) }
            }
            let keys = [box.executor] + others.filter { $0 != box.executor }
            return .json(200, ["data": ["identities": JsonTree(keys), "identitiesOf": "members"]])
        }
    }

    func ownedIdentities(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let box = try visible(call)
            guard let account = call.caller?.account, let group = groups.group(ofContext: box.id) else {
                return .json(200, ["data": ["identities": [.string(box.executor)], "identitiesOf": "node"]])
            }
            let keys = groups.read { self.keys(of: account, in: group, box, $0) }
            return .json(200, ["data": ["identities": JsonTree(keys), "identitiesOf": "caller"]])
        }
    }

    func makeIdentity(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            try EmptyBody.check(call.request, limit: bodyLimit)
            return .json(200, ["data": ["publicKey": .string(try identities.keep())]])
        }
    }

    func delete(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("context", orSay: "Invalid context id")
            try EmptyBody.check(call.request, limit: bodyLimit)
            guard contexts[id] != nil else { throw Self.notFound }
            guard sees(call, id) else { throw Self.notMember }
            guard try contexts.remove(id) else { throw Self.notFound }
            let namespace = try groups.change { state -> String? in
                let namespace = state.groupOfContext[id].flatMap { state.namespace(of: $0) }
                state.detach(context: id)
                return namespace
            }
            hub.announce([], namespace: namespace)
            return .json(200, ["data": ["isDeleted": true]])
        }
    }

    /// Switches the code and nothing else.
    func changeApplication(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let body = try AdminBody.read(call.request, ["applicationId", "executorPublicKey"], limit: bodyLimit)
            let (application, executor) = try body { (try $0.id("applicationId"), try $0.id("executorPublicKey")) }
            let box = try visible(call)
            guard let contract = contexts.contract(ofApplication: application) else {
                throw NodeRefusal(404, "Application not found")
            }
            guard executor == box.executor || identities.has(executor) else {
                throw NodeRefusal(403, "\(executor) is no identity of this node in this context")
            }
            let target = contexts.applications.target(ofApplication: application)
            try contexts.run(
                ContextProgram(applicationId: application, contract: contract.name, version: target?.version),
                in: box)
            hub.recheck()
            return .json(200, ["data": .null])
        }
    }
}
