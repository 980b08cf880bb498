import Foundation
import MeroKit

/// Joining, leaving and syncing.
///
/// Spec: 20, section 6.3.
extension ContextService {
    private static func membership(_ box: ContextBox) -> DevHttpResponse {
        .json(200, ["data": ["contextId": .string(box.id), "memberPublicKey": .string(box.executor)]])
    }

    /// The node joins by its membership in the group; a context that it has left comes back.
    func join(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let id = try call.pathId("context")
            try EmptyBody.check(call.request, limit: bodyLimit)
            let group = groups.group(ofContext: id)
            if let group, identity.usableAccount.flatMap({ groups.role(of: $0, in: group) }) == nil {
                throw NodeRefusal(403, "this node is not a member of the group owning this context")
            }
            guard sees(call, id) else { throw Self.notMember }
            if contexts.link.join(id) == nil { _ = try contexts.rejoin(id) }
            guard let box = contexts[id] else {
                guard group == nil else { throw NodeRefusal(503, "no node that has this context can be reached") }
                throw Self.notFound
            }
            switch box.read({ $0.condition }) {
            case .notMember: throw NodeRefusal(403, "this node is not a member of the group owning this context")
            case .groupKeyPending: throw NodeRefusal(503, "the group's key has not come yet")
            case .uninitialized: throw NodeRefusal(503, "the context's history has not come yet")
            default: break
            }
            hub.recheck()
            return Self.membership(box)
        }
    }

    func leave(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let box = try visible(call)
            try contexts.leave(box)
            contexts.link.network?.leave(box.id, as: contexts.link.id, author: box.executor)
            hub.recheck()
            return Self.membership(box)
        }
    }

    func sync(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            try EmptyBody.check(call.request, limit: bodyLimit)
            _ = contexts.link.join(try visible(call).id)
            return .json(200, ["data": .null])
        }
    }

    func syncAll(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            if call.caller?.scopes.contextBinding != nil {
                throw NodeRefusal(403, "This key may not sync every context")
            }
            try EmptyBody.check(call.request, limit: bodyLimit)
            for id in contexts.ids { _ = contexts.link.join(id) }
            return .json(200, ["data": .null])
        }
    }

    /// Only what is stranded, which here is what waits for its first state, or whoever insists.
    func resync(_ call: RouteCall) async -> DevHttpResponse {
        await NodeRefusal.answering {
            let body = try AdminBody.read(call.request, ["force"], limit: bodyLimit)
            let isForced = try body { fields -> Bool in
                guard let value = fields.optional("force") else { return false }
                guard let flag = value.boolValue else { throw JsonShapeProblem.type(value, expected: "a boolean") }
                return flag
            }
            let box = try visible(call)
            guard isForced || box.read({ $0.condition == .uninitialized }) else {
                throw NodeRefusal(409, "resync refused: the context is not stranded; force it to discard its state")
            }
            _ = contexts.link.join(box.id)
            return .json(200, ["contextId": .string(box.id), "resyncStarted": true])
        }
    }
}
