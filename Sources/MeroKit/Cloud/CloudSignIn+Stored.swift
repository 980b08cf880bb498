import Foundation

// MARK: - What is stored

extension CloudSignIn {
    static let overtaken = AccountError.notSignedIn("signed out, or in anew, while this was under way")

    /// The stored session. Throws `AccountError.notSignedIn`.
    func signedIn() throws -> CloudSession {
        guard let session = sessionStore.load() else { throw AccountError.notSignedIn("nobody is signed in") }
        return session
    }

    /// What was begun in a generation goes on only in that. Throws `AccountError.notSignedIn`.
    func check(_ generation: Int) throws {
        guard generation == self.generation else { throw Self.overtaken }
    }

    /// What `check` compares with.
    var currentGeneration: Int { generation }

    func cloudClient(of session: CloudSession) -> CloudClient {
        CloudClient(
            baseURL: config.cloudBaseURL,
            routingCredential: RoutingCredential(credential: session.credential, deviceSecret: deviceKeys().signSecret),
            session: urlSession, timeout: config.timeout ?? 10, options: config.cloudOptions)
    }

    /// Stores a session. Tokens of another relay, account or device are of no use to it, and must not reach its relay.
    func save(_ session: CloudSession) {
        if sessionStore.load()?.tokenOwner != session.tokenOwner { dropTokens() }
        sessionStore.save(session)
    }

    /// Undoes a sign-in that nobody wants any more: the session before is the stored one again, and what the relay has granted
    /// is given back. Nothing happens when another session than `new` is stored by now.
    func revert(to old: CloudSession?, ifCurrent new: CloudSession) async {
        guard let stored = sessionStore.load(), stored.account == new.account, stored.credential == new.credential,
            old?.credential != new.credential
        else { return }
        let held = heldTokens(of: stored)
        generation += 1
        dropTokens()
        if let old { sessionStore.save(old) } else { sessionStore.clear() }
        await logout(held)
    }

    /// Whether this is the answer that is waited for, as far as its state tells.
    func awaits(_ callback: EnrolmentCallback) -> Bool {
        guard let pending = pendingStore.load(), pending.isAlive(at: clock.now()) else {
            return acceptsUnsolicitedCallbacks
        }
        return pending.state == callback.state
    }

    func dropTokens() {
        tokens?.store.detach()
        tokens = nil
        openings = [:]
        tokenStore.clear()
    }

    /// Where the tokens of a session's relay are kept: in the store, if it is the stored session's, else in memory.
    func place(of owner: RelayTokenOwner) -> DetachableTokenStore {
        if let tokens, tokens.owner == owner, tokens.store.isInUse { return tokens.store }
        // Without a stored session nobody knows whose tokens lie there, and nobody would clear those that were put there.
        guard sessionStore.load()?.tokenOwner == owner else {
            return DetachableTokenStore(MemoryTokenStore(), of: owner)
        }
        tokens?.store.detach()
        // Nor do those give way that somebody else has put there, who may still go by them.
        let isOthers = tokenStore.getTokens()?.owner.map { $0 != owner } ?? false
        let store = DetachableTokenStore(isOthers ? MemoryTokenStore() : tokenStore, of: owner) { [sessionStore] in
            sessionStore.load()?.tokenOwner == owner
        }
        tokens = (owner, store, nil)
        return store
    }
}

// MARK: - Ending sessions at relays

extension CloudSignIn {
    /// A session at a relay that is to be ended there.
    struct HeldTokens: Sendable, Equatable {
        let relayUrl: String
        let refreshToken: String
    }

    /// What there is to be ended when a session goes: what the store holds, at the relay that gave it, and what the live
    /// client holds in memory.
    func heldTokens(of session: CloudSession?) -> [HeldTokens] {
        var held: [HeldTokens] = []
        if let stored = tokenStore.getTokens(), let relayUrl = stored.owner?.relayUrl ?? session?.relayUrl {
            held.append(HeldTokens(relayUrl: relayUrl, refreshToken: stored.refreshToken))
        }
        if let tokens, let live = tokens.store.getTokens(), live.refreshToken != held.first?.refreshToken {
            held.append(HeldTokens(relayUrl: tokens.owner.relayUrl, refreshToken: live.refreshToken))
        }
        return held
    }

    /// Takes out of the store what the same device was given by another relay, or for another certificate, and did not
    /// come to drop: nobody goes by it any more, and it is to be ended where it came from.
    func takeLeftovers(of owner: RelayTokenOwner) -> [HeldTokens] {
        guard sessionStore.load()?.tokenOwner == owner, let tokens = tokenStore.getTokens(), let whose = tokens.owner,
            whose != owner, whose.isSameDevice(as: owner)
        else { return [] }
        tokenStore.clear()
        return [HeldTokens(relayUrl: whose.relayUrl, refreshToken: tokens.refreshToken)]
    }

    /// Best effort, all at once.
    func logout(_ held: [HeldTokens]) async {
        await withTaskGroup(of: Void.self) { group in
            for held in held {
                group.addTask { [urlSession, config] in
                    await RelayLogin.logout(
                        relayURL: held.relayUrl, refreshToken: held.refreshToken, session: urlSession,
                        timeout: config.timeout ?? 10, options: config.relayOptions)
                }
            }
        }
    }
}
