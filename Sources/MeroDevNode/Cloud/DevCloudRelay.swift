/// A relay as the cloud knows it.
///
/// Spec: 70, sections 3.2 and 3.5.
public struct DevCloudRelay: Sendable, Equatable {
    /// The relay's id in the network.
    public var peerId: String
    /// Its origin.
    public var url: String?
    /// Whether the cloud knows the origin already. Until then rows have no address.
    public var isDialable = true
    /// The account that warrants name as their executor.
    public var executorAccount: String?
    /// The relay's signing key; the hosted cloud tells none.
    public var nodeKey: String?
    /// Spells that key `node_public_key`.
    public var spellsNodePublicKey = false
    /// `RelayTee`, `ReadOnlyTee`, or nil for a relay that is not attested.
    public var teeRole: String?
    /// Whether it holds the grant to write for others; nil asks the node behind it, and is true where there is none.
    public var authorshipReady: Bool?
    /// Whether it can admit newcomers; nil asks the node behind it, and is true where there is none.
    public var canAdmit: Bool?

    /// A relay of which nothing more is known.
    public init(peerId: String, url: String? = nil, executorAccount: String? = nil, teeRole: String? = nil) {
        self.peerId = peerId
        self.url = url
        self.executorAccount = executorAccount
        self.teeRole = teeRole
    }
}
