/// A relay that the cloud has for an account.
///
/// Spec: 70, section 3.5.
public struct CloudAccountRelay: Sendable, Equatable, Codable {
    /// The relay's id in the network, which is no key that it signs with.
    public let peerId: String
    /// Its origin; nil while the cloud knows none.
    public let relayUrl: String?
    /// Whether it was heard of lately.
    public let fresh: Bool
    /// The account that a warrant for it names.
    public let executorAccount: String?
    /// Whether it was just given to an account that had none.
    public let assigned: Bool

    /// Makes a value of its parts.
    public init(peerId: String, relayUrl: String?, fresh: Bool, executorAccount: String?, assigned: Bool) {
        self.peerId = peerId
        self.relayUrl = relayUrl
        self.fresh = fresh
        self.executorAccount = executorAccount
        self.assigned = assigned
    }

    init(_ row: JSONValue) {
        let executor = row["executor_account"]?.stringValue
        self.init(
            peerId: row["peer_id"]?.stringValue ?? "", relayUrl: row.text("relay_url"),
            fresh: row.flag("fresh"),
            // A malformed executor is no executor.
            executorAccount: executor.flatMap { Hex.is32($0) && $0 == $0.lowercased() ? $0 : nil },
            assigned: row.flag("assigned"))
    }
}

/// Which of an account's relays to use, and what to tell the person about it.
///
/// Spec: 70, section 8.
public struct RelayChoice: Sendable, Equatable {
    /// Nil when there is none to use.
    public let relayUrl: String?
    /// The account that a warrant for it names, if the cloud knows.
    public let executorAccount: String?
    /// What is not as it should be.
    public let note: String?

    /// Makes a value of its parts.
    public init(relayUrl: String?, executorAccount: String?, note: String?) {
        self.relayUrl = relayUrl
        self.executorAccount = executorAccount
        self.note = note
    }
}
