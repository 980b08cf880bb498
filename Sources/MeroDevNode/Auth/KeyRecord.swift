import MeroKit

/// A key of the auth service: what tokens are minted for and what revocation ends.
struct KeyRecord: Sendable, Equatable {
    enum Kind: String, Sendable {
        case root
        case client
    }

    var id: String
    var kind: Kind
    /// The opaque user id, the `sub` of its tokens.
    var userId: String
    var publicKey: String?
    var authMethod: String?
    var permissions: [String]
    var createdAt: Int64
    /// Position in the order of creation; seconds are too coarse for a listing.
    var order: Int64
    var revokedAt: Int64?
    /// Client keys expire, root keys don't.
    var expiresAt: Int64?
    var nodeURL: String?
    /// Client keys: the root key they were made from, a label, and what stays the same while the id rotates.
    var rootKeyId: String?
    var name: String?
    var family: String?

    static func newId() -> String { Hex.encode(SecureRandom.bytes(32)) }

    func isExpired(at now: Int64) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

/// A user of the password provider.
struct UserRecord: Sendable, Equatable {
    var username: String
    var id: String
    var salt: String
    var hash: String
    var rootKeyId: String
}

/// A refresh token that has done its work.
struct UsedToken: Sendable, Equatable {
    var expiresAt: Int64
    var family: String?
}

extension KeyRecord {
    var tree: JsonTree {
        var members: [JsonMember] = [
            JsonMember(name: "kind", value: .string(kind.rawValue)),
            JsonMember(name: "user", value: .string(userId)),
            JsonMember(name: "permissions", value: JsonTree(permissions)),
            JsonMember(name: "created", value: JsonTree(createdAt)),
            JsonMember(name: "order", value: JsonTree(order)),
        ]
        func add(_ name: String, _ text: String?) {
            if let text { members.append(JsonMember(name: name, value: .string(text))) }
        }
        func add(_ name: String, _ seconds: Int64?) {
            if let seconds { members.append(JsonMember(name: name, value: JsonTree(seconds))) }
        }
        add("publicKey", publicKey)
        add("method", authMethod)
        add("nodeURL", nodeURL)
        add("root", rootKeyId)
        add("name", name)
        add("family", family)
        add("revoked", revokedAt)
        add("expires", expiresAt)
        return .object(members)
    }

    init?(id: String, _ tree: JsonTree) {
        guard let kind = tree["kind"]?.stringValue.flatMap(Kind.init), let userId = tree["user"]?.stringValue,
            let created = tree["created"]?.integer(Int64.self), let order = tree["order"]?.integer(Int64.self)
        else { return nil }
        self.init(
            id: id, kind: kind, userId: userId, publicKey: tree["publicKey"]?.stringValue,
            authMethod: tree["method"]?.stringValue,
            permissions: (tree["permissions"]?.arrayValue ?? []).compactMap(\.stringValue), createdAt: created,
            order: order, revokedAt: tree["revoked"]?.integer(), expiresAt: tree["expires"]?.integer(),
            nodeURL: tree["nodeURL"]?.stringValue, rootKeyId: tree["root"]?.stringValue,
            name: tree["name"]?.stringValue, family: tree["family"]?.stringValue)
    }
}

extension UserRecord {
    var tree: JsonTree {
        ["id": .string(id), "salt": .string(salt), "hash": .string(hash), "root": .string(rootKeyId)]
    }

    init?(username: String, _ tree: JsonTree) {
        guard let id = tree["id"]?.stringValue, let salt = tree["salt"]?.stringValue,
            let hash = tree["hash"]?.stringValue, let root = tree["root"]?.stringValue
        else { return nil }
        self.init(username: username, id: id, salt: salt, hash: hash, rootKeyId: root)
    }
}

extension UsedToken {
    var tree: JsonTree {
        var members = [JsonMember(name: "expires", value: JsonTree(expiresAt))]
        if let family { members.append(JsonMember(name: "family", value: .string(family))) }
        return .object(members)
    }

    init?(_ tree: JsonTree) {
        guard let expires = tree["expires"]?.integer(Int64.self) else { return nil }
        self.init(expiresAt: expires, family: tree["family"]?.stringValue)
    }
}
