import Foundation
import MeroDevNode
import MeroKit
import Testing

@Suite("DevHttpServer: start, stop, refuse") struct ServerLifecycleTests {
    /// The errno of an attempt to connect, nil when it succeeded.
    private func connectFailure(_ port: UInt16) async throws -> POSIXErrorCode? {
        try await offPool {
            do {
                _ = try RawClient(port)
                return nil
            } catch let error as POSIXError {
                return error.code
            }
        }
    }

    @Test("50 servers in one process, each with its own state") func many() async throws {
        let servers = (0..<50).map { index in
            DevHttpServer { _ in DevHttpResponse(status: 200, body: .bytes(Data("\(index)".utf8))) }
        }
        for server in servers { try await server.start() }
        #expect(Set(servers.map(\.port)).count == 50)
        for (index, server) in servers.enumerated() {
            #expect(try await get(server, "/x").text == "\(index)")
            #expect(server.requests.count == 1)
        }
        let start = Date()
        for server in servers { await server.stop() }
        #expect(Date().timeIntervalSince(start) < 5)
    }

    @Test("Stop is idempotent, start works again on the same port") func startAgain() async throws {
        let server = DevHttpServer(handler: echo)
        await server.stop()
        try await server.start()
        let port = server.port
        #expect(port != 0)
        try await server.start()
        #expect(try await get(server, "/1").status == 200)
        await server.stop()
        await server.stop()
        try await server.start()
        #expect(server.port == port)
        #expect(try await get(server, "/2").status == 200)
        #expect(server.requests.map(\.path) == ["/1", "/2"])
        await server.stop()
    }

    @Test("A port that another server listens on is refused") func portTaken() async throws {
        try await withServer { first in
            let second = DevHttpServer(port: first.port, handler: echo)
            do {
                try await second.start()
                Issue.record("both servers listen on one port")
            } catch let error as DevServerError {
                guard case .cannotListen(first.port, _) = error else {
                    Issue.record("unexpected \(error)")
                    return
                }
            }
            #expect(try await get(first, "/x").status == 200)
            await first.stop()
            try await second.start()
            #expect(try await get(second, "/x").status == 200)
            await second.stop()
        }
    }

    @Test("Restart drops connections and keeps port, records and faults") func restart() async throws {
        try await withServer { server async throws in
            let port = server.port
            server.inject(.status(503), on: "/late")
            let client = try await offPool { () -> ClientBox in
                let client = try RawClient(port)
                #expect(try client.get("/before").status == 200)
                return ClientBox(client: client)
            }
            try await server.restart()
            #expect(server.port == port)
            #expect(try await offPool { try client.client.readToEnd() }.isEmpty)
            #expect(try await get(server, "/late").status == 503)
            #expect(server.requests.map(\.path) == ["/before", "/late"])
            for _ in 0..<10 { try await server.restart() }
            #expect(try await get(server, "/after").status == 200)
        }
    }

    @Test("Refusing: open connections drop, new ones are refused, then all is well again") func refuse() async throws {
        try await withServer { server async throws in
            let port = server.port
            let stalled = server.inject(.stall, on: "/stalled")
            let drop = Task { try await getUntilDropped(server, "/stalled") }
            #expect(await eventually { stalled.hits == 1 })
            for _ in 0..<3 {
                try await server.refuseConnections(true)
                try await server.refuseConnections(true)
                #expect(try await connectFailure(port) == .ECONNREFUSED)
                #expect(server.openConnections == 0)
                // The port stays ours: nobody who asks for any port is given it, nor may anybody listen on it by chance.
                let others = (0..<20).map { _ in DevHttpServer(handler: echo) }
                for other in others {
                    try await other.start()
                    #expect(other.port != port)
                }
                for other in others { await other.stop() }
                try await server.refuseConnections(false)
                try await server.refuseConnections(false)
                #expect(try await get(server, "/again").status == 200)
            }
            #expect(try await drop.value.isEmpty)
            try await server.refuseConnections(true)
            try await server.restart()
            #expect(try await get(server, "/restarted").status == 200)
        }
    }

    @Test("Stop cancels handlers and waits for them") func stopAwaitsHandlers() async throws {
        let started = Locked(0)
        let ended = Locked(0)
        let server = DevHttpServer { _ in
            started.withLock { $0 += 1 }
            try? await Task.sleep(nanoseconds: 600_000_000_000)
            ended.withLock { $0 += 1 }
            return DevHttpResponse(status: 200)
        }
        try await server.start()
        let drops = (0..<10).map { _ in Task { try await getUntilDropped(server, "/x") } }
        #expect(await eventually { started.withLock { $0 } == 10 })
        await server.stop()
        #expect(ended.withLock { $0 } == 10)
        for drop in drops { #expect(try await drop.value.isEmpty) }
    }

    @Test("Stop under fire") func stopUnderLoad() async throws {
        for _ in 0..<10 {
            let server = DevHttpServer(handler: echo)
            try await server.start()
            server.inject(.delay(0.002), on: "/d", times: nil)
            let port = server.port
            let loads = (0..<4).map { _ in
                Task {
                    try await offPool {
                        let client = try RawClient(port)
                        while true { _ = try client.get(Bool.random() ? "/d" : "/x") }
                    }
                }
            }
            #expect(await eventually { server.requestCount(.any) > 50 })
            await server.stop()
            for load in loads { await #expect(throws: (any Error).self) { try await load.value } }
        }
    }

    @Test("A server that is let go stops by itself") func letGo() async throws {
        var server: DevHttpServer? = DevHttpServer(handler: echo)
        try await server?.start()
        let port = try #require(server?.port)
        #expect(try await get(#require(server), "/x").status == 200)
        let sockets = RawClient.identities(boundTo: port)
        #expect(!sockets.isEmpty)
        server = nil
        #expect(await eventually { RawClient.identities(boundTo: nil).isDisjoint(with: sockets) })
    }

    @Test("No descriptor outlives the server") func nothingOutlives() async throws {
        let server = DevHttpServer(handler: echo)
        try await server.start()
        server.inject(.stall, on: .any)
        let drop = Task { try await getUntilDropped(server, "/x") }
        #expect(await eventually { server.requests.count == 1 })
        let sockets = RawClient.identities(boundTo: server.port)
        #expect(sockets.count >= 2)
        await server.stop()
        #expect(RawClient.identities(boundTo: nil).isDisjoint(with: sockets))
        #expect(try await drop.value.isEmpty)
    }
}

/// Safe to share: the tests use it from one thread at a time, each waiting for the other.
private struct ClientBox: @unchecked Sendable {
    let client: RawClient
}
