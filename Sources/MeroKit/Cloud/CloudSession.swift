import Foundation

/// An account that is signed in on this device, and the relay that it goes by.
///
/// It is the **device's** session and holds no secret: who signs is the device's keys. The cloud's own login is
/// `CloudLoginSession`. Spec: 70, section 7.
public struct CloudSession: Codable, Sendable, Equatable {
    /// The account, 64 hex characters.
    public var account: String
    /// The device, 64 hex characters.
    public var device: String
    /// The device's certificate, in hex.
    public var credential: String
    /// The relay's origin; nil until the cloud or an invitation gives one.
    public var relayUrl: String?
    /// The account that warrants for the relay name, if the cloud told it.
    public var executorAccount: String?
    /// What the person should know about the relay.
    public var note: String?

    /// Makes a value of its parts.
    public init(
        account: String, device: String, credential: String, relayUrl: String? = nil, executorAccount: String? = nil,
        note: String? = nil
    ) {
        self.account = account
        self.device = device
        self.credential = credential
        self.relayUrl = relayUrl
        self.executorAccount = executorAccount
        self.note = note
    }

    /// Signed in, with no relay to go by: redeeming an invitation gives one.
    public var isRelayless: Bool { relayUrl == nil }
}

extension CloudSession {
    /// The same account with the relay that the cloud chose. Without a choice the relay stays; the note is the choice's.
    func choosing(_ choice: RelayChoice) -> CloudSession {
        var session = self
        session.note = choice.note
        guard let url = choice.relayUrl else { return session }
        // What was known of the executor holds only for the relay that it was known of.
        let stays = RelayOrigin.trimmed(url) == relayUrl.map(RelayOrigin.trimmed)
        session.executorAccount = choice.executorAccount ?? (stays ? executorAccount : nil)
        session.relayUrl = url
        return session
    }
}

/// What a signed-in account can work with.
///
/// Spec: 70, section 8.
public struct CloudConnection: Sendable {
    /// The account's session.
    public let session: CloudSession
    /// Writes; nil while the account has no relay.
    public let relay: RelayClient?
    /// Reads and listens at the relay, as the account; nil while there is no session there.
    public let mero: Mero?
    /// The key that the relay signs with, 64 hex characters, for `RelayObserveConfig`.
    public let nodeKey: String?
    /// Why there are no reads; nil when there are.
    public let readNote: String?

    /// Makes a value of its parts.
    public init(
        session: CloudSession, relay: RelayClient? = nil, mero: Mero? = nil, nodeKey: String? = nil,
        readNote: String? = nil
    ) {
        self.session = session
        self.relay = relay
        self.mero = mero
        self.nodeKey = nodeKey
        self.readNote = readNote
    }

    /// Waits until the account is a member of a namespace, after `CloudSignIn.join`.
    ///
    /// False when it was not within `timeout` seconds: it may become one yet. Throws `AccountError.notSignedIn` without
    /// reads, `MeroError.authRevoked`, `CancellationError`. Spec: 70, section 11.3.
    public func waitForMembership(_ namespaceId: String, timeout: TimeInterval = 60) async throws -> Bool {
        guard let mero else { throw AccountError.notSignedIn(readNote ?? "the account has no relay yet") }
        return try await AccountJoin.waitForMembership(namespaceId, admin: await mero.admin, timeout: timeout)
    }
}
