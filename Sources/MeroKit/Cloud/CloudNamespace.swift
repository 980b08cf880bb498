/// A namespace that the cloud's user owns.
///
/// Spec: 70, section 3.2.
public struct CloudNamespace: Sendable, Equatable {
    /// The namespace, 64 hex characters.
    public let namespaceId: String
    /// The same.
    public let groupId: String
    /// `enabled`, `disabled`, or `none` where it never was.
    public let haStatus: String
    /// An ISO time.
    public let haEnabledAt: String?
    /// Its contexts, as far as the cloud knows.
    public let contexts: [String]
    /// What the cloud says about replicas, as it says it.
    public let fleetReplicas: JSONValue?

    /// Makes a value of its parts.
    public init(
        namespaceId: String, groupId: String, haStatus: String, haEnabledAt: String? = nil, contexts: [String] = [],
        fleetReplicas: JSONValue? = nil
    ) {
        self.namespaceId = namespaceId
        self.groupId = groupId
        self.haStatus = haStatus
        self.haEnabledAt = haEnabledAt
        self.contexts = contexts
        self.fleetReplicas = fleetReplicas
    }

    init(_ row: JSONValue) {
        let namespace = row.text("namespace_id")
        let group = row.text("group_id")
        self.init(
            namespaceId: namespace ?? group ?? "", groupId: group ?? namespace ?? "",
            haStatus: row.text("ha_status") ?? "none", haEnabledAt: row.text("ha_enabled_at"),
            contexts: row["contexts"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            fleetReplicas: row["fleet_replicas"]?.unlessNull)
    }
}

/// A relay that the cloud gave to a namespace.
///
/// Spec: 70, section 3.2.
public struct CloudNamespaceRelay: Sendable, Equatable {
    /// The relay's id in the network, which is no key that it signs with.
    public let peerId: String
    /// Its origin; nil while the cloud knows none.
    public let relayUrl: String?
    /// The account that a warrant for it names.
    public let executorAccount: String?
    /// The key that it signs with, where the cloud tells it.
    public let nodeKey: String?
    /// `assigned` or `active`.
    public let status: String
    /// Whether it may write for others.
    public let authorshipReady: Bool
    /// `RelayTee`, `ReadOnlyTee`, or nil. The latter never writes for others.
    public let teeRole: String?
    /// The cloud's verdict whether it runs writes.
    public let canExecute: Bool
    /// An ISO time.
    public let lastSeenAt: String?
    /// An ISO time.
    public let confirmedAt: String?

    /// Makes a value of its parts.
    public init(
        peerId: String, relayUrl: String? = nil, executorAccount: String? = nil, nodeKey: String? = nil,
        status: String = "", authorshipReady: Bool = false, teeRole: String? = nil, canExecute: Bool = false,
        lastSeenAt: String? = nil, confirmedAt: String? = nil
    ) {
        self.peerId = peerId
        self.relayUrl = relayUrl
        self.executorAccount = executorAccount
        self.nodeKey = nodeKey
        self.status = status
        self.authorshipReady = authorshipReady
        self.teeRole = teeRole
        self.canExecute = canExecute
        self.lastSeenAt = lastSeenAt
        self.confirmedAt = confirmedAt
    }

    init(_ row: JSONValue) {
        let relayUrl = row.text("relay_url")
        let executor = row.text("executor_account")
        let isReady = row.flag("authorship_ready")
        self.init(
            peerId: row["peer_id"]?.stringValue ?? "", relayUrl: relayUrl, executorAccount: executor,
            nodeKey: row.text("node_key") ?? row.text("node_public_key"), status: row["status"]?.stringValue ?? "",
            authorshipReady: isReady, teeRole: row.text("tee_role"),
            // The cloud's own verdict wins wherever it gives one.
            canExecute: row.verdict("can_execute") ?? (isReady && relayUrl != nil && executor != nil),
            lastSeenAt: row.text("last_seen_at"), confirmedAt: row.text("confirmed_at"))
    }
}

/// A machine that serves namespaces of the cloud's user.
///
/// Spec: 70, section 3.2.
public struct CloudMachine: Sendable, Equatable {
    /// The machine's id in the network.
    public let peerId: String
    /// Its origin; nil while the cloud knows none.
    public let relayUrl: String?
    /// The account that a warrant for it names.
    public let executorAccount: String?
    /// Whether it runs writes for any of the namespaces.
    public let canExecute: Bool
    /// The user's own namespaces on it.
    public let namespaces: [Namespace]

    /// A namespace on the machine.
    public struct Namespace: Sendable, Equatable {
        /// The namespace, 64 hex characters.
        public let namespaceId: String
        /// `assigned` or `active`.
        public let status: String
        /// Whether the machine may write for others there.
        public let authorshipReady: Bool
        /// `RelayTee`, `ReadOnlyTee`, or nil.
        public let teeRole: String?
        /// Whether it was heard of lately.
        public let fresh: Bool
        /// An ISO time.
        public let confirmedAt: String?
        /// An ISO time.
        public let lastSeenAt: String?

        /// Makes a value of its parts.
        public init(
            namespaceId: String, status: String, authorshipReady: Bool, teeRole: String? = nil, fresh: Bool = false,
            confirmedAt: String? = nil, lastSeenAt: String? = nil
        ) {
            self.namespaceId = namespaceId
            self.status = status
            self.authorshipReady = authorshipReady
            self.teeRole = teeRole
            self.fresh = fresh
            self.confirmedAt = confirmedAt
            self.lastSeenAt = lastSeenAt
        }

        init(_ row: JSONValue) {
            self.init(
                namespaceId: row["namespace_id"]?.stringValue ?? "", status: row["status"]?.stringValue ?? "",
                authorshipReady: row.flag("authorship_ready"), teeRole: row.text("tee_role"),
                fresh: row.flag("fresh"), confirmedAt: row.text("confirmed_at"), lastSeenAt: row.text("last_seen_at"))
        }
    }

    /// Makes a value of its parts.
    public init(
        peerId: String, relayUrl: String?, executorAccount: String?, canExecute: Bool, namespaces: [Namespace]
    ) {
        self.peerId = peerId
        self.relayUrl = relayUrl
        self.executorAccount = executorAccount
        self.canExecute = canExecute
        self.namespaces = namespaces
    }

    init(_ row: JSONValue) {
        let relayUrl = row.text("relay_url")
        let executor = row.text("executor_account")
        let namespaces = (row["namespaces"]?.arrayValue ?? []).map(Namespace.init)
        let derived = relayUrl != nil && executor != nil && namespaces.contains(where: \.authorshipReady)
        self.init(
            peerId: row["peer_id"]?.stringValue ?? "", relayUrl: relayUrl, executorAccount: executor,
            canExecute: row.verdict("can_execute") ?? derived, namespaces: namespaces)
    }
}

/// An account that belongs to the cloud's user.
///
/// Spec: 70, section 3.2.
public struct CloudLinkedAccount: Sendable, Equatable {
    /// The account, 64 hex characters.
    public let accountId: String
    /// An ISO time.
    public let linkedAt: String?
    /// Whether the cloud keeps a way back into it.
    public let hasRecoveryEnvelope: Bool

    /// Makes a value of its parts.
    public init(accountId: String, linkedAt: String?, hasRecoveryEnvelope: Bool) {
        self.accountId = accountId
        self.linkedAt = linkedAt
        self.hasRecoveryEnvelope = hasRecoveryEnvelope
    }

    init(_ row: JSONValue) {
        self.init(
            accountId: row["account_id"]?.stringValue ?? "", linkedAt: row.text("linked_at"),
            hasRecoveryEnvelope: row.flag("has_recovery_envelope"))
    }
}

/// What came of linking an account to a cloud user.
///
/// Spec: 70, section 3.3.
public struct CloudAccountLink: Sendable, Equatable {
    /// The account, 64 hex characters.
    public let accountId: String
    /// An ISO time.
    public let linkedAt: String?
    /// It belonged to the same user before.
    public let alreadyLinked: Bool

    /// Makes a value of its parts.
    public init(accountId: String, linkedAt: String?, alreadyLinked: Bool) {
        self.accountId = accountId
        self.linkedAt = linkedAt
        self.alreadyLinked = alreadyLinked
    }

    /// - Parameter asked: The account that it is about, where the answer does not repeat it.
    init(_ answer: JSONValue, asked: String) {
        self.init(
            accountId: answer.text("account_id") ?? asked, linkedAt: answer.text("linked_at"),
            alreadyLinked: answer.flag("already_linked"))
    }
}
