import Foundation
import MeroDevNode
import MeroKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Not `@testable`: this is what an app's test target sees.

/// The example of `DevContract`'s documentation.
private struct Counter: DevContract {
    let name = "counter"
    let methods: [String: DevMethod] = [
        "value": .read { $0.state["value"] ?? 0 },
        "add": .mutate { call in
            let sum = (call.state["value"]?.intValue ?? 0) + (try call.arg("by", as: Int.self))
            call.state["value"] = .number(Double(sum))
            call.emit("Added", ["sum": .number(Double(sum))])
            return .number(Double(sum))
        },
    ]
}

private struct Typed: DevContract {
    struct Pair: Codable, Equatable {
        var big: UInt64
        var note: String?
    }

    let name = "typed"
    let methods: [String: DevMethod] = [
        "pair": .readExact { try .encoding($0.arg("pair", as: Pair.self)) },
        "optional": .read { call in (try call.arg("missing", as: String?.self)).map(JSONValue.string) },
        "who": .read { .string("\($0.method) \($0.contextId) \($0.args["n"]?.intValue ?? -1)") },
        "fill": .mutate { call in
            try call.state.setText("[18446744073709551615]", for: "exact")
            call.state["gone"] = true
            call.state.removeValue(forKey: "gone")
            return .array(call.state.keys.map(JSONValue.string))
        },
        "exact": .readExact { .text($0.state.text("exact") ?? "null") },
        "other": .read { _ in throw CocoaError(.fileNoSuchFile) },
    ]
}

@Suite struct PublicApiTests {
    private func execute(
        _ node: DevNode, _ context: String, _ method: String, _ args: String = "{}"
    ) async throws -> (status: Int, text: String) {
        var request = URLRequest(url: node.url.appendingPathComponent("jsonrpc"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue("Bearer \(node.mintTokens().accessToken)", forHTTPHeaderField: "Authorization")
        request.httpBody = Data(
            """
            {"jsonrpc":"2.0","id":1,"method":"execute",
             "params":{"contextId":"\(context)","method":"\(method)","argsJson":\(args)}}
            """.utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
    }

    @Test func aContractOfOnesOwn() async throws {
        let node = try await DevNode.start()
        let context = try node.createContext(Counter())
        #expect(try await execute(node, context, "value").text.contains(#""output":0"#))
        #expect(try await execute(node, context, "add", #"{"by":40}"#).text.contains(#""output":40"#))
        #expect(try await execute(node, context, "add", #"{"by":2}"#).text.contains(#""output":42"#))
        #expect(node.contextState(context) == ["value": 42])
        let events = try #require(node.contextEvents(context))
        #expect(events.map(\.kind) == ["Added", "Added"])
        #expect(String(decoding: events[1].data, as: UTF8.self) == #"{"sum":42}"#)
        #expect(node.requestCount("POST", "/jsonrpc") == 3)
        #expect(node.handlerRuns("POST", "/jsonrpc") == 3)
        #expect(node.requests.map(\.status) == [200, 200, 200])
        await node.stop()
        await node.stop()
    }

    @Test func typedArgumentsAndExactOutputs() async throws {
        let node = try await DevNode.start()
        let context = try node.createContext(Typed())
        #expect(
            try await execute(node, context, "pair", #"{"pair":{"big":18446744073709551615}}"#).text
                .contains(#""output":{"big":18446744073709551615}"#))
        #expect(try await execute(node, context, "pair", #"{"pair":{"big":-1}}"#).text.contains("panicked: "))
        #expect(try await execute(node, context, "optional").text.contains(#""output":null"#))
        #expect(try await execute(node, context, "who", #"{"n":7}"#).text.contains("who \(context) 7"))
        #expect(try await execute(node, context, "fill").text.contains(#""output":["exact"]"#))
        #expect(try await execute(node, context, "exact").text.contains(#""output":[18446744073709551615]"#))
        #expect(try await execute(node, context, "other").text.contains("FunctionCallError"))
        await node.stop()
    }

    @Test func refusingConnectionsAndComingBack() async throws {
        let node = try await DevNode.start()
        let port = node.port
        let url = node.url.appendingPathComponent("auth/health")
        #expect(url.absoluteString == "http://127.0.0.1:\(port)/auth/health")
        try await node.refuseConnections(true)
        await #expect(throws: (any Error).self) { try await URLSession.shared.data(from: url) }
        try await node.refuseConnections(false)
        let (_, response) = try await URLSession.shared.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(node.port == port)
        await node.stop()
    }

    @Test func manyNodesSideBySide() async throws {
        let nodes = try await withThrowingTaskGroup(of: DevNode.self) { group in
            for _ in 0..<20 { group.addTask { try await DevNode.start() } }
            return try await group.reduce(into: [DevNode]()) { $0.append($1) }
        }
        #expect(Set(nodes.map(\.port)).count == 20)
        // A token of one is worthless at another.
        var request = URLRequest(url: nodes[0].url.appendingPathComponent("admin/identity"))
        request.setValue("Bearer \(nodes[1].mintTokens().accessToken)", forHTTPHeaderField: "Authorization")
        let (_, response) = try await URLSession.shared.data(for: request)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        for node in nodes { await node.stop() }
    }
}
