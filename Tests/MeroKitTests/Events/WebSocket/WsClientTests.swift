import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

#if os(Linux)
    /// The client against a dev node.
    @Suite("WebSocket client") struct WsClientTests {
        // MARK: Streams

        @Test func aStreamBringsEventsInOrder() async throws {
            try await WsFixture.start { $0.eventBacklog = 5000 }.run { fixture in
                let group = try fixture.node.createGroup()
                let stream = fixture.client().events(contextIds: [fixture.context], groupIds: [group])
                var iterator = stream.makeAsyncIterator()
                try await eventually { fixture.node.emit(.other(type: "Hello", data: nil), group: group) == 1 }
                let hello = try #require(try await iterator.next())
                #expect(hello.kind == "Hello" && hello.contextId == "" && hello.groupId == group)
                fixture.emit(0..<1000)
                for number in 0..<1000 {
                    let event = try #require(try await iterator.next())
                    #expect(event.contextId == fixture.context && event.groupId == nil)
                    #expect(event.payload["data"]?.intValue == number)
                }
            }
        }

        @Test func aStreamThatIsLetGoOfCloses() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                do {
                    let unused = client.events(contextIds: [fixture.context])
                    try await eventually { fixture.node.webSockets.count == 1 }
                    withExtendedLifetime(unused) {}
                }
                try await eventually { fixture.node.webSockets.count == 0 }
                let reading = Task {
                    for try await event in client.events(contextIds: [fixture.context]) where event.kind == "Hello" {
                        return
                    }
                }
                try await eventually {
                    fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 1
                }
                try await reading.value
                try await eventually { fixture.node.webSockets.count == 0 && fixture.node.openConnections == 0 }
            }
        }

        @Test func cancellingTheIterationEndsTheStreamWithoutAnError() async throws {
            try await WsFixture.start().run { fixture in
                let stream = fixture.client().events(contextIds: [fixture.context])
                let reading = Task {
                    var count = 0
                    for try await _ in stream { count += 1 }
                    return count
                }
                try await eventually { fixture.node.webSockets.count == 1 }
                reading.cancel()
                #expect(try await reading.value == 0)
                try await eventually { fixture.node.webSockets.count == 0 && fixture.node.openConnections == 0 }
            }
        }

        @Test func everyStreamHasAConnectionOfItsOwnAndTheClientMayGo() async throws {
            try await WsFixture.start().run { fixture in
                var client: WsClient? = fixture.client()
                let first = client?.events(contextIds: [fixture.context])
                let second = client?.events(contextIds: [fixture.context])
                client?.close()
                client = nil
                try await eventually {
                    fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 2
                }
                for stream in [first, second] {
                    var iterator = try #require(stream).makeAsyncIterator()
                    #expect(try await iterator.next()?.kind == "Hello")
                }
            }
        }

        // MARK: The shared connection

        @Test func subscribingBeforeConnectingIsEnough() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                let record = WsRecord(client)
                try await client.subscribe(contextIds: [fixture.context])
                #expect(fixture.node.webSockets.count == 0)
                client.connect()
                client.connect()
                try await fixture.emitUntilHeard { !record.events.isEmpty }
                #expect(fixture.node.requestCount("GET", "/ws") == 1)
                #expect(record.errors.isEmpty)
                client.close()
                try await eventually { fixture.node.openConnections == 0 }
            }
        }

        @Test func subscriptionsChangeWhileConnected() async throws {
            try await WsFixture.start().run { fixture in
                let other = try fixture.node.createContext(KeyValueContract())
                let client = fixture.client()
                let record = WsRecord(client)
                client.connect()
                try await eventually { fixture.node.webSockets.count == 1 }
                try await eventuallySubscribed(client, fixture)
                // The reply is what says that the subscription holds.
                try await client.subscribe(contextIds: [other])
                #expect(fixture.node.emit(.other(type: "A", data: nil), context: other) == 1)
                try await client.unsubscribe(contextIds: [fixture.context])
                #expect(fixture.node.emit(.other(type: "B", data: nil), context: fixture.context) == 0)
                #expect(fixture.node.emit(.other(type: "C", data: nil), context: other) == 1)
                try await eventually { record.events.map(\.kind).filter { $0 != "Hello" } == ["A", "C"] }
                client.close()
            }
        }

        /// Waits until the connection is open on the client's side too, where `subscribe` only remembers before.
        private func eventuallySubscribed(_ client: WsClient, _ fixture: WsFixture) async throws {
            try await client.subscribe(contextIds: [fixture.context])
            try await eventually {
                fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 1
            }
        }

        @Test func handlersDetachOnlyWhenTold() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                let calls = Locked<[String]>([])
                var first: EventListener? = client.on { _ in calls.withLock { $0.append("first") } }
                client.on { _ in calls.withLock { $0.append("second") } }
                let third = client.on { _ in calls.withLock { $0.append("third") } }
                #expect(first != nil)
                first = nil
                third.cancel()
                third.cancel()
                try await client.subscribe(contextIds: [fixture.context])
                client.connect()
                try await eventually {
                    fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 1
                }
                try await eventually { calls.withLock { $0 } == ["first", "second"] }
                client.close()
            }
        }

        @Test func closingForgetsAndConnectingStartsAgain() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                let record = WsRecord(client)
                try await client.subscribe(contextIds: [fixture.context])
                client.connect()
                try await fixture.emitUntilHeard { !record.events.isEmpty }
                client.close()
                try await eventually { fixture.node.webSockets.count == 0 }
                client.connect()
                try await eventually { fixture.node.webSockets.count == 1 }
                let count = record.events.count
                // An answer on this connection proves that it is open, with nothing subscribed to.
                try await eventually { try await client.answers(in: fixture.context) }
                #expect(fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 0)
                #expect(record.events.count == count && record.errors.isEmpty)
                client.close()
            }
        }

        @Test func aClientThatGoesAwayCloses() async throws {
            try await WsFixture.start().run { fixture in
                var client: WsClient? = fixture.client()
                client?.connect()
                try await eventually { fixture.node.webSockets.count == 1 }
                client = nil
                try await eventually { fixture.node.webSockets.count == 0 && fixture.node.openConnections == 0 }
            }
        }

        // MARK: Requests

        @Test func execution() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                let early = await meroError {
                    let _: Int = try await client.execute(contextId: fixture.context, method: "count")
                }
                guard case .network = early else { return #expect(Bool(false), "\(String(describing: early))") }
                client.connect()
                try await eventually { try await client.answers(in: fixture.context) }
                let sum: UInt64 = try await client.execute(
                    contextId: fixture.context, method: "increment", argsJson: ["by": 41])
                #expect(sum == 41)
                let nothing: String? = try await client.execute(contextId: fixture.context, method: "nothing")
                #expect(nothing == nil)
                let error = await meroError {
                    let _: Int = try await client.execute(
                        contextId: fixture.context, method: "fail", argsJson: ["message": "no such post"])
                }
                guard case .rpc(let rpc)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
                #expect(
                    rpc.type == "FunctionCallError" && rpc.message == "FunctionCallError: no such post"
                        && rpc.code == -1)
                client.close()
            }
        }

        @Test func manyRequestsAtOnceOvertakeEachOther() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                client.connect()
                try await eventually { try await client.answers(in: fixture.context) }
                // More than the node takes on at once.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            let _: JSONValue = try await client.execute(
                                contextId: fixture.context, method: "sleep",
                                argsJson: ["ms": .number(Double((200 - number) / 20))])
                            let text: [String: Int] = try await client.execute(
                                contextId: fixture.context, method: "echo", argsJson: ["n": .number(Double(number))])
                            #expect(text == ["n": number])
                        }
                    }
                    try await group.waitForAll()
                }
                client.close()
            }
        }

        @Test func aRefusedSubscriptionIsTold() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                let record = WsRecord(client)
                client.connect()
                try await eventually { try await client.answers(in: fixture.context) }
                let error = await meroError { try await client.subscribe(contextIds: ["nonsense"]) }
                #expect(error?.errorType == "ParseError")
                // Remembered all the same, and so refused again with the others on the next connection.
                fixture.node.webSockets.cutAll()
                try await eventually { record.errors.contains { ($0 as? MeroError)?.errorType == "ParseError" } }
                try await eventually { try await client.answers(in: fixture.context) }
                let again = await meroError { try await client.unsubscribe(contextIds: ["nonsense"]) }
                #expect(again?.errorType == "ParseError")
                client.close()
            }
        }

        @Test func aRequestWithoutAReplyTimesOut() async throws {
            var timing = WebSocketTiming.quick
            timing.reply = 0.2
            try await WsFixture.start().run { fixture in
                let client = fixture.client(timing: timing)
                client.connect()
                try await eventually { try await client.answers(in: fixture.context) }
                fixture.node.webSockets.setMuted(true)
                let error = await meroError { try await client.subscribe(contextIds: [fixture.context]) }
                guard case .network(let text)? = error else {
                    return #expect(Bool(false), "\(String(describing: error))")
                }
                #expect(text.contains("0.2 seconds"))
                client.close()
            }
        }

        @Test func cancellingARequest() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                client.connect()
                try await eventually { try await client.answers(in: fixture.context) }
                fixture.node.webSockets.setMuted(true)
                let request = Task { try await client.subscribe(contextIds: [fixture.context]) }
                try await eventually {
                    fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 1
                }
                let start = Date()
                request.cancel()
                await #expect(throws: CancellationError.self) { try await request.value }
                #expect(Date().timeIntervalSince(start) < 5)
                client.close()
            }
        }

        @Test func closingEndsRequests() async throws {
            try await WsFixture.start().run { fixture in
                let client = fixture.client()
                client.connect()
                try await eventually { try await client.answers(in: fixture.context) }
                fixture.node.webSockets.setMuted(true)
                let request = Task { try await client.subscribe(contextIds: [fixture.context]) }
                try await eventually {
                    fixture.node.emit(.other(type: "Hello", data: nil), context: fixture.context) == 1
                }
                client.close()
                let error = await meroError { try await request.value }
                #expect(error?.localizedDescription.contains("closed") == true)
            }
        }

    }

    extension WsClient {
        /// Whether the connection is open: a method answers.
        func answers(in context: String) async throws -> Bool {
            do {
                let _: UInt64 = try await execute(contextId: context, method: "count")
                return true
            } catch MeroError.network {
                return false
            }
        }
    }

    /// Waits until `condition` holds, at most a minute; records an issue otherwise.
    func eventually(
        sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
    ) async throws {
        let deadline = Date() + 60
        while try await !condition() {
            guard Date() < deadline else {
                Issue.record("Still not so after a minute", sourceLocation: sourceLocation)
                return
            }
            try await Task.sleep(nanoseconds: 2_000_000)
        }
    }
#endif
