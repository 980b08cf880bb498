import Foundation

extension AuthService {
    // MARK: - POST /auth/refresh

    func refresh(_ request: DevHttpRequest) -> DevHttpResponse {
        Self.answering {
            let fields = try AuthBody.read(
                request, allowed: ["access_token", "refresh_token"], limit: settings.bodyLimit)
            let accessText = try AuthBody.nonEmpty(fields, "access_token")
            let refreshText = try AuthBody.nonEmpty(fields, "refresh_token")
            let generation = vault.read { $0.generation }

            let access: TokenClaims
            do {
                access = try mint.verify(accessText, as: .access)
            } catch let problem as TokenProblem {
                return AuthReply.failure(401, "Invalid access token: Invalid token: \(problem.detail)")
            }
            guard isExpired(access, generation: generation) else {
                return AuthReply.failure(401, "Access token still valid")
            }
            let refresh: TokenClaims
            switch usableRefreshToken(refreshText) {
            case .success(let claims): refresh = claims
            case .failure(let refusal):
                return AuthReply.failure(401, "Invalid refresh token: \(Self.text(refusal))")
            }
            guard access.keyId == refresh.keyId else {
                return AuthReply.failure(401, "Access and refresh tokens do not belong to the same key")
            }
            if let mismatch = hostMismatch(access, request) ?? hostMismatch(refresh, request) {
                return AuthReply.failure(403, mismatch, authError: "invalid_node")
            }
            return rotate(refresh)
        }
    }

    private func usableRefreshToken(_ text: String) -> Result<TokenClaims, TokenRefusal> {
        do {
            let claims = try mint.verify(text, as: .refresh)
            return isExpired(claims, generation: 0) ? .failure(.expired) : .success(claims)
        } catch let problem as TokenProblem {
            return .failure(.invalid(problem))
        } catch {
            return .failure(.storage)
        }
    }

    private enum Rotation {
        case reused
        case refused(TokenRefusal)
        case pair(DevTokens)
    }

    /// Spends the token first and asks for its key afterwards, as the node does: an answer that is lost, or a refusal
    /// because of the key, leaves the token spent.
    private func rotate(_ refresh: TokenClaims) -> DevHttpResponse {
        let now = clock.seconds
        let outcome: Rotation
        do {
            outcome = try vault.change { state -> Rotation in
                if let used = state.used[refresh.tokenId] {
                    Self.revokeFamily(used.family, now: now, in: &state)
                    return .reused
                }
                let key = state.keys[refresh.keyId]
                Self.spend(refresh, family: key?.family, now: now - settings.leeway, in: &state)
                guard let key else { return .refused(.keyUnknown) }
                guard key.revokedAt == nil else { return .refused(.keyRevoked) }
                guard !key.isExpired(at: now) else { return .refused(.keyExpired) }
                var live = key
                if key.kind == .client {
                    live.id = KeyRecord.newId()
                    state.keys[key.id] = nil
                    state.keys[live.id] = live
                }
                return .pair(
                    mintPair(
                        key: live, nodeURL: refresh.nodeURL, device: refresh.device, generation: state.generation))
            }
        } catch {
            return AuthReply.failure(500, "Failed to refresh token: \(Self.text(.storage))")
        }
        switch outcome {
        case .reused:
            return AuthReply.failure(
                401, "Refresh token reuse detected; re-authentication required", authError: "token_reuse")
        case .refused(let refusal): return AuthReply.failure(500, "Failed to refresh token: \(Self.text(refusal))")
        case .pair(let pair): return AuthReply.tokens(pair)
        }
    }

    private static func revokeFamily(_ family: String?, now: Int64, in state: inout AuthVault.State) {
        guard let family else { return }
        for key in state.keys.entries.values where key.family == family && key.revokedAt == nil {
            state.keys[key.id]?.revokedAt = now
        }
    }

    /// - Parameter now: entries that expired before it are of no use any more.
    private static func spend(_ token: TokenClaims, family: String?, now: Int64, in state: inout AuthVault.State) {
        state.used[token.tokenId] = UsedToken(expiresAt: token.expiresAt, family: family)
        guard state.used.entries.count > state.sweepAbove else { return }
        for (id, used) in state.used.entries where used.expiresAt < now { state.used[id] = nil }
        state.sweepAbove = max(1024, 2 * state.used.entries.count)
    }

    // MARK: - POST /auth/logout

    func logout(_ request: DevHttpRequest) -> DevHttpResponse {
        Self.answering {
            let fields = try AuthBody.read(request, allowed: ["refresh_token"], limit: settings.bodyLimit)
            let text = try AuthBody.nonEmpty(fields, "refresh_token")
            let claims: TokenClaims
            switch usableRefreshToken(text) {
            case .success(let found): claims = found
            case .failure(let refusal):
                return AuthReply.failure(401, "Invalid refresh token: \(Self.text(refusal))")
            }
            let now = clock.seconds
            do {
                let isFresh = try vault.change { state -> Bool in
                    guard state.used[claims.tokenId] == nil else { return false }
                    let family = state.keys[claims.keyId]?.family
                    Self.spend(claims, family: family, now: now - settings.leeway, in: &state)
                    return true
                }
                guard isFresh else {
                    return AuthReply.failure(401, "Invalid refresh token: Refresh token reuse detected")
                }
            } catch {
                return AuthReply.failure(500, "Failed to end the session")
            }
            return AuthReply.success(["success": true])
        }
    }

    // MARK: - /auth/validate

    func validate(_ request: DevHttpRequest, permissions: RoutePermissions) -> DevHttpResponse {
        let forwarded = request.headers["x-forwarded-uri"].map(ForwardedTarget.init)
        let method = request.headers["x-forwarded-method"].map { $0.trimmingCharacters(in: .whitespaces).uppercased() }
        if forwarded != nil {
            guard let method, !method.isEmpty, method.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                return AuthReply.failure(
                    403, "X-Forwarded-Uri was set without a usable X-Forwarded-Method",
                    authError: "malformed_forwarded_request")
            }
        }
        guard let token = request.bearerToken ?? forwarded?.token else {
            return AuthReply.failure(401, "No token provided", authError: "missing_token")
        }
        let caller: Caller
        do {
            caller = try check(token, for: request)
        } catch let refusal as TokenRefusal {
            return Self.validateRefused(refusal)
        } catch {
            return Self.validateRefused(.storage)
        }
        if let forwarded, let method {
            let (access, parameters) = permissions.access(method: method, path: forwarded.path)
            switch access {
            case .open: break
            case .node(let permission), .authAdmin(let permission):
                guard permission.isMet(by: caller, parameters: parameters),
                    caller.isInsideBindings(parameters)
                else {
                    return AuthReply.failure(
                        403, "Token does not carry the permissions this route requires",
                        authError: "permission_denied")
                }
            }
        }
        return AuthReply.success("", headers: Self.identityHeaders(caller))
    }

    private static func validateRefused(_ refusal: TokenRefusal) -> DevHttpResponse {
        switch refusal {
        case .invalid: return AuthReply.failure(401, text(refusal), authError: "invalid_token")
        case .expired: return AuthReply.failure(401, "Invalid token: \(text(refusal))", authError: "token_expired")
        case .wrongHost(let text): return AuthReply.failure(403, text, authError: "invalid_node")
        case .keyRevoked: return AuthReply.failure(403, "Key has been revoked", authError: "token_revoked")
        case .keyUnknown: return AuthReply.failure(401, "Key not found", authError: "invalid_token")
        case .keyExpired, .storage: return AuthReply.failure(401, "Failed to verify key", authError: "invalid_token")
        }
    }

    static func identityHeaders(_ caller: Caller) -> [(String, String)] {
        var headers = [("X-Auth-User", caller.claims.subject)]
        let permissions = caller.scopes.effective
        if !permissions.isEmpty { headers.append(("X-Auth-Permissions", permissions.joined(separator: ","))) }
        if let account = caller.account { headers.append(("X-Auth-Account", account)) }
        if let device = caller.device { headers.append(("X-Auth-Device", device)) }
        return headers
    }
}

/// The request a proxy asks about.
private struct ForwardedTarget {
    var path: String
    var token: String?

    init(_ uri: String) {
        var target = Substring(uri)
        if let scheme = target.range(of: "://") {
            target = target[scheme.upperBound...]
            target = target.firstIndex(of: "/").map { target[$0...] } ?? "/"
        }
        target = target.prefix { $0 != "#" }
        let question = target.firstIndex(of: "?")
        path = String(question.map { target[..<$0] } ?? target)
        guard let question else { return }
        for pair in target[target.index(after: question)...].split(separator: "&") where pair.hasPrefix("token=") {
            let value = String(pair.dropFirst(6))
            let decoded = value.removingPercentEncoding ?? value
            token = decoded.isEmpty ? nil : decoded
            return
        }
    }
}
