import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// A relay with a namespace, a member without a node, and a context they share.
struct RelayFixture: Sendable {
    let fixture: NodeFixture
    let ada: DevAccount
    let namespace: String
    let context: String

    var node: DevNode { fixture.node }
    var now: UInt64 { UInt64(node.clock.seconds) }

    // MARK: - Writes

    /// The warrant that the relay would carry out, changed.
    func warrant(
        _ method: String = "set", _ args: JSONValue = ["key": "k", "value": "v"], nonce: UInt64 = 1,
        as author: DevAccount? = nil, _ change: (inout Warrants.WarrantInput) -> Void = { _ in }
    ) throws -> String {
        let author = author ?? ada
        var input = Warrants.WarrantInput(
            context: context, authorAccount: author.accountId, executor: node.accountId,
            executorKey: node.executor(inContext: context) ?? "",
            releaseBytecodeId: node.releaseBytecodeId(group: namespace) ?? String(repeating: "0", count: 64),
            releaseVersion: "1.0.0", method: method, argsJson: args, nonce: nonce, notAfter: now + 300)
        change(&input)
        return try Warrants.signWarrant(input, keys: author.keys)
    }

    func body(
        _ method: String = "set", _ args: JsonTree = ["key": "k", "value": "v"], warrant: String, proof: String? = nil
    ) -> JsonTree {
        [
            "method": .string(method), "argsJson": args, "warrant": .string(warrant),
            "authorProof": .string(proof ?? ada.credential),
        ]
    }

    var path: String { "/admin-api/contexts/\(context)/intents" }

    func post(_ body: JsonTree) async throws -> Answer { try await fixture.post(path, body) }

    /// One whole write.
    func write(
        _ method: String = "set", _ args: JSONValue = ["key": "k", "value": "v"], nonce: UInt64 = 1,
        as author: DevAccount? = nil, _ change: (inout Warrants.WarrantInput) -> Void = { _ in }
    ) async throws -> Answer {
        try await post(
            body(
                method, JsonTree(args), warrant: warrant(method, args, nonce: nonce, as: author, change),
                proof: (author ?? ada).credential))
    }

    func mark(_ author: DevAccount? = nil) -> UInt64? {
        node.highestNonce(ofDeviceKey: (author ?? ada).keys.signPublicKey, context: context)
    }

    /// Nothing ran and nothing was spent.
    func expectUntouched(_ comment: Comment? = nil, location: SourceLocation = #_sourceLocation) {
        #expect(mark() == nil, comment, sourceLocation: location)
        #expect(node.delegatedWrites.isEmpty, comment, sourceLocation: location)
        #expect(node.contextState(context) == [:], comment, sourceLocation: location)
    }

    // MARK: - Governance

    func governanceWarrant(
        _ op: Warrants.GovernanceOp, scope: String? = nil, nonce: UInt64, as author: DevAccount? = nil,
        _ change: (inout Warrants.GovernanceInput) -> Void = { _ in }
    ) throws -> String {
        let author = author ?? ada
        var input = Warrants.GovernanceInput(
            scope: scope ?? namespace, op: op, authorAccount: author.accountId, executor: node.accountId,
            executorKey: node.nodeKey, nonce: nonce, notAfter: now + 300)
        change(&input)
        return try Warrants.signGovernanceWarrant(input, keys: author.keys)
    }

    func govern(
        _ op: Warrants.GovernanceOp, scope: String? = nil, nonce: UInt64, as author: DevAccount? = nil,
        _ change: (inout Warrants.GovernanceInput) -> Void = { _ in }
    ) async throws -> Answer {
        try await fixture.post(
            "/admin-api/groups/\(scope ?? namespace)/governance-intents",
            [
                "warrant": .string(try governanceWarrant(op, scope: scope, nonce: nonce, as: author, change)),
                "authorProof": .string((author ?? ada).credential), "op": .string(Hex.encode(op.bytes)),
            ])
    }

    func governanceMark(_ scope: String? = nil, _ author: DevAccount? = nil) -> UInt64? {
        node.highestNonce(ofDeviceKey: (author ?? ada).keys.signPublicKey, group: scope ?? namespace)
    }

    // MARK: - Sessions and proofs

    func challenge() async throws -> String {
        try await fixture.call("GET", "/auth/challenge").data?["challenge"]?.stringValue ?? ""
    }

    struct Login {
        var node: String
        var audience = LoginAudience.cli
        var challenge: String
        var sessionKey: String
        var issuedAt: UInt64
        var expiresAt: UInt64
    }

    /// A session of an account; `change` alters what is signed, `alter` what is sent.
    func login(
        as author: DevAccount? = nil, proof: String? = nil, _ change: (inout Login) -> Void = { _ in },
        alter: (JsonTree) -> JsonTree = { $0 }
    ) async throws -> Answer {
        let author = author ?? ada
        let key = DeviceKeys.generate().signPublicKey
        var login = Login(
            node: node.nodeKey, challenge: try await challenge(), sessionKey: key, issuedAt: now, expiresAt: now + 300)
        let challenge = login.challenge
        change(&login)
        let statement = try LoginStatement.sign(
            node: login.node, audience: login.audience, challenge: login.challenge, sessionKey: login.sessionKey,
            issuedAt: login.issuedAt, expiresAt: login.expiresAt, keys: author.keys)
        return try await fixture.post(
            "/auth/token",
            alter([
                "auth_method": "account_proof", "public_key": .string(key), "client_name": "http://127.0.0.1",
                "timestamp": JsonTree(now),
                "provider_data": [
                    "challenge": .string(challenge), "login_statement": .string(statement),
                    "account_proof": .string(proof ?? author.credential),
                ],
            ]))
    }

    func session(as author: DevAccount? = nil) async throws -> String {
        let answer = try await login(as: author)
        try #require(answer.status == 200, "\(answer.text)")
        return answer.pair.accessToken
    }

    /// A request that carries a proof; `signed` names what the proof speaks of where that differs.
    func proven(
        _ method: String, _ target: String, json: String? = nil, as author: DevAccount? = nil,
        headers: [(String, String)] = [],
        signed: (inout RequestSignatureParts) -> Void = { _ in }
    ) async throws -> Answer {
        let author = author ?? ada
        let body = Data((json ?? "").utf8)
        var parts = RequestSignatureParts(
            method: method, path: String(target.prefix { $0 != "?" }), body: body, issuedAt: now, expiresAt: now + 300)
        signed(&parts)
        let header = try parts.header(author)
        return try await fixture.call(
            method, target, json: json, headers: headers + [("X-Calimero-Proof", header)])
    }

    func query(_ method: String = "get", _ args: String = #"{"key":"k"}"#, token: String) async throws -> Answer {
        try await fixture.call(
            "POST", "/admin-api/contexts/\(context)/query", token: token,
            json: #"{"method":"\#(method)","argsJson":\#(args)}"#)
    }
}

/// What a request proof says.
struct RequestSignatureParts {
    var method: String
    var path: String
    var body: Data
    var issuedAt: UInt64
    var expiresAt: UInt64
    /// A login to carry along, and the key that then signs.
    var session: (statement: String, keys: DeviceKeys)?

    func header(_ author: DevAccount) throws -> String {
        let request = try RequestSignature(
            method: method, path: path, body: body, issuedAt: issuedAt, expiresAt: expiresAt)
        let signed = request.signed(try (session?.keys ?? author.keys).sign(request.preimage))
        guard let session else {
            return CallerProof.headerValue(
                credential: try Hex.decodeUnsized(author.credential, label: "credential"), request: signed)
        }
        return author.credential + "01" + session.statement + Hex.encode(signed.bytes)
    }
}

extension DevNodeOptions {
    static func relay(_ change: (inout DevNodeOptions) -> Void = { _ in }) -> DevNodeOptions {
        with { options in
            options.delegatedAccess = true
            change(&options)
        }
    }
}

/// A relay that is stopped at the end of the test.
func withRelay(
    _ options: DevNodeOptions = .relay(), contract: any DevContract = KeyValueContract(),
    capabilities: UInt32 = 4, adminRole: Bool = false, _ body: (RelayFixture) async throws -> Void
) async throws {
    try await withNode(options) { fixture async throws in
        fixture.node.clock.freeze()
        let ada = try DevAccount()
        let namespace = try fixture.node.createNamespace(
            members: [ada.accountId: adminRole ? .admin : .member], memberCapabilities: capabilities)
        let context = try fixture.node.createContext(contract, inGroup: namespace)
        try await body(RelayFixture(fixture: fixture, ada: ada, namespace: namespace, context: context))
    }
}

/// The text with one byte of what it stands for changed.
func flipped(_ hex: String, at index: Int, by mask: UInt8 = 0x01) -> String {
    var bytes = Hex.decode(hex) ?? []
    guard bytes.indices.contains(index) else { return hex }
    bytes[index] ^= mask
    return Hex.encode(bytes)
}
