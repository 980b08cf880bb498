import Foundation
import MeroWebSocket
import Testing

@testable import MeroKit

#if os(Linux)
    /// How a connection is held back, and how it ends.
    @Suite("WebSocket client on the wire, at the end") struct WsWireEndTests {
        // MARK: Closing

        @Test func theClientSaysGoodbye() async throws {
            let goodbye = Locked<WebSocketEvent?>(nil)
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                let event = try socket.next()
                goodbye.withLock { $0 = event }
            }
            let client = try wsClient(server)
            let record = WsRecord(client)
            client.connect()
            try await eventually { server.connections == 1 && record.errors.isEmpty }
            // Open on the client's side as well.
            try await eventually {
                do {
                    try await withTimeout { let _: Int = try await client.execute(contextId: "c", method: "m") }
                } catch MeroError.network(let text) {
                    return !text.contains("not connected")
                } catch {}
                return true
            }
            client.close()
            try await eventually { goodbye.withLock { $0 } != nil }
        }

        private func withTimeout(_ work: @escaping @Sendable () async throws -> Void) async throws {
            let task = Task { try await work() }
            let timer = Task {
                try await Task.sleep(nanoseconds: 20_000_000)
                task.cancel()
            }
            defer { timer.cancel() }
            try await task.value
        }

        // MARK: Back-pressure

        /// A consumer that does not look stops the sender, loses nothing, and gets everything in order later.
        @Test func aSlowConsumerSlowsTheSender() async throws {
            let sent = Locked(0)
            let padding = String(repeating: "p", count: 16_000)
            let count = 4000
            let server = try ScriptedServer { peer in
                let socket = try ScriptedWebSocket(peer)
                try socket.grant(try socket.nextRequest())
                for number in 0..<count {
                    try socket.send(
                        #"{"id":null,"result":{"contextId":"c","type":"N","data":\#(number),"padding":"\#(padding)"}}"#)
                    sent.withLock { $0 = number + 1 }
                }
                peer.waitForEnd()
            }
            let client = try wsClient(server, unreadLimit: 4 << 20)
            let stream = client.events(contextIds: ["c"])
            // It stands still well before the end, and then does not move any more.
            var last = -1
            try await eventually(within: 60) {
                let now = sent.withLock { $0 }
                defer { last = now }
                if now == 0 || now != last { return false }
                Thread.sleep(forTimeInterval: 0.3)
                return sent.withLock { $0 } == now
            }
            let stopped = sent.withLock { $0 }
            // 4 MiB unread, 4 MiB for the stream, and what the system's buffers hold.
            #expect(stopped < count - 1000, "\(stopped)")
            var expected = 0
            for try await event in stream {
                #expect(event.payload["data"]?.intValue == expected)
                expected += 1
                if expected == count { break }
            }
            #expect(server.connections == 1)
        }
    }
#endif
