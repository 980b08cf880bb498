import Foundation

/// Ways into namespaces. Spec: 70, section 11.
extension CloudSignIn {
    /// Joins a namespace by invitation, as the account that is signed in.
    ///
    /// An account without a relay goes by the one that admitted it. It is a member only once the network has applied the
    /// join: see `waitForMembership`.
    ///
    /// Throws `AccountError.notSignedIn` when nobody is signed in, or nobody can admit; `.invalidInput` for an invitation
    /// that has expired, or is to another namespace; `.intentRefused` when those who may admit refuse.
    ///
    /// - Parameters:
    ///   - namespaceId: The namespace, 64 hex characters.
    ///   - invitation: What the member handed out.
    ///   - nodeURL: The node to ask; nil asks the cloud.
    @discardableResult
    public func join(
        namespaceId: String, invitation: SignedGroupOpenInvitation, nodeURL: String? = nil
    ) async throws -> (session: CloudSession, outcome: JoinOutcome) {
        let asked = try signedIn()
        let mine = currentGeneration
        try invitation.checkNotExpired(at: clock.now())
        let nonce = try await NonceDesk.next(nonces, "join:\(asked.account)")
        let outcome = try await AccountJoin.bootstrapFromInvitation(
            namespaceId: namespaceId, invitation: invitation, account: asked.account, credential: asked.credential,
            keys: deviceKeys(), nonce: nonce, nodeURL: nodeURL, cloud: cloudClient(of: asked), session: urlSession,
            options: config.relayOptions)
        try check(mine)
        var session = try signedIn()
        if session.isRelayless && outcome.published {
            session.relayUrl = outcome.relayUrl
            session.executorAccount = nil
            session.note = nil
            save(session)
        }
        return (session, outcome)
    }

    /// Connects, and waits until the account is a member of a namespace. Afterwards the cloud is asked which relay the
    /// account has now, where it had none before.
    ///
    /// False when it was not within `timeout` seconds: it may become one yet. Throws `AccountError.notSignedIn` without a
    /// session or reads, `MeroError.authRevoked`, `CancellationError`.
    public func waitForMembership(_ namespaceId: String, timeout: TimeInterval = 60) async throws -> Bool {
        let session = try signedIn()
        guard try await connect(session).waitForMembership(namespaceId, timeout: timeout) else { return false }
        if session.executorAccount == nil {
            do {
                try await refreshRelay()
            } catch let error as CancellationError {
                throw error
            } catch {
                // The account is a member, and its relay works without the cloud's word for it.
            }
        }
        return true
    }
}
