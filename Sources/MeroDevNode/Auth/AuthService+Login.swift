import Foundation
import MeroKit

extension AuthService {
    static let passwordProvider = "user_password"
    static let passwordProviderAlias = "username_password"
    static let accountProvider = "account_proof"
    static let passwordLengths = 8...128

    func health() -> DevHttpResponse {
        let isAlive = status.isStorageAvailable
        return AuthReply.success([
            "status": .string(isAlive ? "alive" : "not_alive"), "storage": .bool(isAlive),
            "uptime_seconds": JsonTree(max(0, clock.seconds - startedAt)),
        ])
    }

    func providers() -> DevHttpResponse {
        var list: [JsonTree] = [
            [
                "name": .string(Self.passwordProvider), "type": "credentials",
                "description": "Authenticates users with username and password credentials",
                "configured": .bool(vault.read { !$0.users.entries.isEmpty }),
                "config": ["enabled": true, "description": "Username and password authentication"],
            ]
        ]
        if settings.accountProof {
            list.append([
                "name": .string(Self.accountProvider), "type": "credentials",
                "description": "Authenticates an account by a device key certified under its root",
                "configured": true,
                "config": [
                    "enabled": true, "description": "Device-key login for accounts that run no node",
                    "challenge_ttl_secs": JsonTree(settings.challengeLifetime),
                    "allowed_audiences": JsonTree(settings.allowedAudiences),
                ],
            ])
        }
        return AuthReply.success(["providers": .array(list), "count": JsonTree(list.count)])
    }

    func challenge() -> DevHttpResponse {
        guard settings.accountProof else {
            return AuthReply.failure(404, "The account_proof provider is not enabled on this node")
        }
        guard status.isStorageAvailable else { return AuthReply.failure(500, "Failed to issue a challenge") }
        let expiresAt = clock.seconds + settings.challengeLifetime
        return AuthReply.success([
            "challenge": .string(Hex.encode(challenges.issue(expiresAt: expiresAt))), "expires_at": JsonTree(expiresAt),
        ])
    }

    // MARK: - POST /auth/token

    func login(_ request: DevHttpRequest) -> DevHttpResponse {
        Self.answering {
            let fields = try AuthBody.read(
                request,
                allowed: ["auth_method", "public_key", "client_name", "permissions", "timestamp", "provider_data"],
                limit: settings.bodyLimit)
            let rawMethod = try AuthBody.nonEmpty(fields, "auth_method")
            let rawKey = try AuthBody.nonEmpty(fields, "public_key")
            let rawName = try AuthBody.nonEmpty(fields, "client_name")
            _ = try AuthBody.field { try fields.optionalStrings("permissions") }
            _ = try AuthBody.field { try fields.unsigned("timestamp") }
            let providerData = try AuthBody.field { try fields.object("provider_data") }

            let method = Sanitize.identifier(rawMethod)
            guard !method.isEmpty else {
                return AuthReply.failure(400, "Authentication method must contain valid characters")
            }
            guard !Sanitize.text(rawKey).isEmpty else {
                return AuthReply.failure(400, "Public key cannot be empty after sanitization")
            }
            let clientName = Sanitize.text(rawName)
            guard !clientName.isEmpty else {
                return AuthReply.failure(400, "Client name cannot be empty after sanitization")
            }
            switch method {
            case Self.passwordProvider, Self.passwordProviderAlias:
                return passwordLogin(providerData, clientName: clientName, request: request)
            case Self.accountProvider where settings.accountProof:
                return accountLogin(providerData, sessionKey: rawKey, clientName: clientName)
            default:
                return Self.loginRefused("Invalid request: Unsupported authentication method: \(method)")
            }
        }
    }

    static func loginRefused(_ inner: String) -> DevHttpResponse {
        AuthReply.failure(401, "Authentication failed: \(inner)")
    }

    private func passwordLogin(
        _ data: JsonTree, clientName: String, request: DevHttpRequest
    ) -> DevHttpResponse {
        func credential(_ name: String) throws -> String {
            guard let value = data[name] else { throw JsonShapeProblem.missing(name) }
            guard let text = value.stringValue else { throw JsonShapeProblem.type(value, expected: "a string") }
            guard !text.isEmpty else { throw JsonShapeProblem(description: "\(name) must not be empty") }
            return text
        }
        let username: String
        let password: String
        do {
            username = try credential("username")
            password = try credential("password")
        } catch {
            return Self.loginRefused("Invalid request: Invalid user-password data: \(error)")
        }
        switch checkPassword(username: username, password: password, request: request) {
        case .refused(let response): return response
        case .key(let key, let generation):
            return AuthReply.tokens(mintPair(key: key, nodeURL: clientName, generation: generation))
        }
    }

    enum PasswordCheck {
        case key(KeyRecord, generation: UInt32)
        case refused(DevHttpResponse)
    }

    /// The user's root key, if the password is right and the throttle lets the attempt pass.
    func checkPassword(username: String, password: String, request: DevHttpRequest) -> PasswordCheck {
        let peer = request.peerAddress
        let now = clock.seconds
        if let wait = throttle.withLock({ $0.wait(peer: peer, account: username, now: now) }) {
            return .refused(
                AuthReply.failure(
                    429, "Too many failed login attempts; please try again later",
                    headers: [("Retry-After", String(wait))]))
        }
        guard status.isStorageAvailable else {
            return .refused(Self.loginRefused("Service unavailable: store is down"))
        }
        let user = vault.read { $0.users[username] }
        guard PasswordHash.matches(password, user), let user else {
            throttle.withLock { $0.rejected(peer: peer, account: username, now: now) }
            return .refused(Self.loginRefused("Authentication failed: Invalid username or password"))
        }
        throttle.withLock { $0.accepted(peer: peer, account: username) }
        let (found, generation) = vault.read { ($0.keys[user.rootKeyId], $0.generation) }
        guard let key = found, key.revokedAt == nil else {
            return .refused(Self.loginRefused("Token has been revoked"))
        }
        if let bound = key.nodeURL.flatMap(Self.urlHost), bound != host(of: request) {
            return .refused(Self.loginRefused("Authentication failed: Key is not valid for this node"))
        }
        return .key(key, generation: generation)
    }

    // MARK: - POST /auth/mock-token

    func mockToken(_ request: DevHttpRequest) -> DevHttpResponse {
        Self.answering {
            guard case .enabled(let authorization) = settings.mockTokens else {
                return AuthReply.failure(404, "Endpoint not found")
            }
            if let authorization, request.headers["authorization"] != authorization {
                return AuthReply.failure(401, "Unauthorized")
            }
            let fields = try AuthBody.read(
                request,
                allowed: ["client_name", "permissions", "node_url", "access_token_expiry", "refresh_token_expiry"],
                limit: settings.bodyLimit)
            let name = Sanitize.text(try AuthBody.nonEmpty(fields, "client_name"))
            guard !name.isEmpty else {
                return AuthReply.failure(400, "Client name cannot be empty after sanitization")
            }
            let permissions = try AuthBody.field { try fields.optionalStrings("permissions") } ?? ["admin"]
            let nodeURL = try AuthBody.field { try fields.optionalString("node_url") }
            let access = try AuthBody.field { try fields.optionalUnsigned("access_token_expiry") }
            let refresh = try AuthBody.field { try fields.optionalUnsigned("refresh_token_expiry") }
            let (key, pair) = mintForTests(
                permissions: permissions, nodeURL: nodeURL, access: access.map(Self.lifetime),
                refresh: refresh.map(Self.lifetime))
            return AuthReply.tokens(
                pair,
                headers: [
                    ("X-Mock-Token", "true"), ("X-Key-Id", key.id),
                    ("X-Warning", "Mock token: for development and tests only"),
                ])
        }
    }

    /// Seconds that fit a date, however large the number asked for.
    static func lifetime(_ seconds: UInt64) -> Int64 { Int64(min(seconds, 1 << 40)) }

    // MARK: - Users

    /// Adds a user, or gives a known one a new password. True when it is new.
    static func putUser(
        _ username: String, _ credential: PasswordHash.Credential, publicKey: String, nodeURL: String?, now: Int64,
        in state: inout AuthVault.State
    ) -> Bool {
        let known = state.users[username]
        var user =
            known
            ?? UserRecord(username: username, id: UUID().uuidString.lowercased(), salt: "", hash: "", rootKeyId: "")
        user.salt = credential.salt
        user.hash = credential.hash
        if let key = state.keys[user.rootKeyId], key.revokedAt == nil {
            state.keys[key.id]?.nodeURL = nodeURL
        } else {
            user.rootKeyId =
                addRootKey(userId: user.id, publicKey: publicKey, nodeURL: nodeURL, now: now, to: &state).id
        }
        state.users[username] = user
        return known == nil
    }

    static func addRootKey(
        userId: String, publicKey: String, method: String = passwordProvider, permissions: [String] = ["admin"],
        nodeURL: String? = nil, now: Int64, to state: inout AuthVault.State
    ) -> KeyRecord {
        let key = KeyRecord(
            id: KeyRecord.newId(), kind: .root, userId: userId, publicKey: publicKey, authMethod: method,
            permissions: permissions, createdAt: now, order: state.order(), nodeURL: nodeURL)
        state.keys[key.id] = key
        return key
    }
}
