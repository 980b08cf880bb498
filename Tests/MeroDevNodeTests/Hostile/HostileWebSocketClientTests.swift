import Foundation
import MeroKit
import Testing

@testable import MeroDevNode

/// Clients that send and do not read. Spec: 40, section 4.
@Suite("Dev node: hostile WebSocket clients") struct HostileWebSocketClientTests {
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> Data {
        precondition(payload.count < 126)
        return Data([first, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload)
    }

    /// What a client makes the node say is not piled up for it: the node stops listening instead.
    @Test(arguments: [
        HostileWebSocketClientTests.frame(0x89, [UInt8](repeating: 1, count: 125)),
        HostileWebSocketClientTests.frame(0x81, Array(#"{"id":1,"method":"unknown","params":{}}"#.utf8)),
    ])
    func whoDoesNotReadIsNotListenedTo(frame: Data) async throws {
        try await withNode { fixture in
            let token = fixture.node.mintTokens(permissions: ["admin"]).accessToken
            let client = Locked<RawClient?>(nil)
            let sent = Locked(0)
            let limit = 96 << 20
            let port = fixture.node.port
            let piece = Data([Data](repeating: frame, count: 2000).joined())
            let sending = Task {
                try? await offPool {
                    let raw = try RawClient(port)
                    client.withLock { $0 = raw }
                    try raw.send(
                        "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                            + "Authorization: Bearer \(token)\r\n\r\n")
                    #expect(try raw.readHead().status == 101)
                    while sent.withLock({ $0 }) < limit {
                        try raw.send(piece)
                        sent.withLock { $0 += piece.count }
                    }
                }
            }
            // Blocked once nothing has moved for a while.
            var last = -1
            var standing = 0
            while standing < 100, last < limit {
                let now = sent.withLock { $0 }
                standing = now == last && now > 0 ? standing + 1 : 0
                last = now
                try await Task.sleep(nanoseconds: 10_000_000)
            }
            #expect(last < limit)
            client.withLock { $0 }?.abort()
            _ = await sending.value
            client.withLock { $0 = nil }
            // The node goes on for everybody else.
            #expect(try await fixture.call("GET", "/auth/health").status == 200)
            #expect(await eventually { fixture.node.webSockets.count == 0 })
        }
    }

    /// What waits for a slow client is handed over in order, however it is cut.
    @Test func aSlowClientGetsEverythingInOrder() throws {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let socket = DevUpgradedSocket(ends[0]) {}
        let all = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var read: [UInt8] = []
        var given = 0
        var buffer = [UInt8](repeating: 0, count: 50_000)
        while read.count < all.count {
            let next = min(all.count, given + 70_000)
            socket.send(Array(all[given..<next]))
            given = next
            _ = socket.write()
            #expect(socket.unsentBytes <= given - read.count)
            let count = recv(ends[1], &buffer, buffer.count, 0)
            if count > 0 { read += buffer[..<count] }
        }
        #expect(read == all)
        #expect(socket.unsentBytes == 0)
    }
}
