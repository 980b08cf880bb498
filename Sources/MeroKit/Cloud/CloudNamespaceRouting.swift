/// Where a namespace is hosted.
///
/// Spec: 70, section 3.5.
public struct CloudNamespaceRouting: Sendable, Equatable {
    /// The namespace.
    public let namespaceId: String
    /// The nodes that serve it, usable ones first.
    public let nodes: [CloudNamespaceNode]
    /// Whether any of them serves at present.
    public let servable: Bool
    /// Whether any of them writes at present.
    public let writable: Bool

    /// Makes a value of its parts.
    public init(namespaceId: String, nodes: [CloudNamespaceNode], servable: Bool, writable: Bool) {
        self.namespaceId = namespaceId
        self.nodes = nodes
        self.servable = servable
        self.writable = writable
    }
}

/// A node that serves a namespace. What the cloud says about its state is advice: the node decides.
///
/// Spec: 70, section 3.5.
public struct CloudNamespaceNode: Sendable, Equatable {
    /// The node's id in the network.
    public let peerId: String
    /// Its account: what invitations name as an admitter.
    public let account: String?
    /// Its origin; nil while the cloud knows none.
    public let relayUrl: String?
    /// Where a join is posted, ready made.
    public let admitUrl: String?
    /// `assigned` or `active`.
    public let status: String
    /// Whether it was heard of lately.
    public let fresh: Bool
    /// Whether it can admit newcomers.
    public let canAdmit: Bool
    /// Whether it may write for others.
    public let authorshipReady: Bool
    /// `RelayTee`, `ReadOnlyTee`, or nil.
    public let teeRole: String?
    /// Whether it runs writes, in the whole namespace; a group below may still refuse.
    public let canExecute: Bool

    /// Makes a value of its parts.
    public init(
        peerId: String, account: String?, relayUrl: String?, admitUrl: String?, status: String, fresh: Bool,
        canAdmit: Bool, authorshipReady: Bool, teeRole: String?, canExecute: Bool
    ) {
        self.peerId = peerId
        self.account = account
        self.relayUrl = relayUrl
        self.admitUrl = admitUrl
        self.status = status
        self.fresh = fresh
        self.canAdmit = canAdmit
        self.authorshipReady = authorshipReady
        self.teeRole = teeRole
        self.canExecute = canExecute
    }

    init(_ row: JSONValue) {
        let account = row.text("account")
        let relayUrl = row.text("relay_url")
        let fresh = row.flag("fresh")
        let isReady = row.flag("authorship_ready")
        let derived = isReady && relayUrl != nil && account != nil && fresh
        self.init(
            peerId: row["peer_id"]?.stringValue ?? "", account: account, relayUrl: relayUrl,
            admitUrl: row.text("admit_url"), status: row["status"]?.stringValue ?? "", fresh: fresh,
            canAdmit: row.flag("can_admit"), authorshipReady: isReady, teeRole: row.text("tee_role"),
            // The cloud's own verdict wins wherever it gives one.
            canExecute: row.verdict("can_execute") ?? derived)
    }
}
