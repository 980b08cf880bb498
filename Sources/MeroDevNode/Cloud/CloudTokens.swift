import Foundation
import MeroKit

/// Session tokens, and the ID tokens of the dev cloud's own Google: JWTs signed with HS256.
///
/// Spec: 70, sections 2.1 and 2.2.
struct CloudTokens: Sendable {
    struct Claims: Sendable, Equatable {
        var email: String
        /// The login that the token belongs to; a rolled token keeps it.
        var session = ""
        var name: String?
        var picture: String?
        var issuedAt: Int64
        var expiresAt: Int64
    }

    enum Use: String {
        case session = "mdma"
        case google = "https://accounts.google.com"
    }

    private let key: [UInt8]
    private let header = Base64URL.encode(Array(#"{"typ":"JWT","alg":"HS256"}"#.utf8))

    init(secret: [UInt8]) { key = Digest.hmacSHA256(key: secret, Array("token".utf8)) }

    func sign(_ claims: Claims, _ use: Use) -> String {
        var tree: [JsonMember] = [
            JsonMember(name: "iss", value: .string(use.rawValue)),
            JsonMember(name: "email", value: .string(claims.email)),
            JsonMember(name: "sid", value: .string(claims.session)),
            JsonMember(name: "iat", value: JsonTree(claims.issuedAt)),
            JsonMember(name: "exp", value: JsonTree(claims.expiresAt)),
            // So that no two tokens are equal, be they of one second.
            JsonMember(name: "jti", value: .string(Hex.encode(SecureRandom.bytes(8)))),
        ]
        if let name = claims.name { tree.append(JsonMember(name: "name", value: .string(name))) }
        if let picture = claims.picture { tree.append(JsonMember(name: "picture", value: .string(picture))) }
        let content = header + "." + Base64URL.encode(JsonTree.object(tree).bytes)
        return content + "." + Base64URL.encode(Digest.hmacSHA256(key: key, Array(content.utf8)))
    }

    /// Nil for a token that was not made here, for another use, or has expired.
    func read(_ token: String, _ use: Use, now: Int64) -> Claims? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == header, let mac = Base64URL.decode(String(parts[2])),
            Digest.constantTimeEqual(mac, Digest.hmacSHA256(key: key, Array("\(parts[0]).\(parts[1])".utf8))),
            let tree = Base64URL.decode(String(parts[1])).flatMap({ try? JsonParser.parse($0) }),
            tree["iss"]?.stringValue == use.rawValue, let email = tree["email"]?.stringValue,
            let issuedAt = tree["iat"]?.integer(Int64.self), let expiresAt = tree["exp"]?.integer(Int64.self),
            expiresAt > now
        else { return nil }
        return Claims(
            email: email, session: tree["sid"]?.stringValue ?? "", name: tree["name"]?.stringValue,
            picture: tree["picture"]?.stringValue, issuedAt: issuedAt, expiresAt: expiresAt)
    }
}
