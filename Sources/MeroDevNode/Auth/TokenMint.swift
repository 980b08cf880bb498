import Foundation
import MeroKit

/// Makes and reads the node's tokens: JWTs signed with HS256 and a secret nobody else knows.
///
/// Spec: 10, section 7.3.
final class TokenMint: Sendable {
    static let issuer = "calimero-auth"

    private struct Cached: Sendable {
        var claims: TokenClaims
        var scopes: ScopeSet
        var keyPermissions: [String]
    }

    /// A session asks with the same token many times; its text, once verified, stands for the verified claims.
    private static let cacheLimit = 2048

    private let secret: [UInt8]
    private let generationMask: UInt32
    private let cache = Locked<[String: Cached]>([:])
    private let encodedHeader = Base64URL.encode(Array(#"{"typ":"JWT","alg":"HS256"}"#.utf8))

    init(secret: [UInt8]) {
        self.secret = secret
        generationMask = Digest.sha256(secret).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Signs the claims as they are.
    func sign(_ claims: TokenClaims) -> String {
        var tree: [JsonMember] = [
            JsonMember(name: "sub", value: .string(claims.subject)),
            JsonMember(name: "key_id", value: .string(claims.keyId)),
            JsonMember(name: "iss", value: .string(Self.issuer)),
            JsonMember(name: "aud", value: .string(Self.issuer)),
            JsonMember(name: "exp", value: JsonTree(claims.expiresAt)),
            JsonMember(name: "iat", value: JsonTree(claims.issuedAt)),
            JsonMember(name: "jti", value: .string(claims.tokenId)),
            JsonMember(name: "token_type", value: .string(claims.kind.rawValue)),
            JsonMember(name: "permissions", value: JsonTree(claims.permissions)),
        ]
        if let nodeURL = claims.nodeURL { tree.append(JsonMember(name: "node_url", value: .string(nodeURL))) }
        if let device = claims.device { tree.append(JsonMember(name: "device", value: .string(device))) }
        let content = encodedHeader + "." + Base64URL.encode(JsonTree.object(tree).bytes)
        return content + "." + Base64URL.encode(Digest.hmacSHA256(key: secret, Array(content.utf8)))
    }

    /// A new token id: a version 4 UUID whose first four bytes say, to this node only, in which generation the token
    /// was minted. So all tokens minted before a moment can be told from later ones without a list of them.
    func newTokenId(generation: UInt32) -> String {
        var bytes = SecureRandom.bytes(16)
        let mark = generation ^ generationMask
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: mark >> UInt32(24 - 8 * index)) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let hex = Array(Hex.encode(bytes))
        return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]].map { String($0) }
            .joined(separator: "-")
    }

    func generation(ofTokenId id: String) -> UInt32 {
        (UInt32(id.prefix(8), radix: 16) ?? generationMask) ^ generationMask
    }

    /// The verified claims, whatever their times. Throws `TokenProblem`.
    func verify(_ token: String, as kind: TokenClaims.Kind) throws -> TokenClaims {
        if let cached = cache.withLock({ $0[token] }) { return try expect(kind, cached.claims) }
        return try expect(kind, decode(token))
    }

    /// The verified claims and what they allow, given what the key behind them holds.
    func scopes(_ token: String, _ claims: TokenClaims, keyPermissions: [String]) -> ScopeSet {
        if let cached = cache.withLock({ $0[token] }), cached.keyPermissions == keyPermissions { return cached.scopes }
        let scopes = ScopeSet(token: claims.permissions, key: keyPermissions)
        cache.withLock { cache in
            if cache.count >= Self.cacheLimit { cache.removeAll(keepingCapacity: true) }
            cache[token] = Cached(claims: claims, scopes: scopes, keyPermissions: keyPermissions)
        }
        return scopes
    }

    private func expect(_ kind: TokenClaims.Kind, _ claims: TokenClaims) throws -> TokenClaims {
        guard claims.kind == kind else { throw TokenProblem("expected \(kind.rawValue) token") }
        return claims
    }

    private func decode(_ token: String) throws -> TokenClaims {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.tree(parts[0]), let signature = Base64URL.decode(String(parts[2]))
        else {
            throw TokenProblem("InvalidToken")
        }
        guard header["alg"]?.stringValue == "HS256" else { throw TokenProblem("InvalidAlgorithm") }
        let content = Array("\(parts[0]).\(parts[1])".utf8)
        guard Digest.constantTimeEqual(signature, Digest.hmacSHA256(key: secret, content)) else {
            throw TokenProblem("InvalidSignature")
        }
        guard let payload = Self.tree(parts[1]) else { throw TokenProblem("InvalidToken") }
        guard payload["iss"]?.stringValue == Self.issuer else { throw TokenProblem("InvalidIssuer") }
        guard payload["aud"]?.stringValue == Self.issuer else { throw TokenProblem("InvalidAudience") }
        func claim(_ name: String) throws -> JsonTree {
            guard let value = payload[name], value != .null else { throw TokenProblem("missing claim \(name)") }
            return value
        }
        func text(_ name: String) throws -> String {
            guard let text = try claim(name).stringValue else { throw TokenProblem("malformed claim \(name)") }
            return text
        }
        func seconds(_ name: String) throws -> Int64 {
            guard let seconds = try claim(name).integer(Int64.self), seconds >= 0, seconds < 1 << 53 else {
                throw TokenProblem("malformed claim \(name)")
            }
            return seconds
        }
        guard let kind = TokenClaims.Kind(rawValue: try text("token_type")) else {
            throw TokenProblem("malformed claim token_type")
        }
        guard let permissions = try claim("permissions").arrayValue else {
            throw TokenProblem("malformed claim permissions")
        }
        let nodeURL = payload["node_url"]?.stringValue
        return TokenClaims(
            subject: try text("sub"), keyId: try text("key_id"), expiresAt: try seconds("exp"),
            issuedAt: try seconds("iat"), tokenId: try text("jti"), kind: kind,
            permissions: permissions.compactMap(\.stringValue), nodeURL: nodeURL,
            device: payload["device"]?.stringValue, boundHost: nodeURL.flatMap(AuthService.urlHost))
    }

    private static func tree(_ part: Substring) -> JsonTree? {
        guard let bytes = Base64URL.decode(String(part)), let tree = try? JsonParser.parse(bytes),
            case .object = tree
        else { return nil }
        return tree
    }
}
