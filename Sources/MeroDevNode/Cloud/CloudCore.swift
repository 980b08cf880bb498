import Foundation
import MeroKit

/// The cloud without its HTTP server: takes requests, gives answers.
///
/// Spec: 70, section 3.
struct CloudCore: Sendable {
    let clock: DevClock
    let wallet: DevWallet
    let settings: Locked<DevCloudOptions>
    let state = Locked(CloudState())
    let nonces: CloudNonces
    let tokens: CloudTokens

    init(options: DevCloudOptions, clock: DevClock, wallet: DevWallet) {
        let secret = SecureRandom.bytes(32)
        self.clock = clock
        self.wallet = wallet
        settings = Locked(options)
        nonces = CloudNonces(secret: secret)
        tokens = CloudTokens(secret: secret)
    }

    var options: DevCloudOptions { settings.withLock { $0 } }
    var nowMs: Int64 { Int64((clock.now.timeIntervalSince1970 * 1000).rounded(.down)) }

    // MARK: - Rows of the table

    var routes: [NodeRoute] {
        Self.loginRoutes(self) + Self.ownerRoutes(self) + Self.linkRoutes(self) + Self.hostingRoutes(self)
            + Self.keyholderRoutes(self) + Self.pageRoutes(self)
    }

    /// A route that asks for no login.
    static func open(
        _ method: String, _ template: String, _ core: CloudCore,
        _ handler: @escaping @Sendable (CloudCore, RouteCall) throws -> DevHttpResponse
    ) -> NodeRoute {
        NodeRoute(method, template, .open) { call in
            answering { try handler(core, call) }
        }
    }

    /// A route of a cloud user, whose session may roll.
    static func session(
        _ method: String, _ template: String, rolls: Bool = true, _ core: CloudCore,
        _ handler: @escaping @Sendable (CloudCore, RouteCall, CloudTokens.Claims) throws -> DevHttpResponse
    ) -> NodeRoute {
        NodeRoute(method, template, .open) { call in
            let claims: CloudTokens.Claims
            do {
                claims = try core.user(of: call.request)
            } catch {
                var refusal = answering { throw error }
                refusal.handlerRan = false
                return refusal
            }
            var response = answering { try handler(core, call, claims) }
            if rolls { response.headers += core.rolled(claims) }
            return response
        }
    }

    private static func answering(_ body: () throws -> DevHttpResponse) -> DevHttpResponse {
        do {
            return try body()
        } catch let problem as CloudProblem {
            return problem.response
        } catch {
            return CloudProblem(500, "Internal Server Error").response
        }
    }

    // MARK: - Sessions

    /// Throws `CloudProblem`.
    func user(of request: DevHttpRequest) throws -> CloudTokens.Claims {
        guard let token = request.bearerToken else { throw CloudProblem.notAuthenticated }
        guard let claims = tokens.read(token, .session, now: clock.seconds),
            state.withLock({ $0.sessions[claims.session] }) == claims.email
        else { throw CloudProblem.invalidSession }
        return claims
    }

    /// A token for a login that begins, or the next one of a login that goes on.
    func mint(email: String, session: String? = nil) -> DevCloudSession {
        let id = session ?? Hex.encode(SecureRandom.bytes(16))
        let user = state.withLock { state -> CloudState.User? in
            state.sessions[id] = email
            return state.users[email]
        }
        let now = clock.seconds
        let expiresAt = now + Int64(options.sessionLifetime)
        let token = tokens.sign(
            CloudTokens.Claims(email: email, session: id, issuedAt: now, expiresAt: expiresAt), .session)
        return DevCloudSession(
            token: token, expiresAt: expiresAt, email: email, name: user?.name, picture: user?.picture)
    }

    private func rolled(_ claims: CloudTokens.Claims) -> [(String, String)] {
        guard TimeInterval(clock.seconds - claims.issuedAt) >= options.sessionRollAge,
            state.withLock({ $0.sessions[claims.session] }) != nil
        else { return [] }
        let next = mint(email: claims.email, session: claims.session)
        return [("x-mdma-session-refresh", next.token), ("x-mdma-session-expires", String(next.expiresAt))]
    }

    // MARK: - Nonces

    /// What a challenge answers.
    func challenge(_ purpose: CloudNonces.Purpose, _ members: [JsonMember] = []) -> DevHttpResponse {
        let expiry = nowMs + Int64(options.challengeLifetime * 1000)
        return .json(
            200,
            .object(
                members + [
                    JsonMember(name: "nonce", value: .string(nonces.issue(purpose, expiresAtMs: expiry))),
                    JsonMember(name: "expires_at_ms", value: JsonTree(expiry)),
                ]))
    }

    /// The expiry of a nonce that is good for this. Throws `CloudProblem`.
    func check(_ nonce: String, for purpose: CloudNonces.Purpose) throws -> Int64 {
        guard let opened = nonces.open(nonce) else { throw CloudProblem(403, "The nonce was not issued here") }
        guard opened.purpose == purpose else { throw CloudProblem(403, "The nonce is for something else") }
        guard opened.expiresAtMs > nowMs else { throw CloudProblem(403, "The nonce has expired") }
        return opened.expiresAtMs
    }

    /// Uses a nonce up that was checked. Throws `CloudProblem` if it was used before.
    func spend(_ nonce: String, until expiry: Int64) throws {
        let now = nowMs
        try state.withLock { state in
            guard !state.isSpent(nonce) else { throw CloudProblem(403, "The nonce has been used") }
            state.spend(nonce, until: expiry, nowMs: now)
        }
    }

    /// Seconds since 1970 as the cloud writes times.
    static func time(_ date: Date) -> JsonTree {
        let formatter = ISO8601DateFormatter()
        return .string(formatter.string(from: date))
    }
}
