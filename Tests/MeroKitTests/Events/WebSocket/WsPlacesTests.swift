import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

#if os(Linux)
    /// Where a WebSocket can lead: below a path, through TLS, through a proxy.
    @Suite("WebSocket places") struct WsPlacesTests {
        @Test func theBaseURLKeepsItsPath() async throws {
            try await WsFixture.start { $0.pathPrefix = "/node1" }.run { fixture in
                let client = fixture.client(base: fixture.node.url.appendingPathComponent("node1"))
                client.connect()
                try await eventually { fixture.node.webSockets.count == 1 }
                #expect(fixture.node.requests.map(\.path) == ["/node1/ws"])
                let request = try #require(fixture.node.requests.first)
                #expect(request.headers["origin"] == nil && request.query.isEmpty)
                #expect(request.headers["authorization"] == fixture.token.withLock { "Bearer \($0 ?? "")" })
                #expect(request.headers["host"] == "127.0.0.1:\(fixture.node.port)")
                client.close()
            }
        }

        @Test func overTLS() async throws {
            let nginx = try Nginx.shared()
            try await WsFixture.start { $0.eventBacklog = 5000 }.run { fixture in
                let base = try #require(URL(string: "https://localhost:\(nginx.https)/to/\(fixture.node.port)"))
                let client = fixture.client(base: base, authority: nginx.authority)
                let record = WsRecord(client)
                try await client.subscribe(contextIds: [fixture.context])
                client.connect()
                try await fixture.emitUntilHeard { !record.events.isEmpty }
                // Many records of TLS, in both directions.
                fixture.emit(0..<500)
                let long = String(repeating: "y", count: 1 << 20)
                for _ in 0..<5 {
                    let back: [String: String] = try await client.execute(
                        contextId: fixture.context, method: "echo", argsJson: ["text": .string(long)])
                    #expect(back["text"] == long)
                }
                try await eventually { record.numbers == Array(0..<500) }
                #expect(record.errors.isEmpty)
                client.close()
            }
        }

        @Test func anUnknownAuthorityIsRefused() async throws {
            let nginx = try Nginx.shared()
            try await WsFixture.start().run { fixture in
                for port in [nginx.https, nginx.wrongName] {
                    let base = try #require(URL(string: "https://localhost:\(port)/to/\(fixture.node.port)"))
                    let client = fixture.client(base: base, authority: port == nginx.wrongName ? nginx.authority : nil)
                    let record = WsRecord(client)
                    client.connect()
                    try await eventually { record.errors.count > 1 }
                    guard case MeroError.network? = record.errors.first else {
                        return #expect(Bool(false), "\(record.errors)")
                    }
                    client.close()
                }
                #expect(fixture.node.requests.isEmpty)
            }
        }

        /// A plain WebSocket goes through a tunnel of the proxy too, or the proxy would swallow its upgrade.
        @Test func aProxyIsHonoured() async throws {
            try await WsFixture.start().run { fixture in
                let proxy = try ForwardProxy(to: fixture.node.port)
                let token = fixture.token.withLock { $0 ?? "" }
                await #expect(processExitsWith: .success) {
                    [proxy = proxy.url as String, token = token as String, context = fixture.context as String] in
                    setenv("http_proxy", proxy, 1)
                    unsetenv("no_proxy")
                    unsetenv("NO_PROXY")
                    let base = try #require(URL(string: "http://node.example.invalid:8080"))
                    let client = WsClient(baseURL: base, token: { token })
                    client.connect()
                    try await eventually { try await client.answers(in: context) }
                    client.close()
                }
                #expect(proxy.asked == ["CONNECT node.example.invalid:8080"])
            }
        }
    }
#endif
