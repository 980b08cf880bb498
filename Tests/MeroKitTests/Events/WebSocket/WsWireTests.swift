import Foundation
import MeroWebSocket
import Testing

@testable import MeroKit

#if os(Linux)
    /// The client byte by byte, against servers that play one part each.
    @Suite("WebSocket client on the wire") struct WsWireTests {
        private static let event = #"{"id":null,"result":{"contextId":"c","type":"N","data":7}}"#

        // MARK: Requests

        @Test func theHandshake() async throws {
            let head = Locked<ScriptedRequest?>(nil)
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                head.withLock { $0 = socket.head }
                peer.waitForEnd()
            }
            let client = try wsClient(server)
            client.connect()
            try await eventually { head.withLock { $0 } != nil }
            client.close()
            let request = try #require(head.withLock { $0 })
            #expect(request.method == "GET" && request.target == "/ws")
            #expect(
                request.headers.map(\.name) == [
                    "Host", "Upgrade", "Connection", "Sec-WebSocket-Version", "Sec-WebSocket-Key", "Authorization",
                ])
            #expect(request.values("Authorization") == ["Bearer a.b.c"])
            #expect(request.values("Host") == ["127.0.0.1:\(server.port)"])
            #expect(request.values("Upgrade") == ["websocket"] && request.values("Connection") == ["Upgrade"])
            #expect(request.values("Sec-WebSocket-Version") == ["13"])
            let key = try #require(request.values("Sec-WebSocket-Key").first)
            #expect(Data(base64Encoded: key)?.count == 16)
        }

        /// RFC 6455, section 1.3.
        @Test func theExampleOfTheStandard() {
            #expect(WebSocketHandshake.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        }

        @Test func requestsAsTheyAre() async throws {
            let requests = Locked<[JSONValue]>([])
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                while true {
                    let request = try socket.nextRequest()
                    requests.withLock { $0.append(request) }
                    try socket.grant(request)
                }
            }
            let client = try wsClient(server)
            try await client.subscribe(contextIds: [], groupIds: ["g1", "g2", "g1"])
            try await client.subscribe(contextIds: [], groupIds: ["g2"])
            client.connect()
            try await eventually { requests.withLock { $0.count } == 1 }
            try await client.subscribe(contextIds: ["c\"1"], groupIds: ["g1"])
            try await client.subscribe(contextIds: ["c\"1"])
            try await client.unsubscribe(contextIds: ["c\"1", "unknown"], groupIds: ["g2"])
            try await client.unsubscribe(contextIds: ["c\"1"])
            client.close()
            #expect(
                requests.withLock { $0 } == [
                    ["id": 1, "method": "subscribe", "params": ["contextIds": [], "groupIds": ["g1", "g2"]]],
                    ["id": 2, "method": "subscribe", "params": ["contextIds": ["c\"1"]]],
                    ["id": 3, "method": "unsubscribe", "params": ["contextIds": ["c\"1"], "groupIds": ["g2"]]],
                ])
        }

        @Test func executionAsItIs() async throws {
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                while true {
                    guard case .text(let text) = try socket.next() else { continue }
                    let id = try JSONValue(jsonBytes: text)["id"]?.intValue ?? 0
                    // The request's own text as the output, a string of digits, and an event that looks like a reply.
                    var writer = JSONWriter()
                    writer.write(string: String(decoding: text, as: UTF8.self))
                    try socket.send(#"{"result":{"id":\#(id),"contextId":"c","type":"N"},"id":null}"#)
                    try socket.send(
                        #"{"result":{"output":[\#(String(decoding: writer.bytes, as: UTF8.self)),18446744073709551615]},"id":\#(id)}"#
                    )
                }
            }
            struct Output: Decodable {
                let text: String
                let number: UInt64
                init(from decoder: any Decoder) throws {
                    var container = try decoder.unkeyedContainer()
                    text = try container.decode(String.self)
                    number = try container.decode(UInt64.self)
                }
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            var output: Output?
            try await eventually {
                output = try? await client.execute(contextId: "c", method: "m\"", argsJson: ["a": 1])
                return output != nil
            }
            #expect(output?.number == .max)
            #expect(
                output?.text
                    == #"{"id":1,"method":"execute","params":{"contextId":"c","method":"m\"","argsJson":{"a":1}}}"#)
            try await eventually { record.events.map(\.kind) == ["N"] }
            client.close()
        }

        // MARK: Answers

        @Test func framesTogetherWithTheHeadAndSplit() async throws {
            let text = ScriptedWebSocket.textFrame(Self.event)
            let server = try ScriptedServer { peer in
                if peer.index == 0 {
                    _ = try ScriptedWebSocket(peer, together: text + text + text.prefix(5))
                    try peer.send(Data(text.dropFirst(5)))
                } else {
                    guard let head = try peer.readHead() else { return }
                    for byte in Data(ScriptedWebSocket.acceptance(of: head).utf8) + Data(text) {
                        try peer.send(Data([byte]))
                    }
                }
                peer.waitForEnd()
            }
            for _ in 0..<2 {
                let client = try wsClient(server)
                let record = WsRecord(client)
                client.connect()
                try await eventually { record.numbers.count >= (server.connections == 1 ? 3 : 1) }
                #expect(record.numbers.allSatisfy { $0 == 7 } && record.errors.isEmpty)
                client.close()
            }
        }

        @Test func otherMessagesAreIgnored() async throws {
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                for text in [
                    "", "null", "[]", "{", "{}", "nonsense", #"{"id":null}"#,
                    #"{"id":77,"result":{"contextId":"c","type":"N","data":1}}"#,
                    #"{"id":null,"result":{"type":"N","data":2}}"#,
                    #"{"id":null,"error":{"type":"InternalError","data":{}}}"#,
                    #"{"id":null,"result":{"contextIds":["c"]}}"#, #"{"id":null,"result":7}"#,
                ] { try socket.send(text) }
                try peer.send(Data(ScriptedWebSocket.frame(0x82, Array(Self.event.utf8))))
                try socket.send(Self.event)
                peer.waitForEnd()
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            try await eventually { record.numbers == [7] }
            #expect(record.events.count == 1 && record.errors.isEmpty)
            client.close()
        }

        /// An answer other than 101, and what becomes of it.
        struct Refusal: Sendable, CustomTestStringConvertible {
            let answer: String
            let status: Int
            let body: String?
            var testDescription: String { String(answer.prefix(60)) }
        }

        @Test(arguments: [
            Refusal(
                answer: "HTTP/1.1 503 No\r\nContent-Length: 4\r\nX-One: a\r\nx-one: b\r\n\r\nbusy and more",
                status: 503, body: "busy"),
            Refusal(
                answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                status: 200, body: "abcde"),
            Refusal(answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", status: 200, body: "ab"),
            Refusal(answer: "HTTP/1.0 404 Nope\r\n\r\nup to the end", status: 404, body: "up to the end"),
            Refusal(answer: "HTTP/1.1 500 Cut\r\nContent-Length: 100\r\n\r\nshort", status: 500, body: "short"),
            Refusal(answer: "HTTP/1.1 204 \r\n\r\n", status: 204, body: nil),
            Refusal(
                answer: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/ws\r\nContent-Length: 0\r\n\r\n",
                status: 302, body: nil),
            Refusal(
                answer: "HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 418 Tea\r\nContent-Length: 1\r\n\r\nx", status: 418,
                body: "x"),
            Refusal(
                answer: "HTTP/1.1 500 Big\r\n\r\n" + String(repeating: "z", count: 100_000), status: 500,
                body: String(repeating: "z", count: 65_536)),
        ])
        func refusals(refusal: Refusal) async throws {
            let server = try ScriptedServer { peer in
                _ = try peer.readHead()
                try peer.send(refusal.answer)
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            try await eventually { !record.errors.isEmpty }
            client.close()
            guard case MeroError.http(let error)? = record.errors.first else {
                return #expect(Bool(false), "\(record.errors)")
            }
            #expect(error.status == refusal.status)
            #expect(error.bodyText == refusal.body)
            #expect(error.url == "ws://127.0.0.1:\(server.port)/ws")
            if refusal.status == 503 { #expect(error.headers["x-one"] == "a, b") }
        }

        /// What looks like an upgrade and is none.
        @Test(arguments: [
            ("Upgrade: websocket", "Upgrade: h2c"), ("Connection: Upgrade", "Connection: close"),
            ("Sec-WebSocket-Accept: ", "Sec-WebSocket-Accept: x"),
            ("Upgrade: websocket", "Sec-WebSocket-Extensions: permessage-deflate\r\nUpgrade: websocket"),
            ("Upgrade: websocket", "Sec-WebSocket-Protocol: chat\r\nUpgrade: websocket"),
            ("HTTP/1.1 101", "HTTP/2 101"), ("HTTP/1.1 101", "ICY 101"), ("HTTP/1.1 101 S", "HTTP/1.1 1O1 S"),
        ])
        func falseUpgrades(good: String, bad: String) async throws {
            let server = try ScriptedServer { peer in
                guard let head = try peer.readHead() else { return }
                let answer = ScriptedWebSocket.acceptance(of: head)
                    .replacingOccurrences(of: "upgrade: WebSocket", with: "Upgrade: websocket")
                    .replacingOccurrences(of: "Connection: keep-alive, Upgrade", with: "Connection: Upgrade")
                try peer.send(answer.replacingOccurrences(of: good, with: bad))
                peer.waitForEnd()
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            try await eventually { !record.errors.isEmpty }
            client.close()
            guard case MeroError.network? = record.errors.first else { return #expect(Bool(false), "\(record.errors)") }
        }

        @Test func noise() async throws {
            let seed = UInt64.random(in: 0 ... .max)
            let random = Locked(SeededGenerator(seed: seed))
            let server = try ScriptedServer { peer in
                let (kind, bytes) = random.withLock { random in
                    let count = Int.random(in: 0...300, using: &random)
                    return (
                        Int.random(in: 0...2, using: &random),
                        (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    )
                }
                switch kind {
                case 0: _ = try ScriptedWebSocket(peer, together: bytes)
                case 1:
                    _ = try peer.readHead()
                    try peer.send("HTTP/1.1 ")
                    try peer.send(Data(bytes))
                default:
                    _ = try peer.readHead()
                    try peer.send(Data(bytes))
                }
            }
            var timing = WebSocketTiming.quick
            timing.delay = { _ in 0 }
            let client = try wsClient(server, timing: timing)
            let record = WsRecord(client)
            client.connect()
            try await eventually { record.errors.count >= 200 }
            client.close()
            for error in record.errors where !(error is MeroError) { Issue.record("seed \(seed): \(error)") }
        }

        // MARK: Time

        @Test func aSilentHandshakeEnds() async throws {
            var timing = WebSocketTiming.quick
            timing.opening = 0.1
            let server = try ScriptedServer { peer in
                _ = try peer.readHead()
                if peer.index == 1 { try peer.send("HTTP/1.1 418 Tea\r\nContent-Length: 100\r\n\r\nslow") }
                peer.waitForEnd()
            }
            let client = try wsClient(server, timing: timing)
            let record = WsRecord(client)
            client.connect()
            try await eventually { record.errors.count >= 2 }
            client.close()
            #expect(record.texts.first?.contains("0.1 seconds") == true)
            guard case MeroError.http(let error) = record.errors[1] else {
                return #expect(Bool(false), "\(record.errors)")
            }
            #expect(error.status == 418 && error.bodyText == "slow")
        }

        @Test func theClientPingsAndNoticesSilence() async throws {
            var timing = WebSocketTiming.quick
            // On a busy machine the server's thread may stand still for a second.
            timing.pingInterval = 0.2
            timing.silence = 3
            let pings = Locked<[Int: Int]>([:])
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                // The first connection answers pings, the others are read and never answered.
                if peer.index == 0 {
                    while pings.withLock({ $0[0] ?? 0 }) < 30 {
                        if case .ping(let payload) = try socket.next(), payload.isEmpty {
                            pings.withLock { $0[0, default: 0] += 1 }
                        }
                    }
                    return
                }
                peer.waitForEnd()
                pings.withLock { $0[peer.index] = 1 }
            }
            let client = try wsClient(server, timing: timing)
            let record = WsRecord(client)
            client.connect()
            // 30 pings take twice as long as silence may: pongs are what kept it open.
            try await eventually { pings.withLock { $0[1] } == 1 && record.texts.count >= 2 }
            client.close()
            #expect(pings.withLock { $0[0] } == 30)
            #expect(record.texts.count >= 2 && record.texts[0].contains("broke"))
            #expect(record.texts.count >= 2 && record.texts[1].contains("Nothing came"))
        }

        @Test func anUnansweredSubscriptionIsMadeAgain() async throws {
            var timing = WebSocketTiming.quick
            timing.reply = 0.1
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                let request = try socket.nextRequest()
                if peer.index >= 2 { try socket.grant(request) }
                if peer.index >= 2 { try socket.send(Self.event) }
                peer.waitForEnd()
            }
            let client = try wsClient(server, timing: timing)
            var iterator = client.events(contextIds: ["c"]).makeAsyncIterator()
            #expect(try await iterator.next()?.kind == "N")
            #expect(server.connections == 3)
        }

    }
#endif
