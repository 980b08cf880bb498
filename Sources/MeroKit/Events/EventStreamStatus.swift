/// How an event client is doing: what an app can show beside what it knows.
public struct EventStreamStatus: Sendable {
    /// The connection as a whole.
    public enum Connection: Sendable, Equatable {
        /// Nobody asked for one yet, or it was closed.
        case idle
        /// On the way to the node.
        case connecting
        /// Open: events arrive for every id that is `active`.
        case open
        /// Down. The next attempt follows by itself.
        case waiting
        /// The node refused for good, `lastError` says why. Nothing more comes until the next `connect()`.
        case ended
    }

    /// One context or group.
    public enum Subscription: Sendable, Equatable {
        /// Asked for, and not confirmed on the connection at hand.
        case requested
        /// The node delivers its events.
        case active
        /// The node left it out: no member of it, unknown, outside of the token's scope, or no id at all. Asked for again with every
        /// new connection.
        case refused
    }

    /// The connection to the node.
    public internal(set) var connection = Connection.idle
    /// By context id.
    public internal(set) var contexts: [String: Subscription] = [:]
    /// By group id.
    public internal(set) var groups: [String: Subscription] = [:]
    /// Why the last attempt to connect or subscribe failed; nil once one succeeds. A `MeroError`
    /// (`noCredentials` while nobody is signed in), or what the authorizer threw.
    public internal(set) var lastError: (any Error)?

    /// Whether events arrive for everything that was asked for.
    public var isComplete: Bool {
        connection == .open && contexts.values.allSatisfy { $0 == .active }
            && groups.values.allSatisfy { $0 == .active }
    }
}
