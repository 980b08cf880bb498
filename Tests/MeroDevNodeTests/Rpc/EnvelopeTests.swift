import Foundation
import Testing

@testable import MeroDevNode

@Suite struct EnvelopeTests {
    private static let zeros = String(repeating: "0", count: 64)
    private static let request: JsonTree = [
        "jsonrpc": "2.0", "id": 1, "method": "execute",
        "params": ["contextId": .string(zeros), "method": "get", "argsJson": [:]],
    ]

    private func rpc(_ fixture: NodeFixture, _ text: String) async throws -> Answer {
        try await fixture.call("POST", "/jsonrpc", token: fixture.node.mintTokens().accessToken, json: text)
    }

    @Test(arguments: ["", "{", "nonsense", "{}x", "\u{feff}{}"])
    func whatIsNoJsonIs400(text: String) async throws {
        try await withNode { fixture in
            let answer = try await rpc(fixture, text)
            #expect(answer.status == 400)
            #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
            #expect(answer.text.hasPrefix("Failed to parse the request body as JSON: "))
        }
    }

    @Test func aMissingOrWrongContentTypeIs415() async throws {
        try await withNode { fixture in
            let bearer = ("Authorization", "Bearer \(fixture.node.mintTokens().accessToken)")
            for type in [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"] as [String?] {
                let headers = [bearer] + (type.map { [("Content-Type", $0)] } ?? [])
                let answer = try await fixture.send("POST", "/jsonrpc", headers: headers, body: Self.request.data)
                #expect(answer.status == 415)
                #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
                #expect(!answer.body.isEmpty)
            }
            for type in ["application/json; charset=utf-8", "application/vnd.x+json"] {
                let answer = try await fixture.send(
                    "POST", "/jsonrpc", headers: [bearer, ("Content-Type", type)], body: Self.request.data)
                #expect(answer.status == 200)
            }
        }
    }

    private static let otherShapes: [JsonTree] = [
        [], .array([request]), "x", 1, .null, [:], request.replacing("jsonrpc", nil),
        request.replacing("jsonrpc", "1.0"), request.replacing("jsonrpc", .number("2.0")),
        request.replacing("jsonrpc", .null), request.replacing("id", nil), request.replacing("id", -1),
        request.replacing("id", .number("1.5")), request.replacing("id", true), request.replacing("id", []),
        request.replacing("id", .number("18446744073709551616")),
    ]

    @Test(arguments: otherShapes)
    func anotherShapeIs422(body: JsonTree) async throws {
        try await withNode { fixture in
            let answer = try await rpc(fixture, body.text)
            #expect(answer.status == 422)
            #expect(answer.headers["content-type"]?.hasPrefix("text/plain") == true)
            #expect(answer.text.hasPrefix("Failed to deserialize the JSON body into the target type: "))
        }
    }

    @Test func aRepeatedEnvelopeMemberIs422() async throws {
        try await withNode { fixture async throws in
            let text = Self.request.text.dropLast() + #","id":2}"#
            #expect(try await rpc(fixture, String(text)).status == 422)
        }
    }

    private static let ids: [JsonTree] = [1, 0, "a", "", .null, .number("18446744073709551615")]

    @Test(arguments: ids)
    func theIdIsEchoed(id: JsonTree) async throws {
        try await withNode { fixture in
            let answer = try await rpc(fixture, Self.request.replacing("id", id).text)
            #expect(answer.status == 200)
            #expect(answer.headers["content-type"] == "application/json")
            #expect(answer.json == ["jsonrpc": "2.0", "id": id, "error": ["type": "ContextNotFound"]])
        }
    }

    private static func execute(_ name: String, _ value: JsonTree?) -> JsonTree {
        request.replacing("params", (request["params"] ?? .null).replacing(name, value))
    }

    private static let parseErrors: [(JsonTree, String)] = [
        (request.replacing("method", "query"), "unknown variant `query`"),
        (request.replacing("method", "Execute"), "unknown variant `Execute`"),
        (request.replacing("method", nil), "missing field `method`"),
        (request.replacing("method", 1), "invalid type: integer `1`, expected a string"),
        (request.replacing("params", nil), "missing field `params`"),
        (request.replacing("params", []), "invalid type: sequence"),
        (request.replacing("extra", 1), "unknown field `extra`"),
        (execute("executorPublicKey", "ab"), "unknown field `executorPublicKey`"),
        (execute("executorPublicKey", .null), "unknown field `executorPublicKey`"),
        (execute("substitute", []), "unknown field `substitute`"),
        (execute("argsJson", nil), "missing field `argsJson`"),
        (execute("method", nil), "missing field `method`"),
        (execute("contextId", nil), "missing field `contextId`"),
        (execute("contextId", 5), "invalid type: integer `5`, expected a string"),
        (execute("contextId", "11111111111111111111111111111111"), "invalid context id"),
        (execute("contextId", .string(zeros + "00")), "invalid context id"),
        (execute("method", ""), "Field 'method' is required but was empty"),
        (
            execute("method", .string(String(repeating: "m", count: 257))),
            "Field 'method' exceeds maximum length of 256 characters (got 257)"
        ),
        (execute("method", "a\u{7}b"), "Field 'method' contains invalid characters"),
        (execute("method", "a\u{7f}"), "Field 'method' contains invalid characters"),
        (
            execute("method", .string("\n" + String(repeating: "m", count: 256))),
            "Validation errors: Field 'method' exceeds"
        ),
        (
            ["jsonrpc": "2.0", "id": 1, "method": "sync_status", "params": ["contextId": .string(zeros), "x": 1]],
            "unknown field `x`, expected `contextId`"
        ),
        (
            ["jsonrpc": "2.0", "id": 1, "method": "set_ephemeral", "params": ["contextId": .string(zeros)]],
            "missing field `state`"
        ),
        (
            [
                "jsonrpc": "2.0", "id": 1, "method": "set_ephemeral",
                "params": ["contextId": .string(zeros), "state": [256]],
            ], "invalid type: integer `256`, expected u8"
        ),
        (
            [
                "jsonrpc": "2.0", "id": 1, "method": "set_ephemeral",
                "params": ["contextId": .string(zeros), "state": [], "author": "x"],
            ], "unknown field `author`"
        ),
    ]

    @Test(arguments: parseErrors)
    func aMalformedCallIsAParseError(body: JsonTree, text: String) async throws {
        try await withNode { fixture in
            let answer = try await rpc(fixture, body.text)
            #expect(answer.status == 200)
            #expect(answer.json.names == ["jsonrpc", "id", "error"])
            #expect(answer.rpcType == "ParseError")
            #expect(answer.json["error"]?.names == ["type", "data"])
            #expect(answer.rpcData?.stringValue?.contains(text) == true, "\(answer.text)")
        }
    }

    @Test func aRepeatedParameterIsAParseError() async throws {
        try await withNode { fixture in
            let text = Self.request.text.replacingOccurrences(
                of: #""method":"get""#, with: #""method":"get","method":"len""#)
            let answer = try await rpc(fixture, text)
            #expect(answer.rpcType == "ParseError")
            #expect(answer.rpcData == "duplicate field `method`")
        }
    }

    @Test func theLongestMethodNamePasses() async throws {
        try await withNode { fixture in
            let name = String(repeating: "m", count: 256)
            let answer = try await rpc(fixture, Self.execute("method", .string(name)).text)
            #expect(answer.rpcType == "ContextNotFound")
        }
    }

    @Test func theBodyLimitIsTwoMebibytes() async throws {
        try await withNode { fixture in
            let frame = Self.execute("argsJson", "").text.utf8.count
            for (extra, status) in [(0, 200), (1, 413)] {
                let padding = String(repeating: "x", count: (2 << 20) - frame + extra)
                let answer = try await rpc(fixture, Self.execute("argsJson", .string(padding)).text)
                #expect(answer.status == status)
            }
        }
    }

    @Test func argumentsOverTenMebibytesAreAParseErrorWhereTheBodyMayBeLarger() async throws {
        try await withNode(.with { $0.bodyLimit = 32 << 20 }) { fixture in
            let limit = 10 << 20
            for (size, type) in [(limit, "ContextNotFound"), (limit + 1, "ParseError")] {
                let args = JsonTree.string(String(repeating: "x", count: size - 2))
                let answer = try await rpc(fixture, Self.execute("argsJson", args).text)
                #expect(answer.rpcType == type)
                if type == "ParseError" {
                    #expect(
                        answer.rpcData
                            == .string("Field 'argsJson' exceeds maximum size of \(limit) bytes (got \(size))"))
                }
            }
        }
    }
}
