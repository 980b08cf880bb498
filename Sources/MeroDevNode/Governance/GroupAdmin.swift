import Foundation
import MeroKit

/// What the node's owner does with namespaces and groups. The node acts as its account.
///
/// Spec: 30, sections 4 to 10.
struct GroupAdmin: Sendable {
    let contexts: ContextRuntime
    let groups: GroupRegistry
    let identity: NodeIdentity
    let hub: EventHub
    let clock: DevClock
    let catalog: ReleaseCatalog
    let admission: GroupAdmission
    let upgrades: UpgradeService
    let bodyLimit: Int

    static let notARoot = NodeRefusal(400, "namespace_id must reference a root group (namespace)")
    static let noIdentity = NodeRefusal(403, "this node's device speaks for no account in this namespace")

    static var done: DevHttpResponse { .json(200, [:]) }

    // MARK: - Paths and bodies

    /// The id of a group or namespace as a path names it. Throws `NodeRefusal`.
    static func groupId(_ call: RouteCall) throws -> String { try id(call.parameters["group"] ?? "", "group id") }

    /// Throws `NodeRefusal`.
    static func id(_ raw: String, _ label: String) throws -> String {
        guard let bytes = Hex.decode(raw), !raw.isEmpty else {
            throw NodeRefusal(400, "Invalid \(label) format: expected hex-encoded 32 bytes")
        }
        guard bytes.count == 32 else { throw NodeRefusal(400, "Invalid \(label): must be exactly 32 bytes") }
        return Hex.encode(bytes)
    }

    /// The account as a path names it. Throws `NodeRefusal`.
    static func account(_ call: RouteCall) throws -> String {
        guard let bytes = Hex.decode(call.parameters["member"] ?? ""), bytes.count == 32 else {
            throw NodeRefusal(400, "Invalid account format: expected 64 hex characters (32 bytes)")
        }
        return Hex.encode(bytes)
    }

    func fields(_ call: RouteCall, _ names: [String] = []) throws -> JsonFields {
        try AdminBody.read(call.request, names, limit: bodyLimit).fields
    }

    // MARK: - Acting

    /// The account that the node acts as. Throws `NodeRefusal`.
    func actor(_ call: RouteCall) throws -> String {
        guard call.caller?.account == nil else {
            throw NodeRefusal(403, "an account session cannot do this; have a relay carry a warrant out")
        }
        guard let account = identity.usableAccount else { throw Self.noIdentity }
        return account
    }

    /// Changes a group that the node's account is a member of, and tells it. Throws `NodeRefusal`.
    func change(
        _ call: RouteCall, _ id: String,
        _ body: (inout GroupState, _ actor: String) throws -> [GroupEvent] = { _, _ in [] }
    ) throws {
        let actor = try actor(call)
        let (events, namespace) = try groups.change { state in
            let namespace = try Self.require(actor, in: id, state)
            return (try body(&state, actor), namespace)
        }
        hub.announce(events, namespace: namespace)
    }

    /// The namespace of a group that the account is a member of. Throws `NodeRefusal`.
    @discardableResult
    static func require(_ account: String, in id: String, _ state: GroupState) throws -> String {
        guard let namespace = state.namespace(of: id) else { throw RelayService.unknownGroup }
        guard state.membership(of: account, in: id) != nil else {
            throw NodeRefusal(403, "this node is not a member of group \(id)")
        }
        return namespace
    }

    /// Throws `NodeRefusal` unless it is a namespace that the account is a member of.
    static func requireRoot(_ account: String, _ id: String, _ state: GroupState) throws {
        guard let group = state[id] else { throw RelayService.unknownGroup }
        guard group.parent == nil else { throw notARoot }
        try require(account, in: id, state)
    }

    /// Milliseconds since 1970.
    var milliseconds: Int64 { Int64(clock.now.timeIntervalSince1970 * 1000) }

    static func data(_ tree: JsonTree) -> DevHttpResponse { .json(200, ["data": tree]) }
}
