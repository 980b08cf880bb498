/// What makes a device act for an account: the certificate, and which key it certifies. No secret is in it.
///
/// Spec: 60, section 10.1.
public struct DelegatedCredential: Codable, Sendable, Equatable {
    /// The account, 64 hex characters.
    public let account: String
    /// The device's certificate, in hex.
    public let credential: String
    /// The device's signing key, 64 hex characters. Whoever signs must sign with this key.
    public let deviceKey: String

    /// Makes a value of its parts.
    public init(account: String, credential: String, deviceKey: String) {
        self.account = account
        self.credential = credential
        self.deviceKey = deviceKey
    }

    /// Whether all of it is there.
    var isWhole: Bool {
        Hex.is32(account) && Hex.is32(deviceKey) && !credential.isEmpty && Hex.decode(credential) != nil
    }
}

/// An account that is signed in on this device, and the relay that it goes by.
///
/// Without a relay it is signed in all the same: a new account is a member of nothing. Spec: 60, section 10.1.
public struct DelegatedSession: Codable, Sendable, Equatable {
    /// Who acts.
    public let credential: DelegatedCredential
    /// The relay's origin; nil until an invitation or the cloud gives one.
    public private(set) var relayURL: String?
    /// The account that warrants for the relay name, where the cloud told it.
    public private(set) var executorAccount: String?

    /// Makes a value of its parts.
    public init(credential: DelegatedCredential, relayURL: String? = nil, executorAccount: String? = nil) {
        self.credential = credential
        self.relayURL = relayURL
        self.executorAccount = executorAccount
    }

    /// The same account at a relay. What is known of the executor is kept only where the relay stays the same.
    public func moved(to relayURL: String?, executorAccount: String? = nil) -> DelegatedSession {
        var session = self
        let stays = relayURL.flatMap(RelayOrigin.origin) == self.relayURL.flatMap(RelayOrigin.origin)
        session.relayURL = relayURL.map(RelayOrigin.trimmed)
        session.executorAccount = executorAccount ?? (stays ? self.executorAccount : nil)
        return session
    }

    var isWhole: Bool { credential.isWhole && relayURL?.isEmpty != true }
}

/// Where the account of this device is kept.
///
/// A session outranks a credential without one, and what was half written reads as absent. Spec: 60, section 10.1.
public struct DelegatedAccountStore: Sendable {
    private let credentials: AnyValueStore<DelegatedCredential>
    private let sessions: AnyValueStore<DelegatedSession>

    /// - Parameters:
    ///   - credentials: Written as soon as the device is certified.
    ///   - sessions: Written once it is known how the account goes on.
    public init(credentials: AnyValueStore<DelegatedCredential>, sessions: AnyValueStore<DelegatedSession>) {
        self.credentials = credentials
        self.sessions = sessions
    }

    /// The account of this device; nil when there is none.
    public func load() -> DelegatedSession? {
        if let session = sessions.load(), session.isWhole { return session }
        guard let credential = credentials.load(), credential.isWhole else { return nil }
        return DelegatedSession(credential: credential)
    }

    /// The account of this device; nil only when none is stored.
    ///
    /// Throws `SecureValueStoreError.unreadable` when something is stored that cannot be read or is half written, so that an
    /// app does not take a damaged file for a first launch.
    public func read() throws -> DelegatedSession? {
        if let session = try sessions.read() {
            guard session.isWhole else { throw SecureValueStoreError.unreadable("the account's session is not whole") }
            return session
        }
        guard let credential = try credentials.read() else { return nil }
        guard credential.isWhole else {
            throw SecureValueStoreError.unreadable("the account's certificate is not whole")
        }
        return DelegatedSession(credential: credential)
    }

    /// Keeps a certificate that has no session yet.
    public func save(_ credential: DelegatedCredential) { credentials.save(credential) }

    /// Keeps a session, and its certificate with it.
    public func save(_ session: DelegatedSession) {
        credentials.save(session.credential)
        sessions.save(session)
    }

    /// Forgets the account.
    public func clear() {
        sessions.clear()
        credentials.clear()
    }
}
