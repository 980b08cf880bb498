import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// The owner of a node, who speaks to its admin API over raw HTTP.
struct Owner: Sendable {
    static let application = DevNode.applicationId(of: KeyValueContract())
    static let unknown = String(repeating: "5", count: 64)

    let fixture: NodeFixture
    let token: String

    init(_ node: DevNode, permissions: [String] = ["admin"]) {
        fixture = NodeFixture(node: node)
        token = node.mintTokens(permissions: permissions).accessToken
    }

    var node: DevNode { fixture.node }
    var account: String { node.accountId }

    func get(_ path: String) async throws -> Answer {
        try await fixture.call("GET", "/admin-api\(path)", token: token)
    }

    func send(_ method: String, _ path: String, _ body: JsonTree? = [:]) async throws -> Answer {
        try await fixture.call(method, "/admin-api\(path)", token: token, json: body?.text)
    }

    func post(_ path: String, _ body: JsonTree? = [:]) async throws -> Answer { try await send("POST", path, body) }
    func put(_ path: String, _ body: JsonTree) async throws -> Answer { try await send("PUT", path, body) }
    func delete(_ path: String, _ body: JsonTree? = [:]) async throws -> Answer { try await send("DELETE", path, body) }

    // MARK: - Making things

    func namespace(named name: String? = nil) async throws -> String {
        var body: JsonTree = ["applicationId": .string(Self.application)]
        if let name { body = body.replacing("name", .string(name)) }
        let answer = try await post("/namespaces", body)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.data?["namespaceId"]?.stringValue)
    }

    func subgroup(of namespace: String, visibility: String = "restricted", named name: String? = nil) async throws
        -> String
    {
        var body: JsonTree = ["visibility": .string(visibility)]
        if let name { body = body.replacing("groupName", .string(name)) }
        let answer = try await post("/namespaces/\(namespace)/groups", body)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.data?["groupId"]?.stringValue)
    }

    func invitation(to namespace: String, _ body: JsonTree = [:]) async throws -> JsonTree {
        let answer = try await post("/namespaces/\(namespace)/invite", body)
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(answer.data?["invitation"])
    }

    func join(_ namespace: String, _ invitation: JsonTree) async throws -> Answer {
        try await post("/namespaces/\(namespace)/join", ["invitation": invitation])
    }

    func add(_ account: String, _ role: String = "Member", to group: String) async throws -> Answer {
        try await post(
            "/groups/\(group)/members",
            ["members": [["identity": .string(account), "role": .string(role)]]])
    }

    func execute(_ context: String, _ method: String, _ args: JsonTree = [:]) async throws -> Answer {
        try await fixture.execute(context, method, args, token: token)
    }

    /// What a group's members are, by account.
    func roles(in group: String) async throws -> [String: String] {
        let rows = try await get("/groups/\(group)/members").json["members"]?.arrayValue ?? []
        return Dictionary(
            rows.map { ($0["identity"]?.stringValue ?? "", $0["role"]?.stringValue ?? "") }, uniquingKeysWith: { $1 })
    }
}

/// An owner of a node that is stopped at the end of the test.
func withOwner(_ options: DevNodeOptions = DevNodeOptions(), _ body: (Owner) async throws -> Void) async throws {
    try await withNode(options) { try await body(Owner($0.node)) }
}

/// Owners of nodes that share a network.
func withOwners(
    _ count: Int = 2, _ options: DevNodeOptions = DevNodeOptions(),
    _ body: (DevNetwork, [Owner]) async throws -> Void
) async throws {
    let network = DevNetwork()
    var options = options
    options.network = network
    var owners: [Owner] = []
    for _ in 0..<count { owners.append(Owner(try await DevNode.start(options))) }
    do {
        try await body(network, owners)
    } catch {
        for owner in owners { await owner.node.stop() }
        throw error
    }
    for owner in owners { await owner.node.stop() }
}

/// Refusals of a body that every validating route has in common.
func expectClosedBody(
    _ owner: Owner, _ method: String, _ path: String, _ good: JsonTree, required: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) async throws {
    let unknown = try await owner.send(method, path, good.replacing("requester", "x"))
    #expect(unknown.status == 400, "\(path)", sourceLocation: sourceLocation)
    #expect(
        unknown.error?.hasPrefix("Invalid JSON data: ") == true
            && unknown.error?.contains("unknown field `requester`") == true,
        "\(path): \(unknown.text)", sourceLocation: sourceLocation)
    #expect(unknown.json.names == ["error"], sourceLocation: sourceLocation)
    for name in required {
        let missing = try await owner.send(method, path, good.replacing(name, nil))
        #expect(
            missing.status == 400 && missing.error?.contains("missing field `\(name)`") == true,
            "\(path) without \(name): \(missing.text)", sourceLocation: sourceLocation)
        let wrong = try await owner.send(method, path, good.replacing(name, ["x": 1]))
        #expect(
            wrong.status == 400 && wrong.error?.contains("invalid type: map") == true,
            "\(path) with an odd \(name): \(wrong.text)", sourceLocation: sourceLocation)
    }
    let bare = try await owner.fixture.send(
        method, "/admin-api\(path)", headers: [("Authorization", "Bearer \(owner.token)")], body: good.data)
    #expect(bare.status == 400, "\(path)", sourceLocation: sourceLocation)
    #expect(
        bare.error == "Expected request with `Content-Type: application/json`", "\(path)",
        sourceLocation: sourceLocation)
    let broken = try await owner.fixture.call(method, "/admin-api\(path)", token: owner.token, json: "{\"a\":")
    #expect(
        broken.status == 400 && broken.error?.hasPrefix("JSON syntax error: ") == true, "\(path): \(broken.text)",
        sourceLocation: sourceLocation)
}
