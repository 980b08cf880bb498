import Foundation
import MeroKit

/// An event as a node emits it. A test plays one with ``DevNode/emit(_:context:)`` or ``DevNode/emit(_:group:)``.
///
/// Spec: 40, section 3.
public enum DevEvent: Sendable {
    /// The state of a context moved. `events: nil` is written as `null`.
    case stateMutation(newRoot: String, events: [DevEmittedEvent]?)
    /// How the node gets on with a context.
    case syncStatus(DevSyncState, failureCount: UInt32 = 0, lastError: String? = nil)
    /// A context runs another version of its application.
    case appVersionChanged(from: String? = nil, to: String? = nil)
    /// A call from this context into another one.
    case xCall(target: String, function: String, outcome: DevXCallOutcome)
    /// Somebody joined a group by themselves.
    case memberJoined(account: String, role: DevRole? = nil)
    /// Somebody was added by an administrator.
    case memberAdded(account: String, role: DevRole? = nil)
    /// Somebody left or was removed.
    case memberRemoved(account: String)
    /// A migration began.
    case migrationStarted(fromVersion: String, toVersion: String, toStateVersion: UInt32, localContextsTotal: UInt32)
    /// How far the fleet is.
    case migrationProgress(migrated: UInt32, inProgress: UInt32, unknown: UInt32, failed: UInt32, total: UInt32)
    /// How far this node is in one subgroup; heard by administrators of the group alone.
    case cascadeProgress(subgroupId: String, localContextsSwapped: UInt32, localContextsTotal: UInt32)
    /// A migration is over, at this second since 1970.
    case migrationCompleted(toVersion: String, completedAt: UInt64)
    /// A kind that no client knows yet. `data: nil` leaves the member out.
    case other(type: String, data: JSONValue?)
}

/// The `syncState` of a context.
///
/// Spec: 40, section 3.6.
public enum DevSyncState: Sendable, Equatable {
    /// Nothing to get.
    case idle
    /// Nobody has the state yet.
    case waitingForPeers
    /// Takes over what a peer has.
    case syncing
    /// Receives all of the state; nil where the node cannot tell.
    case receivingSnapshot(recordsReceived: UInt64, percent: UInt8? = nil, etaSeconds: UInt64? = nil)
    /// Failed, and waits before it tries again.
    case backingOff(retryInSeconds: UInt64)

    var tree: JsonTree {
        switch self {
        case .idle: return ["state": "idle"]
        case .waitingForPeers: return ["state": "waitingForPeers"]
        case .syncing: return ["state": "syncing"]
        case .receivingSnapshot(let records, let percent, let eta):
            return [
                "state": "receivingSnapshot", "records_received": JsonTree(records),
                "percent": percent.map { JsonTree($0) } ?? .null, "eta_secs": eta.map { JsonTree($0) } ?? .null,
            ]
        case .backingOff(let seconds): return ["state": "backingOff", "retry_in_secs": JsonTree(seconds)]
        }
    }
}

/// How a call into another context ended.
///
/// Spec: 40, section 3.5.
public enum DevXCallOutcome: Sendable, Equatable {
    /// The method ran.
    case ok
    /// The target does not let itself be called like this.
    case denied(reason: String)
    /// The called method failed.
    case execError(message: String)

    var tree: JsonTree {
        switch self {
        case .ok: return ["status": "ok"]
        case .denied(let reason): return ["status": "denied", "detail": ["reason": .string(reason)]]
        case .execError(let message): return ["status": "exec_error", "detail": ["message": .string(message)]]
        }
    }
}

extension DevEvent {
    /// The text of `result`; `key` is `contextId` or `groupId`.
    func text(key: String, id: String) -> [UInt8] {
        if key == "contextId", case .stateMutation(let root, let events) = self {
            return EventText.stateMutation(contextId: id, newRoot: root, events: events)
        }
        let (type, data) = content
        var members = [JsonMember(name: key, value: .string(id)), JsonMember(name: "type", value: .string(type))]
        if let data { members.append(JsonMember(name: "data", value: data)) }
        return JsonTree.object(members).bytes
    }

    var isRemoval: Bool {
        if case .memberRemoved = self { return true }
        return false
    }

    var isForAdmins: Bool {
        if case .cascadeProgress = self { return true }
        return false
    }

    private static func object(_ members: [(String, JsonTree?)]) -> JsonTree {
        .object(members.compactMap { name, value in value.map { JsonMember(name: name, value: $0) } })
    }

    private static func member(_ account: String, _ role: DevRole?) -> JsonTree {
        object([("memberAccount", .string(account)), ("role", role.map { .string($0.rawValue) })])
    }

    private var content: (type: String, data: JsonTree?) {
        switch self {
        case .stateMutation(let root, let events):
            let list = events?.map { event -> JsonTree in
                [
                    "kind": .string(event.kind), "data": .array(event.data.map { JsonTree($0) }),
                    "handler": event.handler.map { .string($0) } ?? .null,
                ]
            }
            return ("StateMutation", ["newRoot": .string(root), "events": list.map { .array($0) } ?? .null])
        case .syncStatus(let state, let failures, let error):
            return (
                "SyncStatus",
                Self.object([
                    ("syncState", state.tree), ("failureCount", JsonTree(failures)),
                    ("lastError", error.map { .string($0) }),
                ])
            )
        case .appVersionChanged(let from, let to):
            return (
                "AppVersionChanged",
                Self.object([("fromVersion", from.map { .string($0) }), ("toVersion", to.map { .string($0) })])
            )
        case .xCall(let target, let function, let outcome):
            return (
                "XCall",
                ["targetContextId": .string(target), "function": .string(function), "outcome": outcome.tree]
            )
        case .memberJoined(let account, let role): return ("MemberJoined", Self.member(account, role))
        case .memberAdded(let account, let role): return ("MemberAdded", Self.member(account, role))
        case .memberRemoved(let account): return ("MemberRemoved", Self.member(account, nil))
        case .other(let type, let data): return (type, data.map { JsonTree($0) })
        case .migrationStarted, .migrationProgress, .cascadeProgress, .migrationCompleted: return migration
        }
    }

    private var migration: (type: String, data: JsonTree?) {
        switch self {
        case .migrationStarted(let from, let to, let version, let total):
            return (
                "MigrationStarted",
                [
                    "fromVersion": .string(from), "toVersion": .string(to), "toStateVersion": JsonTree(version),
                    "localContextsTotal": JsonTree(total),
                ]
            )
        case .migrationProgress(let migrated, let inProgress, let unknown, let failed, let total):
            return (
                "MigrationProgress",
                [
                    "migrated": JsonTree(migrated), "inProgress": JsonTree(inProgress), "unknown": JsonTree(unknown),
                    "failed": JsonTree(failed), "total": JsonTree(total),
                ]
            )
        case .cascadeProgress(let subgroup, let swapped, let total):
            return (
                "CascadeProgress",
                [
                    "subgroupId": .string(subgroup), "localContextsSwapped": JsonTree(swapped),
                    "localContextsTotal": JsonTree(total),
                ]
            )
        case .migrationCompleted(let to, let at):
            return ("MigrationCompleted", ["toVersion": .string(to), "completedAt": JsonTree(at)])
        default: return ("event", nil)
        }
    }
}
