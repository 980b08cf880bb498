import Foundation

extension AuthService {
    func identity() -> DevHttpResponse {
        var providers = [Self.passwordProvider]
        if settings.accountProof { providers.append(Self.accountProvider) }
        return AuthReply.success([
            "service": "calimero-auth", "version": .string(Self.version), "authentication_mode": "forward",
            "providers": JsonTree(providers),
        ])
    }

    func metrics() -> DevHttpResponse {
        let now = clock.seconds
        return vault.read { state in
            let keys = state.keys.entries.values
            return AuthReply.success([
                "uptime_seconds": JsonTree(max(0, now - startedAt)),
                "users": JsonTree(state.users.entries.count),
                "root_keys": JsonTree(keys.filter { $0.kind == .root && $0.revokedAt == nil }.count),
                "client_keys": JsonTree(
                    keys.filter { $0.kind == .client && $0.revokedAt == nil && !$0.isExpired(at: now) }.count),
                "consumed_refresh_tokens": JsonTree(state.used.entries.count),
            ])
        }
    }

    // MARK: - Root keys

    func listRootKeys() -> DevHttpResponse {
        AuthReply.success(
            .array(
                sortedKeys(.root).map { key in
                    [
                        "key_id": .string(key.id), "public_key": .text(key.publicKey),
                        "auth_method": .text(key.authMethod), "created_at": JsonTree(key.createdAt),
                        "revoked_at": .number(key.revokedAt), "permissions": JsonTree(key.permissions),
                    ]
                }))
    }

    private func sortedKeys(_ kind: KeyRecord.Kind) -> [KeyRecord] {
        vault.read { $0.keys.entries.values.filter { $0.kind == kind } }.sorted { $0.order < $1.order }
    }

    func createRootKey(_ request: DevHttpRequest) -> DevHttpResponse {
        Self.answering {
            let fields = try AuthBody.read(
                request, allowed: ["public_key", "auth_method", "provider_data", "target_node_url"],
                limit: settings.bodyLimit)
            let publicKey = Sanitize.text(try AuthBody.nonEmpty(fields, "public_key"))
            let method = Sanitize.identifier(try AuthBody.nonEmpty(fields, "auth_method"))
            let data = try AuthBody.field { try fields.object("provider_data") }
            let target = try AuthBody.field { try fields.optionalString("target_node_url") }.map(Sanitize.text)
            guard !publicKey.isEmpty else {
                return AuthReply.failure(400, "Public key cannot be empty after sanitization")
            }
            guard !method.isEmpty else {
                return AuthReply.failure(400, "Authentication method must contain valid characters")
            }
            switch method {
            case Self.passwordProvider, Self.passwordProviderAlias: break
            case Self.accountProvider where settings.accountProof:
                return AuthReply.failure(
                    500, "the account_proof provider does not mint root keys; an account's first login does")
            default: return AuthReply.failure(500, "Provider not found")
            }
            guard let username = data["username"]?.stringValue, !username.isEmpty,
                let password = data["password"]?.stringValue
            else { return AuthReply.failure(500, "Invalid user-password data: username and password are required") }
            guard password.unicodeScalars.count >= Self.passwordLengths.lowerBound else {
                return AuthReply.failure(
                    500, "Password must be at least \(Self.passwordLengths.lowerBound) characters long")
            }
            guard password.unicodeScalars.count <= Self.passwordLengths.upperBound else {
                return AuthReply.failure(
                    500, "Password must be at most \(Self.passwordLengths.upperBound) characters long")
            }
            let credential = PasswordHash.Credential(password)
            let now = clock.seconds
            let isNew = try vault.change { state in
                Self.putUser(username, credential, publicKey: publicKey, nodeURL: target, now: now, in: &state)
            }
            return AuthReply.success([
                "status": true, "message": .string(isNew ? "Key was created" : "Key was updated"),
            ])
        }
    }

    func deleteRootKey(_ rawId: String) -> DevHttpResponse {
        let id = Sanitize.identifier(rawId)
        let now = clock.seconds
        return Self.answering {
            try vault.change { state in
                guard let key = state.keys[id] else { return AuthReply.failure(404, "Root key not found") }
                guard key.kind == .root else { return AuthReply.failure(400, "Not a root key") }
                if let revokedAt = key.revokedAt {
                    return AuthReply.success(["key_id": .string(id), "revoked_at": JsonTree(revokedAt)])
                }
                // Test keys come and go, accounts own nothing here: neither keeps an owner from being locked out.
                let others = state.keys.entries.values.contains {
                    $0.kind == .root && $0.revokedAt == nil && $0.id != id && !Self.isNoOwner($0)
                }
                guard others || Self.isNoOwner(key) else {
                    return AuthReply.success([
                        "status": false, "message": "Cannot delete the last active root key",
                    ])
                }
                state.keys[id]?.revokedAt = now
                return AuthReply.success(["key_id": .string(id), "revoked_at": JsonTree(now)])
            }
        }
    }

    private static func isNoOwner(_ key: KeyRecord) -> Bool {
        key.authMethod == mockMethod || key.authMethod == accountProvider
    }

    func revoke(_ request: DevHttpRequest) -> DevHttpResponse {
        Self.answering {
            let fields = try AuthBody.read(request, allowed: ["client_id"], limit: settings.bodyLimit)
            let id = Sanitize.identifier(try AuthBody.nonEmpty(fields, "client_id"))
            guard !id.isEmpty else { return AuthReply.failure(400, "Client ID must contain valid characters") }
            let now = clock.seconds
            do {
                let isKnown = try vault.change { state -> Bool in
                    guard let key = state.keys[id] else { return false }
                    if key.revokedAt == nil { state.keys[id]?.revokedAt = now }
                    return true
                }
                guard isKnown else {
                    return AuthReply.failure(500, "Failed to revoke tokens: Storage error: Key not found")
                }
            } catch {
                return AuthReply.failure(500, "Failed to revoke tokens: \(Self.text(.storage))")
            }
            return AuthReply.success(["success": true, "message": "Tokens revoked successfully"])
        }
    }

    // MARK: - Client keys

    func listClientKeys() -> DevHttpResponse {
        let now = clock.seconds
        return AuthReply.success(
            .array(
                sortedKeys(.client).map { key in
                    [
                        "client_id": .string(key.id), "root_key_id": .text(key.rootKeyId), "name": .text(key.name),
                        "permissions": JsonTree(key.permissions), "created_at": JsonTree(key.createdAt),
                        "revoked_at": .number(key.revokedAt),
                        "is_valid": .bool(key.revokedAt == nil && !key.isExpired(at: now)),
                    ]
                }))
    }

    func createClientKey(_ request: DevHttpRequest, caller: Caller) -> DevHttpResponse {
        Self.answering {
            let fields = try AuthBody.read(
                request,
                allowed: [
                    "context_id", "context_identity", "permissions", "target_node_url", "application_id", "ttl_secs",
                ], limit: settings.bodyLimit)
            func identifier(_ name: String) throws -> String? {
                let text = try AuthBody.field { try fields.optionalString(name) }.map(Sanitize.identifier)
                return text.flatMap { $0.isEmpty ? nil : $0 }
            }
            let context = try identifier("context_id")
            let identity = try identifier("context_identity")
            let application = try identifier("application_id")
            let asked = try AuthBody.field { try fields.optionalStrings("permissions") } ?? []
            let target = try AuthBody.field { try fields.optionalString("target_node_url") }.map(Sanitize.text)
            let ttl = try AuthBody.field { try fields.optionalUnsigned("ttl_secs") }

            guard caller.scopes.allows(.admin) else {
                return AuthReply.failure(403, "Token does not have admin permissions")
            }
            guard caller.key.kind == .root else { return AuthReply.failure(404, "Root key not found") }
            var bindings: [String] = []
            if let context, let identity { bindings.append("context[\(context),\(identity)]") }
            if let application { bindings.append("application-binding[\(application)]") }
            let pair = try mintClientKey(
                root: caller.key,
                ClientKeyRequest(
                    permissions: asked, bindings: bindings, isBound: context != nil || identity != nil,
                    nodeURL: target, lifetime: ttl.map(Self.lifetime),
                    name: "Client key of \(context ?? application ?? "node")"))
            return AuthReply.tokens(pair)
        }
    }

    struct ClientKeyRequest {
        var permissions: [String]
        var bindings: [String] = []
        var isBound = false
        var nodeURL: String?
        var lifetime: Int64?
        var name: String
    }

    /// Throws `EarlyReply` when a permission cannot be granted.
    func mintClientKey(root: KeyRecord, _ request: ClientKeyRequest) throws -> DevTokens {
        let held = ScopeSet(token: root.permissions, key: root.permissions)
        for permission in request.permissions {
            guard let scope = DevScope(permission), Self.isGrantable(scope, isBound: request.isBound) else {
                throw EarlyReply(
                    AuthReply.failure(400, "Permission cannot be granted to a client key: \(permission)"))
            }
            guard scope.isBinding || held.allows(scope) else {
                throw EarlyReply(AuthReply.failure(400, "Root key does not have permission: \(permission)"))
            }
        }
        let now = clock.seconds
        return try vault.change { state in
            let key = KeyRecord(
                id: KeyRecord.newId(), kind: .client, userId: root.userId,
                permissions: request.bindings + request.permissions, createdAt: now, order: state.order(),
                expiresAt: now + (request.lifetime ?? Self.defaultClientKeyLifetime), nodeURL: request.nodeURL,
                rootKeyId: root.id, name: request.name, family: UUID().uuidString.lowercased())
            state.keys[key.id] = key
            return mintPair(key: key, nodeURL: request.nodeURL, generation: state.generation)
        }
    }

    private static func isGrantable(_ scope: DevScope, isBound: Bool) -> Bool {
        switch scope.path.first {
        case "keys": return false
        case "admin": return scope == .admin && !isBound
        default: return true
        }
    }

    func deleteClientKey(root: String, client: String) -> DevHttpResponse {
        let rootId = Sanitize.identifier(root)
        let clientId = Sanitize.identifier(client)
        let now = clock.seconds
        return Self.answering {
            try vault.change { state in
                guard let key = state.keys[clientId], key.kind == .client else {
                    return AuthReply.failure(404, "Client key not found")
                }
                guard key.rootKeyId == rootId else {
                    return AuthReply.failure(400, "Client key does not belong to specified root key")
                }
                if key.revokedAt == nil { state.keys[clientId]?.revokedAt = now }
                return AuthReply.success([
                    "message": "Client key revoked successfully", "revoked_at": JsonTree(key.revokedAt ?? now),
                ])
            }
        }
    }

    // MARK: - Permissions

    func keyPermissions(_ rawId: String) -> DevHttpResponse {
        guard let key = vault.read({ $0.keys[Sanitize.identifier(rawId)] }) else {
            return AuthReply.failure(404, "Key not found")
        }
        guard key.revokedAt == nil else { return AuthReply.failure(404, "Key is revoked") }
        return AuthReply.success(["permissions": JsonTree(key.permissions)])
    }

    func updateKeyPermissions(_ rawId: String, request: DevHttpRequest, caller: Caller) -> DevHttpResponse {
        Self.answering {
            let fields = try AuthBody.read(request, allowed: ["add", "remove"], limit: settings.bodyLimit)
            let add = try AuthBody.field { try fields.optionalStrings("add") } ?? []
            let remove = try AuthBody.field { try fields.optionalStrings("remove") } ?? []
            let id = Sanitize.identifier(rawId)
            return try vault.change { state in
                guard let key = state.keys[id] else { return AuthReply.failure(404, "Key not found") }
                guard key.revokedAt == nil else { return AuthReply.failure(400, "Key is revoked") }
                for permission in add {
                    guard let scope = DevScope(permission) else {
                        return AuthReply.failure(400, "Invalid permission format: \(permission)")
                    }
                    guard scope.isBinding || caller.scopes.allows(scope) else {
                        return AuthReply.failure(403, "Cannot grant permissions that exceed your own")
                    }
                }
                var permissions = key.permissions.filter { !remove.contains($0) }
                for permission in add where !permissions.contains(permission) { permissions.append(permission) }
                guard !permissions.isEmpty else {
                    return AuthReply.failure(400, "Key must have at least one permission")
                }
                state.keys[id]?.permissions = permissions
                return AuthReply.success(["permissions": JsonTree(permissions)])
            }
        }
    }
}

extension JsonTree {
    static func text(_ text: String?) -> JsonTree { text.map(JsonTree.string) ?? .null }
    static func number(_ number: Int64?) -> JsonTree { number.map { JsonTree($0) } ?? .null }
}
