import Foundation

extension ContextEvent {
    /// What an event says, as types. Later versions may add cases: keep a `default`.
    ///
    /// Spec: 40, section 3.
    public enum Content: Sendable, Equatable {
        /// The state of a context moved.
        case stateMutation(StateMutation)
        /// The node got further, or stuck, at getting the context's state.
        case syncStatus(SyncStatus)
        /// The context runs another version of its application.
        case appVersionChanged(AppVersionChange)
        /// The context called into another one.
        case xCall(XCall)
        /// An author's presence changed.
        case presence(EphemeralDelta)
        /// The account joined by itself.
        case memberJoined(MembershipChange)
        /// An admin added the account.
        case memberAdded(MembershipChange)
        /// The account left, or was removed.
        case memberRemoved(MembershipChange)
        /// A namespace begins to move to another version.
        case migrationStarted(MigrationStarted)
        /// How far the nodes of a namespace are with it.
        case migrationProgress(MigrationProgress)
        /// How far one node is with one subgroup.
        case cascadeProgress(CascadeProgress)
        /// A namespace has moved to another version.
        case migrationCompleted(MigrationCompleted)
        /// Events may have been missed here: read state again. See `ContextEvent.gapKind`.
        case gap
        /// A kind that this version does not know, or one whose data lack what the kind requires. See `payload`.
        case other
    }

    /// What the event says. Read from the event's text on each call.
    public var content: Content {
        if isGap { return .gap }
        return withData { data in
            switch kind {
            case "StateMutation": return .stateMutation(StateMutation(data))
            case "SyncStatus": return SyncStatus(data).map(Content.syncStatus)
            case "AppVersionChanged": return .appVersionChanged(AppVersionChange(data))
            case "XCall": return XCall(data).map(Content.xCall)
            case "Ephemeral": return EphemeralDelta(data).map(Content.presence)
            case "MemberJoined": return .memberJoined(MembershipChange(data))
            case "MemberAdded": return .memberAdded(MembershipChange(data))
            case "MemberRemoved": return .memberRemoved(MembershipChange(data))
            case "MigrationStarted": return MigrationStarted(data).map(Content.migrationStarted)
            case "MigrationProgress": return MigrationProgress(data).map(Content.migrationProgress)
            case "CascadeProgress": return CascadeProgress(data).map(Content.cascadeProgress)
            case "MigrationCompleted": return MigrationCompleted(data).map(Content.migrationCompleted)
            default: return nil
            }
        } ?? .other
    }
}

// MARK: - Contexts

extension ContextEvent {
    /// The state of a context moved, by a call on this node or by what other nodes sent.
    ///
    /// Own writes come back as events too. Spec: 40, section 3.1.
    public struct StateMutation: Sendable, Equatable {
        /// The new state root.
        public let newRoot: String?
        /// What the contract emitted; empty when the state moved without.
        public let events: [ContractEvent]

        init(_ data: JSONFields) {
            newRoot = data.string("newRoot")
            events = data.objects("events").compactMap(ContractEvent.init)
        }
    }

    /// How the node is doing at getting the context's state. Spec: 40, section 3.6.
    public struct SyncStatus: Sendable, Equatable {
        /// What the node does now.
        public let state: SyncState
        /// Failures in a row.
        public let failureCount: Int
        /// What the last failure said; nil when there was none.
        public let lastError: String?

        init?(_ data: JSONFields) {
            guard let state = data.object("syncState").flatMap(SyncState.init) else { return nil }
            self.state = state
            failureCount = data.integer("failureCount") ?? 0
            lastError = data.string("lastError")
        }
    }

    /// The context runs another version of its application from now on.
    public struct AppVersionChange: Sendable, Equatable {
        /// Nil when the node does not know it.
        public let fromVersion: String?
        /// Nil when the node does not know it.
        public let toVersion: String?

        init(_ data: JSONFields) {
            fromVersion = data.string("fromVersion")
            toVersion = data.string("toVersion")
        }
    }

    /// The context called into another one. The event's context is the caller. Spec: 40, section 3.5.
    public struct XCall: Sendable, Equatable {
        /// How such a call ended.
        public enum Outcome: Sendable, Equatable {
            /// The method ran.
            case ok
            /// The target does not let itself be called like this.
            case denied(reason: String?)
            /// The called method failed.
            case executionFailed(message: String?)
            /// An outcome that this version does not know.
            case unknown(status: String)
        }

        /// The context that was called.
        public let targetContextId: String
        /// The method that was called.
        public let function: String
        /// How it ended.
        public let outcome: Outcome

        init?(_ data: JSONFields) {
            guard let target = data.string("targetContextId"), let function = data.string("function"),
                let outcome = data.object("outcome"), let status = outcome.string("status")
            else { return nil }
            targetContextId = target
            self.function = function
            let detail = outcome.object("detail")
            switch status {
            case "ok": self.outcome = .ok
            case "denied": self.outcome = .denied(reason: detail?.string("reason"))
            case "exec_error": self.outcome = .executionFailed(message: detail?.string("message"))
            default: self.outcome = .unknown(status: status)
            }
        }
    }

    /// An author's presence changed. Spec: 40, section 5.4.
    public struct EphemeralDelta: Sendable, Equatable {
        /// The key that signed it. No proof of membership.
        public let author: String
        /// The account, when a relay carries its presence.
        public let account: String?
        /// The slice as the author published it; nil on a removal.
        public let state: Data?
        /// This node no longer tracks the author. No proof that the author is gone.
        public let removed: Bool
        /// How old the slice is, in milliseconds, when it is a replay of what was known at the time of subscribing. Nil for
        /// a change that just happened.
        public let ageMs: UInt64?

        init?(_ data: JSONFields) {
            guard let author = data.string("author") else { return nil }
            removed = data.isTrue("removed")
            state = removed ? nil : data.bytes("state")
            // A state that is there, but is no array of bytes, must not look like none.
            if !removed, state == nil, data.has("state") { return nil }
            self.author = author
            account = data.string("account")
            ageMs = data.integer("ageMs")
        }
    }
}

// MARK: - Groups

extension ContextEvent {
    /// Who came into a group or went. Spec: 40, section 3.3.
    public struct MembershipChange: Sendable, Equatable {
        /// What a member is in a group.
        public enum Role: String, Sendable, CaseIterable {
            /// Changes members and settings, too.
            case admin = "Admin"
            /// Reads and writes.
            case member = "Member"
            /// Reads; its writes are discarded.
            case readOnly = "ReadOnly"
            /// A node in a trusted environment that only reads.
            case readOnlyTee = "ReadOnlyTee"
            /// A node in a trusted environment that writes for others, and never as itself.
            case relayTee = "RelayTee"
        }

        /// The account. Nil from a node of before August 2026, which names a signing key only.
        public let memberAccount: String?
        /// The role as the node spells it. Nil on a removal, and when it was inherited.
        public let role: String?
        /// The role, nil when there is none or this version does not know it.
        public var knownRole: Role? { role.flatMap(Role.init) }

        init(_ data: JSONFields) {
            memberAccount = data.string("memberAccount")
            role = data.string("role")
        }
    }

    /// A namespace begins to move to another version. Spec: 40, section 3.4.
    public struct MigrationStarted: Sendable, Equatable {
        /// The version before.
        public let fromVersion: String
        /// The version that is to come.
        public let toVersion: String
        /// The version of the state's layout that is to come.
        public let toStateVersion: Int
        /// How many contexts the node that says so has.
        public let localContextsTotal: Int

        init?(_ data: JSONFields) {
            guard let from = data.string("fromVersion"), let to = data.string("toVersion"),
                let stateVersion: Int = data.integer("toStateVersion"),
                let contexts: Int = data.integer("localContextsTotal")
            else { return nil }
            fromVersion = from
            toVersion = to
            toStateVersion = stateVersion
            localContextsTotal = contexts
        }
    }

    /// How far the nodes of a namespace are. Spec: 40, section 3.4.
    public struct MigrationProgress: Sendable, Equatable {
        /// Nodes that are done.
        public let migrated: Int
        /// Nodes that are at it.
        public let inProgress: Int
        /// Nodes that have not said anything.
        public let unknown: Int
        /// Nodes that failed.
        public let failed: Int
        /// All of them.
        public let total: Int

        init?(_ data: JSONFields) {
            guard let migrated: Int = data.integer("migrated"), let inProgress: Int = data.integer("inProgress"),
                let unknown: Int = data.integer("unknown"), let failed: Int = data.integer("failed"),
                let total: Int = data.integer("total")
            else { return nil }
            self.migrated = migrated
            self.inProgress = inProgress
            self.unknown = unknown
            self.failed = failed
            self.total = total
        }
    }

    /// How far one node is with one subgroup. Only admins of the namespace are told. Spec: 40, section 3.4.
    public struct CascadeProgress: Sendable, Equatable {
        /// The subgroup, 64 hex characters.
        public let subgroupId: String
        /// Contexts of the node that run the new version.
        public let localContextsSwapped: Int
        /// Contexts of the node in that subgroup.
        public let localContextsTotal: Int

        init?(_ data: JSONFields) {
            guard let subgroup = data.string("subgroupId"), let swapped: Int = data.integer("localContextsSwapped"),
                let total: Int = data.integer("localContextsTotal")
            else { return nil }
            subgroupId = subgroup
            localContextsSwapped = swapped
            localContextsTotal = total
        }
    }

    /// A namespace has moved to another version. Spec: 40, section 3.4.
    public struct MigrationCompleted: Sendable, Equatable {
        /// The version that runs now.
        public let toVersion: String
        /// In seconds since 1970.
        public let completedAt: UInt64

        init?(_ data: JSONFields) {
            guard let version = data.string("toVersion"), let time: UInt64 = data.integer("completedAt") else {
                return nil
            }
            toVersion = version
            completedAt = time
        }
    }
}
