import Foundation

/// What a test may do to a node's sessions from outside.
extension AuthService {
    static let mockMethod = "mock"

    func accepts(username: String, password: String) -> Bool {
        guard let user = vault.read({ $0.users[username] }) else { return false }
        return PasswordHash.matches(password, user)
    }

    /// Adds a user with a root key, or changes a known user's password.
    func putUser(username: String, password: String) {
        let credential = PasswordHash.Credential(password)
        let now = clock.seconds
        vault.force { state in
            _ = Self.putUser(username, credential, publicKey: username, nodeURL: nil, now: now, in: &state)
        }
    }

    /// A pair behind a key of its own, without a login.
    func mintForTests(
        permissions: [String], nodeURL: String?, access: Int64? = nil, refresh: Int64? = nil
    ) -> (KeyRecord, DevTokens) {
        let now = clock.seconds
        return vault.force { state in
            let key = Self.addRootKey(
                userId: UUID().uuidString.lowercased(), publicKey: "mock", method: Self.mockMethod,
                permissions: permissions, now: now, to: &state)
            let pair = mintPair(
                key: key, nodeURL: nodeURL, generation: state.generation, accessLifetime: access,
                refreshLifetime: refresh)
            return (key, pair)
        }
    }

    func expireAccessTokens() {
        vault.force { state in
            state.settings["generation"] = String(state.generation &+ 1)
        }
    }

    /// Revokes every key. Users and accounts get a fresh one, so that they may log in again.
    func revokeEveryKey() {
        let now = clock.seconds
        vault.force { state in
            for key in state.keys.entries.values where key.revokedAt == nil {
                Self.revokeAndReplace(key, now: now, in: &state)
            }
        }
    }

    /// Revokes the key behind a token of either kind; false when it is no token of this node.
    @discardableResult
    func revokeKey(behind token: String) -> Bool {
        guard let claims = (try? mint.verify(token, as: .access)) ?? (try? mint.verify(token, as: .refresh)) else {
            return false
        }
        let now = clock.seconds
        return vault.force { state in
            guard let key = state.keys[claims.keyId] else { return false }
            if key.revokedAt == nil { Self.revokeAndReplace(key, now: now, in: &state) }
            return true
        }
    }

    private static func revokeAndReplace(_ key: KeyRecord, now: Int64, in state: inout AuthVault.State) {
        state.keys[key.id]?.revokedAt = now
        if key.authMethod == accountProvider {
            _ = addRootKey(
                userId: key.userId, publicKey: key.publicKey ?? key.userId, method: accountProvider,
                permissions: key.permissions, nodeURL: key.nodeURL, now: now, to: &state)
            return
        }
        guard var user = state.users.entries.values.first(where: { $0.rootKeyId == key.id }) else { return }
        user.rootKeyId =
            addRootKey(
                userId: user.id, publicKey: key.publicKey ?? user.username, permissions: key.permissions,
                nodeURL: key.nodeURL, now: now, to: &state
            ).id
        state.users[user.username] = user
    }
}
