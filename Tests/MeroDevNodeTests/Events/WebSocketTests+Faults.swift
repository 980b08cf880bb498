import Foundation
import MeroKit
import MeroWebSocket
import Testing

@testable import MeroDevNode

/// What the node is told to do wrong, and how connections end.
extension WebSocketTests {
    // MARK: Faults and ends

    @Test func faults() async throws {
        try await withNode { fixture in
            let node = fixture.node
            let context = try node.createContext(ProbeContract())
            let subscribe: JsonTree = ["id": 1, "method": "subscribe", "params": ["contextIds": JsonTree([context])]]
            try await open(fixture) { socket in
                node.webSockets.setMuted(true)
                try socket.send(subscribe.text)
                while node.emit(.syncStatus(.idle), context: context) == 0 {}
                #expect(try socket.nextMessage()["id"] == .null)
                node.webSockets.setMuted(false)
                node.webSockets.closeAll(code: 4321, reason: "why")
                #expect(try socket.next() == .close(code: 4321, reason: "why"))
                #expect(try socket.client.readToEnd().isEmpty)
            }
            try await open(fixture) { socket in
                _ = try socket.ask(subscribe)
                node.streams.split(bytes: 1)
                node.streams.repeatFrames(times: 2)
                node.emit(.syncStatus(.idle), context: context)
                #expect(try socket.nextMessage() == socket.nextMessage())
                node.streams.behave()
                node.webSockets.send(raw: Data([0x8a, 0]))
                #expect(try socket.next() == .pong([]))
                node.webSockets.cutAll()
                #expect(try socket.client.readToEnd().isEmpty)
            }
            // The next stream ends behind its second message, in the midst of nothing.
            node.streams.cutNext(afterFrames: 2)
            try await open(fixture) { socket in
                _ = try socket.ask(subscribe)
                _ = try socket.ask(subscribe)
                #expect(try socket.client.readToEnd().isEmpty)
            }
            #expect(await eventually { node.openConnections == 0 && node.webSockets.count == 0 })
        }
    }

    @Test func aClientThatLeavesIsForgotten() async throws {
        try await withNode { fixture in
            let context = try fixture.node.createContext(ProbeContract())
            try await open(fixture) { socket in
                _ = try socket.ask(["id": 1, "method": "subscribe", "params": ["contextIds": JsonTree([context])]])
                try socket.send(
                    #"{"id":2,"method":"execute","params":{"contextId":"\#(context)","method":"sleep","argsJson":{"ms":60000}}}"#
                )
            }
            #expect(await eventually { fixture.node.webSockets.count == 0 && fixture.node.openConnections == 0 })
            #expect(fixture.node.emit(.syncStatus(.idle), context: context) == 0)
        }
    }

    @Test func stoppingAndRestartingWithOpenConnections() async throws {
        let before = RawClient.identities(boundTo: nil)
        let node = try await DevNode.start()
        let token = node.mintTokens().accessToken
        for _ in 0..<3 {
            let sockets = Locked<[RawWebSocket]>([])
            for _ in 0..<20 {
                let socket = try await offPool { SendableBox(try RawWebSocket(node, token: token)) }
                sockets.withLock { $0.append(socket.value) }
            }
            #expect(await eventually { node.webSockets.count == 20 })
            try await node.restart()
            #expect(node.webSockets.count == 0)
            for socket in sockets.withLock({ $0 }) {
                let box = SendableBox(socket)
                #expect(try await offPool { try box.value.client.readToEnd() }.isEmpty)
            }
        }
        let port = node.port
        _ = try await offPool { SendableBox(try RawWebSocket(node, token: token)) }
        await node.stop()
        #expect(RawClient.identities(boundTo: port).subtracting(before).isEmpty)
    }

    /// Upgrades that arrive while the server stops end as everything else does.
    @Test func stoppingDuringUpgrades() async throws {
        let node = try await DevNode.start()
        let token = node.mintTokens().accessToken
        let isOver = Locked(false)
        let clients = (0..<4).map { _ in
            Task { try await offPool { while !isOver.withLock({ $0 }) { _ = try? RawWebSocket(node, token: token) } } }
        }
        for _ in 0..<10 {
            let before = node.acceptedConnections
            #expect(await eventually { node.acceptedConnections > before + 20 })
            try await node.restart()
        }
        isOver.withLock { $0 = true }
        await node.stop()
        for client in clients { try await client.value }
        #expect(node.openConnections == 0 && node.webSockets.count == 0)
    }
}
