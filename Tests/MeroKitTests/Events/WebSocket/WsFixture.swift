import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

#if os(Linux)
    /// A node with a context, and what clients of it are made of.
    struct WsFixture {
        let node: DevNode
        let context: String
        let token: Locked<String?>
        /// How often the token was asked for.
        let asked = Locked(0)

        static func start(
            permissions: [String] = ["admin"], _ change: (inout DevNodeOptions) -> Void = { _ in }
        ) async throws -> WsFixture {
            var options = DevNodeOptions()
            change(&options)
            let node = try await DevNode.start(options)
            let context = try node.createContext(ProbeContract())
            return WsFixture(
                node: node, context: context, token: Locked(node.mintTokens(permissions: permissions).accessToken))
        }

        func stop() async { await node.stop() }

        func client(
            timing: WebSocketTiming = .quick, unreadLimit: Int = WebSocketLimit.unread, base: URL? = nil,
            authority: URL? = nil, loop: CurlWebSocketLoop = .shared,
            refused: @escaping StreamRefusal.Hook = { _, _ in .retryAfterDelay }
        ) -> WsClient {
            let (token, asked) = (token, asked)
            return WsClient(
                baseURL: base ?? node.url,
                token: {
                    asked.withLock { $0 += 1 }
                    return token.withLock { $0 }
                },
                connector: CurlWebSocketConnector(
                    certificateAuthorityFile: authority, timing: timing, unreadLimit: unreadLimit, loop: loop),
                refused: refused, timing: timing)
        }

        /// Emits numbered events.
        func emit(_ numbers: Range<Int>) {
            for number in numbers { node.emit(.other(type: "N", data: .number(Double(number))), context: context) }
        }

        /// Emits under one number until one has arrived, so that the caller knows that a stream is there.
        func emitUntilHeard(_ isHeard: @escaping @Sendable () -> Bool) async throws {
            try await eventually {
                if isHeard() { return true }
                _ = node.emit(.other(type: "Hello", data: nil), context: context)
                return isHeard()
            }
        }

        func run(_ body: (WsFixture) async throws -> Void) async throws {
            do {
                try await body(self)
                await stop()
            } catch {
                await stop()
                throw error
            }
        }
    }

    extension WebSocketTiming {
        /// No test waits for a second attempt longer than it must.
        static let quick = WebSocketTiming(delay: { _ in 0.02 })
    }

    /// A client of a scripted server.
    func wsClient(
        _ server: ScriptedServer, timing: WebSocketTiming = .quick, unreadLimit: Int = WebSocketLimit.unread,
        loop: CurlWebSocketLoop = .shared
    ) throws -> WsClient {
        WsClient(
            baseURL: try #require(URL(string: server.url)), token: { "a.b.c" },
            connector: CurlWebSocketConnector(timing: timing, unreadLimit: unreadLimit, loop: loop), timing: timing)
    }

    /// Keeps what handlers are told.
    final class WsRecord: Sendable {
        private let state = Locked<(events: [ContextEvent], errors: [any Error])>(([], []))

        init(_ client: WsClient) {
            client.on { event in self.state.withLock { $0.events.append(event) } }
            client.onError { error in self.state.withLock { $0.errors.append(error) } }
        }

        var events: [ContextEvent] { state.withLock { $0.events } }
        var errors: [any Error] { state.withLock { $0.errors } }
        var numbers: [Int] { events.compactMap { $0.kind == "N" ? $0.payload["data"]?.intValue : nil } }
        var texts: [String] { errors.map(\.localizedDescription) }
    }
#endif
