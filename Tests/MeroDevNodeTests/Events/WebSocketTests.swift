import Foundation
import MeroKit
import MeroWebSocket
import Testing

@testable import MeroDevNode

/// A WebSocket client that does as it is told.
final class RawWebSocket {
    let client: RawClient
    let head: RawClient.Response
    private let session: WebSocketSession
    private var events: [WebSocketEvent] = []

    static let key = "dGhlIHNhbXBsZSBub25jZQ=="

    init(_ node: DevNode, token: String, path: String = "/ws", query: Bool = false) throws {
        guard let session = WebSocketSession(.client) else { throw RawClient.Failure(description: "no memory") }
        self.session = session
        client = try RawClient(node.port)
        let credential = query ? "" : "Authorization: Bearer \(token)\r\n"
        try client.send(
            "GET \(path)\(query ? "?token=\(token)" : "") HTTP/1.1\r\nHost: x\r\nUpgrade: WebSocket\r\n"
                + "Connection: keep-alive, Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(Self.key)\r\n"
                + credential + "\r\n")
        head = try client.readHead()
    }

    /// Answers pings by itself, unless told not to.
    func next(answersPings: Bool = true) throws -> WebSocketEvent {
        while events.isEmpty {
            session.receive(Array(try client.read(count: 1)))
            events = session.takeEvents()
            let output = session.takeOutput()
            if answersPings, !output.isEmpty { try client.send(Data(output)) }
        }
        return events.removeFirst()
    }

    func nextMessage() throws -> JsonTree {
        while true {
            switch try next() {
            case .text(let text): return try JsonParser.parse(text)
            case .close, .failed: throw RawClient.Failure(description: "closed")
            default: continue
            }
        }
    }

    func send(_ text: String) throws {
        session.send(text: Array(text.utf8))
        try client.send(Data(session.takeOutput()))
    }

    func send(binary: [UInt8]) throws {
        session.send(binary: binary)
        try client.send(Data(session.takeOutput()))
    }

    func ask(_ tree: JsonTree) throws -> JsonTree {
        try send(tree.text)
        return try nextMessage()
    }
}

@Suite("Dev node: WebSocket") struct WebSocketTests {
    func open<Value: Sendable>(
        _ fixture: NodeFixture, permissions: [String] = ["admin"],
        _ body: @escaping @Sendable (RawWebSocket) throws -> Value
    ) async throws -> Value {
        let token = fixture.node.mintTokens(permissions: permissions).accessToken
        let node = fixture.node
        return try await offPool { try body(try RawWebSocket(node, token: token)) }
    }

    // MARK: Upgrade

    @Test func theUpgrade() async throws {
        try await withNode { fixture in
            let head = try await open(fixture) { $0.head }
            #expect(head.status == 101)
            #expect(head.headers["upgrade"] == "websocket")
            #expect(head.headers["connection"]?.lowercased() == "upgrade")
            // The example of RFC 6455, section 1.3.
            #expect(head.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(fixture.node.requests.map(\.status) == [101])
            #expect(fixture.node.handlerRuns("GET", "/ws") == 1)
        }
    }

    @Test func theTokenMayStandInTheQuery() async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens().accessToken
            let node = fixture.node
            let status = try await offPool { try RawWebSocket(node, token: token, query: true).head.status }
            #expect(status == 101)
        }
    }

    @Test func underAPathPrefix() async throws {
        try await withNode(.with { $0.pathPrefix = "/node1" }) { fixture in
            let token = fixture.node.mintTokens().accessToken
            let node = fixture.node
            let inside = try await offPool { try RawWebSocket(node, token: token, path: "/node1/ws").head.status }
            let outside = try await offPool { try RawWebSocket(node, token: token).head.status }
            #expect(inside == 101 && outside == 404)
        }
    }

    /// A header of the handshake, what stands there instead (nil: nothing), and the answer.
    @Test(
        arguments: [
            ("Upgrade", nil, 426), ("Upgrade", "h2c", 400), ("Connection", "close", 400), ("Connection", nil, 400),
            ("Sec-WebSocket-Version", "8", 400), ("Sec-WebSocket-Version", nil, 400), ("Sec-WebSocket-Key", nil, 400),
            ("Sec-WebSocket-Key", "c2hvcnQ=", 400), ("Authorization", nil, 401), ("Authorization", "Bearer x", 401),
            ("Origin", "https://app.example", 403), ("Origin", "http://x", 101),
        ] as [(String, String?, Int)])
    func handshakesThatAreRefused(name: String, value: String?, status: Int) async throws {
        try await withNode { fixture in
            var headers = [
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": RawWebSocket.key,
                "Authorization": "Bearer \(fixture.node.mintTokens().accessToken)",
            ]
            headers[name] = value
            let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
            let port = fixture.node.port
            let answer = try await offPool {
                let client = try RawClient(port)
                try client.send("GET /ws HTTP/1.1\r\nHost: x\r\n\(lines)\r\n")
                return try client.readResponse()
            }
            #expect(answer.status == status)
            if status == 400 { #expect(answer.text.hasPrefix("Invalid WebSocket upgrade request: ")) }
            if status == 426 { #expect(answer.text == "This endpoint requires WebSocket upgrade") }
            #expect(fixture.node.handlerRuns("GET", "/ws") == (status == 101 ? 1 : 0))
        }
    }

    @Test func theGuardComesFirst() async throws {
        try await withNode { fixture in
            let plain = try await fixture.call("GET", "/ws")
            #expect(plain.status == 401)
            let head = try await open(fixture, permissions: ["context:execute"]) { $0.head }
            #expect(head.status == 403 && head.headers["x-auth-error"] == "permission_denied")
            let post = try await fixture.call("POST", "/ws", token: fixture.node.mintTokens().accessToken)
            #expect(post.status == 405)
        }
    }

    // MARK: Requests

    @Test func subscriptions() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let context = try node.createContext(ProbeContract())
            let group = try node.createGroup()
            let unknown = String(repeating: "0", count: 64)
            try await open(fixture) { socket in
                let asked: JsonTree = ["contextIds": JsonTree([context, unknown]), "groupIds": JsonTree([group])]
                #expect(
                    try socket.ask(["id": 7, "method": "subscribe", "params": asked]) == [
                        "id": 7, "result": ["contextIds": JsonTree([context]), "groupIds": JsonTree([group])],
                    ])
                #expect(node.emit(.syncStatus(.idle), context: context) == 1)
                let event = try socket.nextMessage()
                #expect(event.names == ["id", "result"] && event["id"] == .null)
                #expect(event["result"]?["contextId"]?.stringValue == context)
                #expect(node.emit(.memberRemoved(account: unknown), group: group) == 1)
                #expect(try socket.nextMessage()["result"]?["groupId"]?.stringValue == group)
                #expect(
                    try socket.ask([
                        "method": "unsubscribe", "id": .null, "params": ["contextIds": JsonTree([context, unknown])],
                    ]) == ["id": .null, "result": ["contextIds": JsonTree([context, unknown])]])
                #expect(node.emit(.syncStatus(.idle), context: context) == 0)
                #expect(
                    try socket.ask(["id": 8, "method": "subscribe", "params": [:]]) == [
                        "id": 8, "result": ["contextIds": []],
                    ])
            }
        }
    }

    @Test func presenceIsShownBeforeTheReply() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(ProbeContract())
            let token = fixture.node.mintTokens().accessToken
            let set = try await fixture.call(
                "POST", "/jsonrpc", token: token,
                json:
                    #"{"jsonrpc":"2.0","id":1,"method":"set_ephemeral","params":{"contextId":"\#(context)","state":[1]}}"#
            )
            #expect(set.status == 200)
            try await open(fixture) { socket in
                let seed = try socket.ask([
                    "id": 1, "method": "subscribe", "params": ["contextIds": JsonTree([context])],
                ])
                #expect(seed["result"]?["type"] == "Ephemeral")
                #expect(try socket.nextMessage()["id"] == 1)
            }
        }
    }

    @Test func execution() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(ProbeContract())
            @Sendable func call(_ id: JsonTree, _ method: String, _ args: JsonTree = [:]) -> JsonTree {
                [
                    "id": id, "method": "execute",
                    "params": ["contextId": .string(context), "method": .string(method), "argsJson": args],
                ]
            }
            try await open(fixture) { socket in
                #expect(
                    try socket.ask(
                        call(.number("18446744073709551615"), "echo", ["n": .number("18446744073709551615")]))
                        == [
                            "id": .number("18446744073709551615"),
                            "result": ["output": ["n": .number("18446744073709551615")]],
                        ])
                #expect(try socket.ask(call(1, "nothing")) == ["id": 1, "result": ["output": .null]])
                #expect(
                    try socket.ask(call(2, "fail", ["message": "no"])) == [
                        "id": 2, "error": ["type": "FunctionCallError", "data": "no"],
                    ])
                // A method that waits lets others overtake it.
                try socket.send(call(3, "sleep", ["ms": 60_000]).text)
                #expect(try socket.ask(call(4, "nothing"))["id"] == 4)
            }
            let permissions = ["context:subscribe", "context:execute[\(context),,count]"]
            try await open(fixture, permissions: permissions) { socket in
                let granted = try socket.ask(call(1, "count"))
                #expect(granted == ["id": 1, "result": ["output": 0]])
                let refused = try socket.ask(call(2, "increment"))
                #expect(
                    refused == [
                        "id": 2, "error": ["type": "FunctionCallError", "data": .string(JsonRpcService.notGranted)],
                    ])
            }
        }
    }

    @Test func whatIsNoRequestIsDropped() async throws {
        try await withNode { fixture in
            try await open(fixture) { socket in
                for text in [
                    "", "nonsense", "[]", "7", #"{"id":"1","method":"subscribe","params":{}}"#,
                    #"{"id":-1,"method":"subscribe","params":{}}"#, #"{"id":1.5,"method":"subscribe","params":{}}"#,
                    #"{"id":18446744073709551616,"method":"subscribe","params":{}}"#,
                ] { try socket.send(text) }
                try socket.send(binary: Array(#"{"id":1,"method":"subscribe","params":{}}"#.utf8))
                for (text, detail) in [
                    (#"{"id":9,"method":"nonsense","params":{}}"#, "unknown variant"),
                    (#"{"id":9,"params":{}}"#, "method"),
                    (#"{"id":9,"method":"subscribe"}"#, "params"),
                    (#"{"id":9,"method":"subscribe","params":[]}"#, "sequence"),
                    (#"{"id":9,"method":"subscribe","params":{"x":1}}"#, "unknown field `x`"),
                    (#"{"id":9,"method":"subscribe","params":{"contextIds":["zz"]}}"#, "invalid context id"),
                    (#"{"id":9,"method":"unsubscribe","params":{"groupIds":["zz"]}}"#, "invalid group id"),
                    (
                        #"{"id":9,"method":"execute","params":{"contextId":"zz","method":"m","argsJson":{},"x":1}}"#,
                        "`x`"
                    ),
                ] {
                    try socket.send(text)
                    let reply = try socket.nextMessage()
                    #expect(reply["id"] == 9 && reply["error"]?["type"] == "ParseError", "\(text)")
                    #expect(reply["error"]?["data"]?.stringValue?.contains(detail) == true, "\(reply.text)")
                }
            }
        }
    }

    // MARK: Liveness and limits

    @Test func aClientThatAnswersNoPingIsClosed() async throws {
        let options = DevNodeOptions.with {
            $0.webSocketPingInterval = 0.1
            $0.webSocketPongTimeout = 0.05
        }
        try await withNode(options) { fixture in
            try await open(fixture) { socket in
                for _ in 0..<10 { #expect(try socket.next() == .ping([])) }
                var last = try socket.next(answersPings: false)
                while last == .ping([]) { last = try socket.next(answersPings: false) }
                #expect(last == .close(code: 1002, reason: "Ping timeout"))
                _ = try socket.client.readToEnd()
            }
            #expect(await eventually { fixture.node.openConnections == 0 && fixture.node.webSockets.count == 0 })
        }
    }

    @Test func pingsAreAnsweredAndLargeMessagesRefused() async throws {
        try await withNode { fixture in
            try await open(fixture) { socket in
                // A masked ping with the payload "hi", and the head of a message of 16 MiB and a byte.
                try socket.client.send(Data([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69]))
                #expect(try socket.next() == .pong([0x68, 0x69]))
                try socket.client.send(Data([0x81, 0xff, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0x61]))
                #expect(try socket.next() == .close(code: 1009, reason: ""))
                _ = try socket.client.readToEnd()
            }
        }
    }

    @Test func aFloodOfRequestsIsHeldBackAndAnsweredInFull() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(ProbeContract())
            try await open(fixture) { socket in
                for number in 0..<2000 {
                    try socket.send(
                        #"{"id":\#(number),"method":"execute","params":{"contextId":"\#(context)","method":"count","argsJson":{}}}"#
                    )
                }
                var ids: Set<Int> = []
                while ids.count < 2000 { ids.insert(try socket.nextMessage()["id"]?.integer() ?? -1) }
                #expect(ids == Set(0..<2000))
            }
        }
    }

    @Test func aFullQueueDropsEvents() async throws {
        let options = DevNodeOptions.with {
            $0.eventQueueLength = 3
            $0.eventBacklog = 0
        }
        try await withNode(options) { fixture in
            let node = fixture.node
            let context = try node.createContext(ProbeContract())
            try await open(fixture) { socket in
                _ = try socket.ask(["id": 1, "method": "subscribe", "params": ["contextIds": JsonTree([context])]])
                node.streams.stall()
                let taken = (0..<10).map { node.emit(.other(type: "N", data: .number(Double($0))), context: context) }
                #expect(taken == [1, 1, 1, 0, 0, 0, 0, 0, 0, 0])
                node.streams.resume()
                for number in 0..<3 { #expect(try socket.nextMessage()["result"]?["data"]?.integer() == number) }
                #expect(node.emit(.other(type: "Last", data: nil), context: context) == 1)
                #expect(try socket.nextMessage()["result"]?["type"] == "Last")
            }
        }
    }
}

/// Carries what only one thread at a time touches.
struct SendableBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
