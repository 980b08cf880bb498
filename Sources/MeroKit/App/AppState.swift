import Foundation

/// What an app shows about its sign-in, and what it is looking at.
///
/// A value: two states that are equal look the same. Spec: 70, section 13.
public struct AppState: Sendable, Equatable {
    /// Where the app stands. It is in exactly one of these at any time.
    public enum Phase: Sendable, Equatable, CaseIterable {
        /// Nobody has looked into the stores yet. Show neither the sign-in nor the app.
        case restoring
        /// Nobody is signed in.
        case signedOut
        /// Signed in, to a node or as an account with a relay.
        case signedIn
        /// Signed in as an account that no relay serves yet: redeeming an invitation gives it one.
        case signedInWithoutRelay
        /// The node has ended the session. Ask for a new sign-in; what the person was looking at is still known.
        case sessionLost
    }

    /// Where the app stands.
    public internal(set) var phase = Phase.restoring
    /// Whether something is under way that the person asked for.
    public internal(set) var isBusy = false
    /// Whether events arrive for every context that is being watched; false while none is.
    public internal(set) var isOnline = false
    /// Whether the app is in the background, with its event streams closed.
    public internal(set) var isSuspended = false
    /// The node, or the account's relay; empty when signed out and without a relay.
    public internal(set) var nodeURL = ""
    /// The node's user, or the account in short; empty when signed out.
    public internal(set) var username = ""
    /// The account, 64 hex characters; nil for a user of a node.
    public internal(set) var account: String?
    /// The account's relay.
    public internal(set) var relayURL: String?
    /// Why reads or the relay are missing; nil when nothing is.
    public internal(set) var cloudNote: String?
    /// What the person is looking at. It outlives the sign-in and, if the store does, the process.
    public internal(set) var selection = AppSelection()
    /// The invitation that was opened and waits for the person's answer.
    public internal(set) var pendingInvitation: AppInvitation?
    /// The last failure. Every new operation clears it.
    public internal(set) var failure: AppFailure?
    /// What the last sample call returned.
    public internal(set) var lastRpcResult: String?

    /// The state of an app that has just started.
    public init() {}

    /// The last failure, for a person.
    public var errorMessage: String? { failure?.text }

    /// Signed in, with or without a relay.
    public var isAuthenticated: Bool { phase == .signedIn || phase == .signedInWithoutRelay }
}

/// What the person is looking at.
public struct AppSelection: Codable, Sendable, Equatable {
    /// The context, 64 hex characters.
    public var contextId: String?
    /// As whom the person acts there.
    public var contextIdentity: String?
    /// The application that runs there.
    public var applicationId: String?

    /// Nothing unless given.
    public init(contextId: String? = nil, contextIdentity: String? = nil, applicationId: String? = nil) {
        self.contextId = contextId
        self.contextIdentity = contextIdentity
        self.applicationId = applicationId
    }
}

/// An invitation as it is shown before the person agrees to join.
///
/// Spec: 70, section 10.3.
public struct AppInvitation: Sendable, Equatable {
    /// The namespace it is to, 64 hex characters.
    public let namespaceId: String
    /// Who invites: the inviter's account where the invitation names it, else the key that signed.
    public let inviter: String
    /// Until when it can be redeemed; nil for ever.
    public let expiresAt: Date?

    /// Makes a value of its parts.
    public init(namespaceId: String, inviter: String, expiresAt: Date?) {
        self.namespaceId = namespaceId
        self.inviter = inviter
        self.expiresAt = expiresAt
    }
}
