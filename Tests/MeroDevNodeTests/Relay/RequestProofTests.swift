import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

@Suite struct RequestProofTests {
    private static let path = "/admin-api/namespaces"

    private func refused(_ answer: Answer, _ status: Int = 401, _ comment: Comment? = nil) {
        #expect(answer.status == status, comment)
        #expect(answer.authError == "invalid_proof", comment)
        #expect(answer.body.isEmpty, comment)
    }

    @Test func aProofReadsAsTheAccount() async throws {
        try await withRelay { relay async throws in
            let answer = try await relay.proven("GET", Self.path + "?limit=5")
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.data?.arrayValue?.map { $0["namespaceId"] } == [.string(relay.namespace)])
            #expect(try await relay.write().status == 200)
            let body = #"{"method":"get","argsJson":{"key":"k"}}"#
            let query = "/admin-api/contexts/\(relay.context)/query"
            #expect(try await relay.proven("POST", query, json: body).data?["returns"] == "v")
            // The same proof, the same request: until it expires it may come again.
            #expect(try await relay.proven("POST", query, json: body).data?["returns"] == "v")
            #expect(try await relay.proven("HEAD", Self.path).status == 200)
        }
    }

    @Test func itCoversMethodPathAndBody() async throws {
        try await withRelay { relay async throws in
            let query = "/admin-api/contexts/\(relay.context)/query"
            let body = #"{"method":"len","argsJson":{}}"#
            refused(try await relay.proven("GET", Self.path) { $0.method = "HEAD" })
            refused(try await relay.proven("GET", Self.path) { $0.path = "/admin-api/contexts" })
            refused(try await relay.proven("POST", query, json: body) { $0.body = Data() })
            refused(try await relay.proven("POST", query, json: body) { $0.body = Data((body + " ").utf8) })
            #expect(try await relay.proven("POST", query, json: body).status == 200)
        }
    }

    @Test(arguments: [
        (0, 300, true), (0, 301, false), (-330, -30, true), (-331, -31, false), (30, 330, true), (31, 331, false),
        (-299, 1, true), (0, -1, true), (0, -31, false),
    ])
    func itHasAWindow(issued: Int, expires: Int, isValid: Bool) async throws {
        try await withRelay { relay async throws in
            let now = Int(relay.now)
            let answer = try await relay.proven("GET", Self.path) { parts in
                parts.issuedAt = UInt64(now + issued)
                parts.expiresAt = UInt64(now + expires)
            }
            if isValid { #expect(answer.status == 200) } else { refused(answer) }
        }
    }

    @Test func everyByteCounts() async throws {
        try await withRelay { relay async throws in
            let header = try RequestSignatureParts(
                method: "GET", path: Self.path, body: Data(), issuedAt: relay.now, expiresAt: relay.now + 300
            ).header(relay.ada)
            for index in 0..<(header.count / 2) {
                let answer = try await relay.fixture.call(
                    "GET", Self.path, headers: [("X-Calimero-Proof", flipped(header, at: index))])
                refused(answer, 401, "byte \(index)")
            }
            for bad in ["zz", header + "00", String(header.dropLast(2)), "00"] {
                refused(try await relay.fixture.call("GET", Self.path, headers: [("X-Calimero-Proof", bad)]))
            }
            let good = try await relay.fixture.call("GET", Self.path, headers: [("x-calimero-proof", header)])
            #expect(good.status == 200)
        }
    }

    @Test func aTokenDecidesAlone() async throws {
        try await withRelay { relay async throws in
            let owner = relay.node.mintTokens().accessToken
            let foreign = try relay.node.createNamespace()
            let seen = try await relay.proven(
                "GET", Self.path, headers: [("Authorization", "Bearer \(owner)")])
            #expect(seen.data?.arrayValue?.contains { $0["namespaceId"] == .string(foreign) } == true)
            let bad = try await relay.proven("GET", Self.path, headers: [("Authorization", "Bearer x")])
            #expect(bad.status == 401 && bad.authError == nil)
            #expect(try await relay.proven("GET", Self.path + "?token=x").status == 401)
            #expect(try await relay.proven("GET", Self.path, headers: [("Authorization", "Basic x")]).status == 401)
        }
    }

    @Test func whatAnOwnerDoesNeedsAnOwner() async throws {
        try await withRelay(adminRole: true) { relay async throws in
            let calls: [(String, String, String?)] = [
                ("GET", "/admin-api/peers", nil), ("GET", "/admin-api/identity", nil),
                (
                    "POST", "/jsonrpc",
                    #"{"jsonrpc":"2.0","id":1,"method":"execute","params":{"contextId":"\#(relay.context)","method":"len","argsJson":{}}}"#
                ),
            ]
            for (method, path, json) in calls {
                let answer = try await relay.proven(method, path, json: json)
                #expect(answer.status == 403, "\(path)")
                #expect(answer.authError == nil)
            }
            // The auth service knows tokens only.
            #expect(try await relay.proven("GET", "/admin/keys").status == 400)
        }
    }

    @Test func otherAccountsNeedDelegatedAccess() async throws {
        try await withRelay(.relay { $0.delegatedAccess = false }) { relay async throws in
            refused(try await relay.proven("GET", Self.path), 403)
            // A proof of the node's own account is always taken.
            let root = relay.node.core.identity.root
            let own = try DevAccount(root: root)
            #expect(try await relay.proven("GET", Self.path, as: own).status == 200)
        }
    }

    @Test func aSessionMayStandBetween() async throws {
        try await withRelay { relay async throws in
            let session = DeviceKeys.generate()
            func ask(
                node: String? = nil, lifetime: UInt64 = 3_600, signer: DeviceKeys? = nil, other: DeviceKeys? = nil
            ) async throws -> Answer {
                let statement = try LoginStatement.sign(
                    node: node ?? relay.node.nodeKey, audience: .cli, challenge: String(repeating: "1", count: 64),
                    sessionKey: session.signPublicKey, issuedAt: relay.now, expiresAt: relay.now + lifetime,
                    keys: other ?? relay.ada.keys)
                return try await relay.proven("GET", Self.path) {
                    $0.session = (statement, signer ?? session)
                }
            }
            #expect(try await ask().status == 200)
            refused(try await ask(lifetime: 3_601))
            refused(try await ask(node: relay.node.accountId))
            refused(try await ask(signer: relay.ada.keys))
            refused(try await ask(other: DevAccount(root: relay.ada.root).keys))
        }
    }

    @Test func aBodyHasALimit() async throws {
        try await withRelay { relay async throws in
            let text = String(repeating: " ", count: 1 << 20)
            let answer = try await relay.proven(
                "POST", "/admin-api/contexts/\(relay.context)/query", json: #"{"method":"len","argsJson":{}}"# + text)
            #expect(answer.status == 413)
        }
    }

    @Test func streamsOpenWithAProof() async throws {
        try await withRelay { relay async throws in
            func header(_ method: String, _ path: String, _ body: String = "") throws -> (String, String) {
                (
                    "X-Calimero-Proof",
                    try RequestSignatureParts(
                        method: method, path: path, body: Data(body.utf8), issuedAt: relay.now,
                        expiresAt: relay.now + 300
                    ).header(relay.ada)
                )
            }
            let tap = try await SseTap.open(relay.node, headers: [try header("GET", "/sse")])
            #expect(tap.head.status == 200)
            let foreign = try relay.node.createContext(KeyValueContract())
            let body =
                #"{"id":"\#(tap.sessionId)","method":"subscribe","params":{"contextIds":["\#(relay.context)","\#(foreign)"]}}"#
            let answer = try await relay.fixture.call(
                "POST", "/sse/subscription", json: body, headers: [try header("POST", "/sse/subscription", body)])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try await relay.write().status == 200)
            #expect(await tap.has(frames: 2))
            #expect(tap.types == ["StateMutation"])
            // Another device of the account is another principal, and so is the account's stranger.
            let stolen = try await relay.proven("POST", "/sse/subscription", json: body, as: DevAccount())
            #expect(stolen.status == 403)
        }
    }

    @Test func aPathPrefixIsPartOfWhatIsSigned() async throws {
        try await withRelay(.relay { $0.pathPrefix = "/node1" }) { relay async throws in
            #expect(try await relay.proven("GET", "/node1" + Self.path).status == 200)
            refused(try await relay.proven("GET", "/node1" + Self.path) { $0.path = Self.path })
        }
    }
}
