import Foundation

/// What the dev cloud knows.
struct CloudState: Sendable {
    struct User: Sendable {
        var name: String?
        var picture: String?
        var accountLimit: Int?
        var namespaceLimit: Int?
    }

    struct Account: Sendable {
        /// Known once the account's root has proved itself.
        var rootPublicKey: String?
        /// When it was linked, by the user's address.
        var links: [String: Date] = [:]
        var hasRecoveryEnvelope = false
        var relays: [Assignment] = []
    }

    struct Assignment: Sendable {
        var peerId: String
        var since: Date
    }

    struct Namespace: Sendable {
        enum Hosting: String {
            case none
            case enabled
            case disabled
        }

        var number: Int
        var owner: String?
        /// The account that proved to have founded it.
        var founder: String?
        var hosting = Hosting.none
        var enabledAt: Date?
        var admitterAddrs: [String] = []
        var relays: [Assignment] = []
    }

    struct Relay: Sendable {
        var facts: DevCloudRelay
        var node: DevNode?
        /// Nil while its heart beats.
        var lastHeartbeat: Date?
    }

    var users: [String: User] = [:]
    /// The users' addresses of the logins that nobody has ended.
    var sessions: [String: String] = [:]
    var accounts: [String: Account] = [:]
    var namespaces: [String: Namespace] = [:]
    /// Who sits at the portal; nil for somebody who agrees to nothing.
    var portalUser: String?
    /// In the order of registration.
    var relays: [Relay] = []
    /// Nonces that cannot be used again, and until when that has to be known.
    private var spent: [String: Int64] = [:]

    func relay(_ peerId: String) -> Relay? { relays.first { $0.facts.peerId == peerId } }

    /// The nodes behind the relays that a namespace is assigned to, as far as there are any.
    func nodes(hosting namespace: String) -> [DevNode] {
        (namespaces[namespace]?.relays ?? []).compactMap { relay($0.peerId)?.node }
    }

    func isSpent(_ nonce: String) -> Bool { spent[nonce] != nil }

    mutating func spend(_ nonce: String, until expiryMs: Int64, nowMs: Int64) {
        if spent.count > 4096 { spent = spent.filter { $0.value >= nowMs } }
        spent[nonce] = expiryMs
    }

    /// The record of a namespace, made if there is none.
    mutating func changeNamespace(_ id: String, _ body: (inout Namespace) -> Void) {
        var record = namespaces[id] ?? Namespace(number: namespaces.count)
        body(&record)
        namespaces[id] = record
    }

    /// The ids of the namespaces that fit, in the order in which the cloud heard of them.
    func namespaceIds(where fits: (Namespace) -> Bool) -> [String] {
        namespaces.filter { fits($0.value) }.sorted { $0.value.number < $1.value.number }.map(\.key)
    }
}
