import Foundation

/// How a dev cloud is set up.
public struct DevCloudOptions: Sendable {
    /// The port on 127.0.0.1; 0 takes a free one.
    public var port: UInt16 = 0
    /// Seconds a challenge lives. The hosted cloud's live about two minutes.
    public var challengeLifetime: TimeInterval = 120
    /// Seconds a grant lives that links an account.
    public var grantLifetime: TimeInterval = 300
    /// Seconds a login session lives.
    public var sessionLifetime: TimeInterval = 7 * 86_400
    /// The age in seconds from which a session's token is replaced whenever it is used.
    public var sessionRollAge: TimeInterval = 3600
    /// Seconds until a relay that was assigned shows in the lists.
    public var assignmentDelay: TimeInterval = 0
    /// Seconds after that until its status is `active`.
    public var activationDelay: TimeInterval = 0
    /// Seconds since its last heartbeat after which a relay is no longer fresh.
    public var heartbeatLifetime: TimeInterval = 90
    /// Relays that a namespace may have; what `fleet_replicas` calls the limit.
    public var replicaLimit = 2
    /// Whether an account that has no relay is given one when it asks for its relays.
    public var givesRelaysToNewAccounts = false
    /// Whether the nodes of a namespace are told to nobody without a routing proof.
    public var requiresNamespaceProof = false
    /// Whether rows tell what older clouds did not: `executor_account` and `assigned` of an account's relays,
    /// `can_execute` and `tee_role` of a namespace's.
    public var tellsRecentFields = true
    /// Accounts that a login may link, for users who are not given a limit of their own; nil for any number.
    public var accountLimit: Int?
    /// Whether a Google login of somebody new makes a cloud user.
    public var takesNewUsers = true

    /// A cloud for tests: any free port, and the life times of the hosted one.
    public init() {}
}
