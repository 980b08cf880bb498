import Foundation
import MeroKit

@testable import MeroDevNode

/// What a node answered.
struct Answer: Sendable {
    var status: Int
    var headers: [String: String]
    var body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
    var authError: String? { headers["x-auth-error"] }
    /// The body as JSON, exact; null when it is none.
    var json: JsonTree { (try? JsonParser.parse(body)) ?? .null }
    var error: String? { json["error"]?.stringValue }
    var data: JsonTree? { json["data"] }
    /// The JSON-RPC error object's type.
    var rpcType: String? { json["error"]?["type"]?.stringValue }
    var rpcData: JsonTree? { json["error"]?["data"] }
    var output: JsonTree? { json["result"]?["output"] }
    var pair: DevTokens {
        DevTokens(
            accessToken: data?["access_token"]?.stringValue ?? "",
            refreshToken: data?["refresh_token"]?.stringValue ?? "")
    }
}

/// A client that sends exactly what it is told to, to a server of this machine.
protocol LoopbackFixture: Sendable {
    var port: UInt16 { get }
}

extension LoopbackFixture {
    func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: Data? = nil,
        host: String? = "127.0.0.1"
    ) async throws -> Answer {
        let port = port
        return try await offPool {
            var head = "\(method) \(target) HTTP/1.1\r\nConnection: close\r\n"
            if let host { head += "Host: \(host)\r\n" }
            for (name, value) in headers { head += "\(name): \(value)\r\n" }
            if let body { head += "Content-Length: \(body.count)\r\n" }
            let client = try RawClient(port)
            try client.send(Data((head + "\r\n").utf8) + (body ?? Data()))
            let response = try client.readResponse(isHead: method == "HEAD")
            return Answer(status: response.status, headers: response.headers, body: response.body)
        }
    }

    func call(
        _ method: String, _ target: String, token: String? = nil, json: String? = nil,
        headers: [(String, String)] = [], host: String? = "127.0.0.1"
    ) async throws -> Answer {
        var all = headers
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if json != nil { all.append(("Content-Type", "application/json")) }
        return try await send(method, target, headers: all, body: json.map { Data($0.utf8) }, host: host)
    }

    func post(_ target: String, _ tree: JsonTree, token: String? = nil) async throws -> Answer {
        try await call("POST", target, token: token, json: tree.text)
    }
}

/// A started node and a client of it.
struct NodeFixture: LoopbackFixture {
    let node: DevNode

    var port: UInt16 { node.port }

    // MARK: - Auth

    static func loginBody(
        username: String = "dev", password: String = "dev-password", method: String = "user_password",
        publicKey: String = "dev", clientName: String = "tests"
    ) -> JsonTree {
        [
            "auth_method": .string(method), "public_key": .string(publicKey), "client_name": .string(clientName),
            "permissions": ["admin"], "timestamp": 1_796_000_000,
            "provider_data": ["username": .string(username), "password": .string(password)],
        ]
    }

    func login(username: String = "dev", password: String = "dev-password", clientName: String = "tests") async throws
        -> Answer
    {
        try await post(
            "/auth/token", Self.loginBody(username: username, password: password, clientName: clientName))
    }

    func refresh(_ pair: DevTokens) async throws -> Answer {
        try await post(
            "/auth/refresh",
            ["access_token": .string(pair.accessToken), "refresh_token": .string(pair.refreshToken)])
    }

    // MARK: - RPC

    func execute(
        _ context: String, _ method: String, _ args: JsonTree = [:], token: String
    ) async throws -> Answer {
        try await post(
            "/jsonrpc",
            [
                "jsonrpc": "2.0", "id": 1, "method": "execute",
                "params": ["contextId": .string(context), "method": .string(method), "argsJson": args],
            ], token: token)
    }
}

/// A node that is stopped at the end of the test.
func withNode(
    _ options: DevNodeOptions = DevNodeOptions(), _ body: (NodeFixture) async throws -> Void
) async throws {
    let node = try await DevNode.start(options)
    do {
        try await body(NodeFixture(node: node))
        await node.stop()
    } catch {
        await node.stop()
        throw error
    }
}

extension DevNodeOptions {
    static func with(_ change: (inout DevNodeOptions) -> Void) -> DevNodeOptions {
        var options = DevNodeOptions()
        change(&options)
        return options
    }
}

/// A folder that is gone after the test.
func withFolder(_ body: (URL) async throws -> Void) async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("merokit-tests-\(UUID())")
    defer { try? FileManager.default.removeItem(at: url) }
    try await body(url)
}

extension JsonTree {
    /// The names of an object's members.
    var names: Set<String> { Set(members.map(\.name)) }
    var strings: [String] { (arrayValue ?? []).compactMap(\.stringValue) }
}

/// The claims of a token, not verified.
func claims(_ token: String) -> JsonTree {
    let parts = token.split(separator: ".")
    guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])) else { return .null }
    return (try? JsonParser.parse(bytes)) ?? .null
}

/// A token made by hand, so that what the node refuses is not what its own mint would never produce.
func forge(_ claims: JsonTree, secret: [UInt8], header: String = #"{"alg":"HS256","typ":"JWT"}"#) -> String {
    let content = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(claims.bytes)
    return content + "." + Base64URL.encode(Digest.hmacSHA256(key: secret, Array(content.utf8)))
}

extension JsonTree {
    func replacing(_ name: String, _ value: JsonTree?) -> JsonTree {
        var members = self.members.filter { $0.name != name }
        if let value { members.append(JsonMember(name: name, value: value)) }
        return .object(members)
    }
}
