import Foundation
import MeroKit

/// Nonces that carry their own purpose and expiry, sealed: handing them out costs no memory.
///
/// Spec: 70, sections 3 and 4.
struct CloudNonces: Sendable {
    /// What a nonce is good for. The routing proof's domain is one for accounts and namespaces; the seal keeps them apart.
    enum Purpose: Sendable, Equatable {
        case login
        case link(email: String)
        case grant(email: String, account: String)
        case account(String)
        case namespace(String)

        fileprivate var tree: JsonTree {
            switch self {
            case .login: return ["use": "account-login"]
            case .link(let email): return ["use": "account-link", "email": .string(email)]
            case .grant(let email, let account):
                return ["use": "account-grant", "email": .string(email), "account": .string(account)]
            case .account(let id): return ["use": "routing", "account": .string(id)]
            case .namespace(let id): return ["use": "routing", "namespace": .string(id)]
            }
        }

        fileprivate init?(_ tree: JsonTree) {
            let (email, account) = (tree["email"]?.stringValue, tree["account"]?.stringValue)
            switch (tree["use"]?.stringValue, email, account, tree["namespace"]?.stringValue) {
            case ("account-login", _, _, _): self = .login
            case ("account-link", let email?, _, _): self = .link(email: email)
            case ("account-grant", let email?, let account?, _): self = .grant(email: email, account: account)
            case ("routing", _, let account?, _): self = .account(account)
            case ("routing", _, _, let namespace?): self = .namespace(namespace)
            default: return nil
            }
        }
    }

    private let key: [UInt8]

    init(secret: [UInt8]) { key = Digest.hmacSHA256(key: secret, Array("nonce".utf8)) }

    func issue(_ purpose: Purpose, expiresAtMs: Int64) -> String {
        let content: JsonTree = [
            "for": purpose.tree, "exp": JsonTree(expiresAtMs), "rnd": .string(Hex.encode(SecureRandom.bytes(12))),
        ]
        let text = Base64URL.encode(content.bytes)
        return text + "." + Base64URL.encode(seal(text))
    }

    /// What a nonce was issued for, and when it expires; nil when it was not issued here.
    func open(_ nonce: String) -> (purpose: Purpose, expiresAtMs: Int64)? {
        let parts = nonce.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let mac = Base64URL.decode(String(parts[1])),
            Digest.constantTimeEqual(mac, seal(String(parts[0]))), let content = Base64URL.decode(String(parts[0])),
            let tree = try? JsonParser.parse(content), let purpose = tree["for"].flatMap(Purpose.init),
            let expiry = tree["exp"]?.integer(Int64.self)
        else { return nil }
        return (purpose, expiry)
    }

    private func seal(_ text: String) -> [UInt8] { Digest.hmacSHA256(key: key, Array(text.utf8)) }
}
