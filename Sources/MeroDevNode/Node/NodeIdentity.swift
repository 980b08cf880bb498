import MeroKit

/// Who the node is. Made at its first start and kept as long as its state.
struct NodeIdentity: Sendable {
    private static let names = [
        "accountId", "deviceId", "publicKey", "accountRootPublicKey", "deviceAgreementKey", "accountNamespaceId",
    ]

    /// The `data` of `GET /admin-api/identity`.
    ///
    /// Spec: 20, section 5.2.
    let tree: JsonTree

    /// The account the node acts as.
    let accountId: String

    init(directory: DataDirectory?) throws {
        var stored: [String: JsonTree] = [:]
        var journal: Journal?
        if let directory { (journal, stored) = try directory.open("identity") }
        let values = Self.names.map { ($0, stored[$0] ?? .string(Hex.encode(SecureRandom.bytes(32)))) }
        let missing = values.filter { stored[$0.0] == nil }
        try journal?.record(missing.map { ($0.0, $0.1) }) { [:] }
        accountId = values.first { $0.0 == "accountId" }?.1.stringValue ?? ""
        tree = .object(
            values.map { JsonMember(name: $0.0, value: $0.1) } + [
                JsonMember(name: "holdsAccountRoot", value: true), JsonMember(name: "deviceCertified", value: true),
            ])
    }
}
