import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

extension NodeFixture {
    /// A call below `/admin-api`, by the node's owner unless a token is given.
    func admin(_ method: String, _ path: String, _ json: String? = nil, token: String? = nil) async throws -> Answer {
        try await call(method, "/admin-api" + path, token: token ?? node.mintTokens().accessToken, json: json)
    }

    func token(_ permissions: String...) -> String { node.mintTokens(permissions: permissions).accessToken }

    /// A session of an account, with the scopes that such a session has.
    func accountToken(_ account: DevAccount) async throws -> String {
        let challenge = try await call("GET", "/auth/challenge").data?["challenge"]?.stringValue ?? ""
        let key = DeviceKeys.generate().signPublicKey
        let now = UInt64(node.clock.seconds)
        let statement = try LoginStatement.sign(
            node: node.nodeKey, audience: LoginAudience.cli, challenge: challenge, sessionKey: key, issuedAt: now,
            expiresAt: now + 300, keys: account.keys)
        let answer = try await post(
            "/auth/token",
            [
                "auth_method": "account_proof", "public_key": .string(key), "client_name": "http://127.0.0.1",
                "timestamp": JsonTree(now),
                "provider_data": [
                    "challenge": .string(challenge), "login_statement": .string(statement),
                    "account_proof": .string(account.credential),
                ],
            ])
        try #require(answer.status == 200, "\(answer.text)")
        return answer.pair.accessToken
    }

    /// Creates a context through the admin API and returns its id.
    func makeContext(_ application: String, in group: String, name: String? = nil) async throws -> String {
        let label = name.map { #","name":"\#($0)""# } ?? ""
        let answer = try await admin(
            "POST", "/contexts",
            #"{"applicationId":"\#(application)","groupId":"\#(group)","initializationParams":[]\#(label)}"#)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.data?["contextId"]?.stringValue)
    }
}

/// Ids that nothing has.
enum SomeId {
    static var first: String { String(repeating: "1a", count: 32) }
    static var second: String { String(repeating: "2b", count: 32) }
}

extension Answer {
    /// Whether it is JSON of this status whose one member says what went wrong.
    func expectError(_ status: Int, _ text: String? = nil, _ location: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, "\(self.text)", sourceLocation: location)
        #expect(headers["content-type"] == "application/json", sourceLocation: location)
        #expect(json.names == ["error"], sourceLocation: location)
        if let text { #expect(error == text, sourceLocation: location) }
    }

    /// Whether it is plain text of this status.
    func expectText(_ status: Int, containing part: String = "", _ location: SourceLocation = #_sourceLocation) {
        #expect(self.status == status, "\(self.text)", sourceLocation: location)
        #expect(headers["content-type"]?.hasPrefix("text/plain") == true, sourceLocation: location)
        #expect(part.isEmpty || text.contains(part), "\(text)", sourceLocation: location)
    }
}

/// Recorded bodies of real nodes, which lie beside this checkout where they are.
enum WireRecording {
    /// Nil when there are none.
    static func read(_ name: String, file: String = #filePath) -> JsonTree? {
        let root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appendingPathComponent("shared/vectors/wire/\(name)")
        guard let bytes = try? Data(contentsOf: url) else {
            print("no recording \(name): what depends on it is not compared")
            return nil
        }
        return try? JsonParser.parse(bytes)
    }
}
