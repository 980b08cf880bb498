import Foundation
import MeroKit

/// The auth service that a node carries: logins, tokens, keys.
///
/// Spec: 10, sections 7 to 9.
final class AuthService: Sendable {
    struct Settings: Sendable {
        var accessLifetime: Int64
        var refreshLifetime: Int64
        var clientAccessLifetime: Int64
        var clientRefreshLifetime: Int64
        var leeway: Int64
        var publicHost: String?
        var bodyLimit: Int
        var accountProof: Bool
        var challengeLifetime: Int64
        var mockTokens: DevMockTokens
        /// The node's own signing key, which a login has to name.
        var nodeKey: Data
        /// Labels of the programs that accounts may log in from; empty admits all.
        var allowedAudiences: [String]
    }

    /// What a client key lives for when nobody says otherwise: 30 days.
    static let defaultClientKeyLifetime: Int64 = 2_592_000
    static let version = "0.11.0-rc.83"

    let settings: Settings
    let clock: DevClock
    let status: NodeStatus
    let vault: AuthVault
    let mint: TokenMint
    let challenges: ChallengeMint
    let throttle = Locked(LoginThrottle())
    let startedAt: Int64

    init(settings: Settings, clock: DevClock, status: NodeStatus, directory: DataDirectory?) throws {
        self.settings = settings
        self.clock = clock
        self.status = status
        vault = try AuthVault(directory: directory, status: status)
        mint = TokenMint(secret: vault.secret)
        challenges = ChallengeMint(secret: vault.secret)
        startedAt = clock.seconds
    }

    // MARK: - Minting

    /// A new pair for a key.
    func mintPair(
        key: KeyRecord, permissions: [String]? = nil, nodeURL: String?, device: String? = nil,
        generation: UInt32, accessLifetime: Int64? = nil, refreshLifetime: Int64? = nil
    ) -> DevTokens {
        let isClient = key.kind == .client
        let access = isClient ? min(settings.clientAccessLifetime, settings.accessLifetime) : settings.accessLifetime
        let refresh =
            isClient ? min(settings.clientRefreshLifetime, settings.refreshLifetime) : settings.refreshLifetime
        let now = clock.seconds
        func token(_ kind: TokenClaims.Kind, _ lifetime: Int64) -> String {
            mint.sign(
                TokenClaims(
                    subject: key.userId, keyId: key.id, expiresAt: now + lifetime, issuedAt: now,
                    tokenId: mint.newTokenId(generation: generation), kind: kind,
                    permissions: permissions ?? key.permissions, nodeURL: nodeURL, device: device))
        }
        return DevTokens(
            accessToken: token(.access, accessLifetime ?? access),
            refreshToken: token(.refresh, refreshLifetime ?? refresh))
    }

    // MARK: - Judging tokens

    /// The one question everything else asks: may this access token act right now? Throws `TokenRefusal`.
    func check(_ token: String, for request: DevHttpRequest) throws -> Caller {
        let claims: TokenClaims
        do {
            claims = try mint.verify(token, as: .access)
        } catch let problem as TokenProblem {
            throw TokenRefusal.invalid(problem)
        }
        guard status.isStorageAvailable else { throw TokenRefusal.storage }
        let (key, generation) = vault.read { ($0.keys[claims.keyId], $0.generation) }
        if request.faultHint == .tokenExpired || isExpired(claims, generation: generation) {
            throw TokenRefusal.expired
        }
        if let mismatch = hostMismatch(claims, request) { throw TokenRefusal.wrongHost(mismatch) }
        guard let key else { throw TokenRefusal.keyUnknown }
        if key.revokedAt != nil { throw TokenRefusal.keyRevoked }
        if key.isExpired(at: clock.seconds) { throw TokenRefusal.keyExpired }
        return Caller(
            claims: claims, key: key, scopes: mint.scopes(token, claims, keyPermissions: key.permissions))
    }

    func isExpired(_ claims: TokenClaims, generation: UInt32) -> Bool {
        if claims.expiresAt + settings.leeway < clock.seconds { return true }
        return claims.kind == .access && mint.generation(ofTokenId: claims.tokenId) < generation
    }

    /// Why a token that is bound to a host may not be used here; nil when it may.
    func hostMismatch(_ claims: TokenClaims, _ request: DevHttpRequest) -> String? {
        guard let bound = claims.boundHost else { return nil }
        guard let host = host(of: request) else { return "Token is bound to \(bound), but the request names no host" }
        return host == bound ? nil : "Token is bound to \(bound), not to \(host)"
    }

    /// The host a request is for: the node's configured one, else what a proxy says, else what the client says.
    func host(of request: DevHttpRequest) -> String? {
        if let configured = settings.publicHost { return Self.hostName(configured) }
        let forwarded = request.headers["x-forwarded-host"]?.split(separator: ",").first.map(String.init)
        return (forwarded ?? request.headers["host"]).flatMap(Self.hostName)
    }

    /// The lower-case host of a text that is a URL with one; nil for any other text.
    static func urlHost(_ text: String) -> String? {
        guard let range = text.range(of: "://"), let host = URLComponents(string: text)?.host, !host.isEmpty,
            text[..<range.lowerBound].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        else { return nil }
        return hostName(host)
    }

    /// Without port, lower case.
    static func hostName(_ text: String) -> String? {
        var host = text.trimmingCharacters(in: .whitespaces).lowercased()
        if let scheme = host.range(of: "://") { host = String(host[scheme.upperBound...].prefix { $0 != "/" }) }
        if host.hasPrefix("[") {
            host = String(host.dropFirst().prefix { $0 != "]" })
        } else if host.filter({ $0 == ":" }).count == 1 {
            host = String(host.prefix { $0 != ":" })
        }
        return host.isEmpty ? nil : host
    }

    // MARK: - Texts

    static func text(_ refusal: TokenRefusal) -> String {
        switch refusal {
        case .invalid(let problem): return "Invalid token: \(problem.detail)"
        case .expired: return "Token has expired"
        case .wrongHost(let text): return "Invalid token: \(text)"
        case .keyUnknown: return "Invalid token: Key not found"
        case .keyRevoked: return "Token has been revoked"
        case .keyExpired: return "Invalid token: Key has expired"
        case .storage: return "Storage error: store is down"
        }
    }

    /// Runs a handler whose early answers are thrown.
    static func answering(_ body: () throws -> DevHttpResponse) -> DevHttpResponse {
        do {
            return try body()
        } catch let early as EarlyReply {
            return early.response
        } catch {
            return AuthReply.failure(500, "Storage error: \(error.localizedDescription)")
        }
    }
}
