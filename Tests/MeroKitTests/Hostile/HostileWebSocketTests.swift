#if os(Linux)
    import Foundation
    import MeroWebSocket
    import Testing

    @testable import MeroKit

    /// A server that means harm to clients of its WebSocket. Spec: 40, section 4.
    @Suite("Hostile WebSocket server")
    struct HostileWebSocketTests {
        private static let refusal = "HTTP/1.1 503 Service Unavailable\r\n"

        @Test(arguments: ["-1", "-9223372036854775808", "+5", "99999999999999999999", "0x10", "1, 1", "", " "])
        func aRefusalMayLieAboutItsLength(length: String) {
            var answer = WebSocketAnswer()
            let head = Array("\(Self.refusal)Content-Length: \(length)\r\n\r\nsorry".utf8)
            _ = head.withUnsafeBytes { answer.take($0) }
            guard
                case .refused(503, _, let body) = answer.take(
                    UnsafeRawBufferPointer(start: nil, count: 0), isAtEnd: true)
            else {
                Issue.record("No refusal")
                return
            }
            #expect("sorry".hasPrefix(String(decoding: body, as: UTF8.self)))
        }

        /// What is collected of a refusal is bounded, whatever its chunks look like.
        @Test(arguments: ["1;", "", "1\r\na\r\n1;", "F;x=", "fffffffffffffff\r\n"])
        func aRefusalIsNotCollectedForEver(start: String) {
            var answer = WebSocketAnswer()
            let head = Array("\(Self.refusal)Transfer-Encoding: chunked\r\n\r\n\(start)".utf8)
            _ = head.withUnsafeBytes { answer.take($0) }
            let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 64 << 10)
            for _ in 0..<64 {
                switch piece.withUnsafeBytes({ answer.take($0) }) {
                case .refused(503, _, _), .notHTTP: return
                default: continue
                }
            }
            Issue.record("4 MiB were taken in without an end")
        }

        /// Interim answers without an end are no answer.
        @Test func interimAnswersComeToAnEnd() {
            var answer = WebSocketAnswer()
            let piece = Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 2500).utf8)
            for _ in 0..<64 {
                if case .notHTTP = piece.withUnsafeBytes({ answer.take($0) }) { return }
            }
            Issue.record("160,000 interim answers were taken in")
        }

        /// A message costs memory even when it is empty.
        @Test(arguments: [0, 1])
        func unreadMessagesAreCountedHoweverSmall(size: Int) {
            let mailbox = WebSocketMailbox(unreadLimit: 1 << 20)
            let messages = [[UInt8]](repeating: [UInt8](repeating: 0, count: size), count: 10_000)
            var isFull = false
            for _ in 0..<20 where !isFull { isFull = mailbox.deliver(messages) }
            #expect(isFull)
        }

        @Test func paysOutAsMuchAsItTookIn() async throws {
            let mailbox = WebSocketMailbox(unreadLimit: 1 << 20)
            while !mailbox.deliver([[UInt8]](repeating: [], count: 1000) + [[1, 2, 3]]) {}
            var count = 0
            while true {
                count += try await mailbox.receive {}.count
                if mailbox.takeOrders().resumes { break }
            }
            #expect(count > 1000)
            // As much fits in as before.
            #expect(!mailbox.deliver([[UInt8]](repeating: [], count: 1000)))
            mailbox.close()
        }

        /// Everything that is no frame of a server ends the connection, and the next one is opened.
        @Test(
            arguments: [
                [0x81, 0x81, 0, 0, 0, 0, 0x61], [0x83, 0], [0x8B, 0], [0xC1, 0], [0x91, 0], [0x80, 0], [0x09, 0],
                [0x89, 0x7E, 0, 126], [0x81, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
                [0x81, 0x7F, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0], [0x81, 0x7E, 0, 1, 0x61], [0x81, 2, 0xC3, 0x28],
                [0x88, 1, 3], [0x88, 2, 0, 5], [0x88, 4, 3, 0xE8, 0xC3, 0x28], [0x01, 1, 0x61, 0x81, 1, 0x61],
            ] as [[UInt8]])
        func brokenFramesEndTheConnection(frame: [UInt8]) async throws {
            let server = try ScriptedServer { peer in
                guard let head = try peer.readHead() else { return }
                try peer.send(Data(ScriptedWebSocket.acceptance(of: head).utf8))
                try peer.send(Data(frame))
                peer.waitForEnd()
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            try await eventually { server.connections >= 3 }
            client.close()
            #expect(record.events.isEmpty)
            #expect(record.errors.allSatisfy { if case MeroError.network = $0 { true } else { false } })
        }

        /// Single bytes as frames of their own, control frames between them.
        @Test func aMessageMayComeInManyFragments() async throws {
            let text = Array(#"{"result":{"contextId":"c","type":"N","data":7}}"#.utf8)
            var bytes: [UInt8] = []
            for (index, byte) in text.enumerated() {
                bytes += [index == 0 ? 0x01 : 0, 1, byte] + [0, 0] + [0x89, 0] + [0x8A, 2, 1, 2]
            }
            bytes += [0x80, 0]
            let all = bytes
            let server = try ScriptedServer { peer in
                guard let head = try peer.readHead() else { return }
                try peer.send(Data(ScriptedWebSocket.acceptance(of: head).utf8))
                try peer.send(Data(all))
                peer.waitForEnd()
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            try await eventually { record.numbers == [7] }
            client.close()
        }

        /// A flood of pings that nobody answers for, fragments of nothing, and messages that are no events.
        @Test(arguments: [[0x89, 0], [0x8A, 0], [0x81, 0], [0x82, 0], [0x81, 2, 0x7B, 0x7D]] as [[UInt8]])
        func floodsLeaveTheClientAlive(frame: [UInt8]) async throws {
            let flood = Data([[UInt8]](repeating: frame, count: 20_000).joined())
            let server = try ScriptedServer { peer in
                guard let head = try peer.readHead() else { return }
                try peer.send(Data(ScriptedWebSocket.acceptance(of: head).utf8))
                // Nothing is read meanwhile: the answers to pings pile up at the client.
                for _ in 0..<50 { try peer.send(flood) }
                try peer.send(Data(ScriptedWebSocket.textFrame(#"{"result":{"contextId":"c","type":"N","data":1}}"#)))
                peer.waitForEnd()
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            // Pings stop the client from reading on while their answers are not taken.
            if frame[0] == 0x89 {
                try await eventually { server.connections >= 1 }
            } else {
                try await eventually { record.numbers == [1] }
            }
            client.close()
            server.stop()
        }

        /// A node may send events of a subscription before it replies to it. If the reply never comes, what is missed until
        /// the next connection is marked all the same; not so if it was no.
        @Test(arguments: [false, true])
        func eventsBeforeTheReplyAreFollowedByAMark(isRefused: Bool) async throws {
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                let request = try socket.nextRequest()
                if peer.index == 0 {
                    if isRefused {
                        try socket.send(#"{"id":\#(request["id"]?.intValue ?? 0),"error":{"type":"ParseError"}}"#)
                    }
                    try socket.send(#"{"result":{"contextId":"c","type":"N","data":1}}"#)
                    return
                }
                try socket.send(
                    #"{"id":\#(request["id"]?.intValue ?? 0),"result":{"contextIds":["c"],"groupIds":[]}}"#)
                try socket.send(#"{"result":{"contextId":"c","type":"N","data":2}}"#)
                peer.waitForEnd()
            }
            let client = try wsClient(server)
            var iterator = client.events(contextIds: ["c"]).makeAsyncIterator()
            var kinds: [String] = []
            for _ in 0..<(isRefused ? 2 : 3) { kinds.append(try await iterator.next()?.kind ?? "") }
            #expect(kinds == (isRefused ? ["N", "N"] : ["N", ContextEvent.gapKind, "N"]))
        }

        /// From many tasks at once, in no order.
        @Test func everythingAtOnce() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                let context = fixture.context
                client.on { _ in client.close() }
                client.onError { _ in client.connect() }
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            switch number % 6 {
                            case 0: client.connect()
                            case 1: client.close()
                            case 2: try? await client.subscribe(contextIds: [context])
                            case 3: try? await client.unsubscribe(contextIds: [context])
                            case 4:
                                let _: JSONValue? = try? await client.execute(contextId: context, method: "get")
                            default:
                                let task = Task {
                                    for try await _ in client.events(contextIds: [context]) {}
                                }
                                await Task.yield()
                                task.cancel()
                                _ = try? await task.value
                            }
                        }
                    }
                }
                client.close()
                try await eventually { fixture.node.webSockets.count == 0 }
            }
        }
    }
#endif
