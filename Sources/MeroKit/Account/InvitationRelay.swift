/// The relay that can admit the bearer of an invitation.
///
/// Spec: 70, section 11.2.
public struct InvitationRelay: Sendable, Equatable {
    /// Its origin.
    public let relayUrl: String
    /// Where the join is posted.
    public let admitUrl: String
    /// The account that admits, where only one can be meant.
    public let admitterAccount: String?
    /// Whether it writes at present.
    public let writable: Bool
    /// Whether the cloud has doubts that it answers.
    public let stale: Bool

    /// Makes a value of its parts.
    public init(relayUrl: String, admitUrl: String, admitterAccount: String?, writable: Bool, stale: Bool) {
        self.relayUrl = relayUrl
        self.admitUrl = admitUrl
        self.admitterAccount = admitterAccount
        self.writable = writable
        self.stale = stale
    }
}

/// What came of handing in a join.
///
/// Spec: 70, section 11.2.
public struct JoinOutcome: Sendable, Equatable {
    /// The op reached the network. The account is a member once the others have applied it: ask the relay's listing.
    public let published: Bool
    /// The relay from now on.
    public let relayUrl: String
    /// How it was found; nil when it was given.
    public let relay: InvitationRelay?

    /// Makes a value of its parts.
    public init(published: Bool, relayUrl: String, relay: InvitationRelay?) {
        self.published = published
        self.relayUrl = relayUrl
        self.relay = relay
    }
}
