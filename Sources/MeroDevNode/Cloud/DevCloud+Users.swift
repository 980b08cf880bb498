import Foundation
import MeroKit

/// Users of the cloud, their logins and their accounts.
extension DevCloud {
    /// Adds a user, or changes one.
    ///
    /// - Parameters:
    ///   - email: who the user is, for logins and grants.
    ///   - name: the user's name.
    ///   - picture: the address of a picture.
    ///   - accountLimit: accounts that the user's plan lets it link; nil takes ``DevCloudOptions/accountLimit``.
    ///   - namespaceLimit: namespaces that the plan hosts; nil for any number.
    public func addUser(
        _ email: String, name: String? = nil, picture: String? = nil, accountLimit: Int? = nil,
        namespaceLimit: Int? = nil
    ) {
        core.state.withLock {
            $0.users[email] = CloudState.User(
                name: name, picture: picture, accountLimit: accountLimit, namespaceLimit: namespaceLimit)
        }
    }

    /// An ID token as Google would issue it for this address. It is good for an hour of ``clock``.
    public func googleIdToken(_ email: String, name: String? = nil, picture: String? = nil) -> String {
        let now = clock.seconds
        return core.tokens.sign(
            CloudTokens.Claims(email: email, name: name, picture: picture, issuedAt: now, expiresAt: now + 3600),
            .google)
    }

    /// A login without a request for it. The user is added if it is new.
    public func mintSession(_ email: String) -> DevCloudSession {
        core.state.withLock { state in
            if state.users[email] == nil { state.users[email] = CloudState.User() }
        }
        return core.mint(email: email)
    }

    /// Ends every login of a user.
    public func endSessions(of email: String) {
        core.state.withLock { state in state.sessions = state.sessions.filter { $0.value != email } }
    }

    /// Links an account to a user, as if its root had agreed. An account that is linked already is linked to both.
    ///
    /// Throws ``DevNodeError/invalidId(_:)``.
    public func link(account: String, to email: String) throws {
        let account = try ContextRuntime.checkedId(account)
        let now = clock.now
        core.state.withLock { state in
            if state.users[email] == nil { state.users[email] = CloudState.User() }
            state.accounts[account, default: CloudState.Account()].links[email] = now
        }
    }

    /// Undoes a link.
    public func unlink(account: String, from email: String) {
        core.state.withLock { $0.accounts[account.lowercased()]?.links[email] = nil }
    }

    /// The users that an account is linked to.
    public func users(ofAccount account: String) -> [String] {
        core.state.withLock { $0.accounts[account.lowercased()]?.links.keys.sorted() ?? [] }
    }

    /// Who is signed in at the portal and agrees to every link there; nil declines them.
    public var portalUser: String? {
        get { core.state.withLock { $0.portalUser } }
        set { core.state.withLock { $0.portalUser = newValue } }
    }

    /// A grant as the portal hands it out when a person agrees to link an account. Throws ``DevNodeError/invalidId(_:)``.
    public func grant(account: String, to email: String) throws -> String {
        core.grant(account: try ContextRuntime.checkedId(account), to: email)
    }
}
