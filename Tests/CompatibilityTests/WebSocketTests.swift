import Foundation
import MeroKit
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// Programs written for the published package, as they stand. This file imports nothing `@testable`: what compiles here
// compiles in an app.

@Suite struct WebSocketTests {
    /// No attempt gets as far as the network: there is no token.
    private func client() throws -> WsClient {
        let url = try #require(URL(string: "http://127.0.0.1:9"))
        return WsClient(baseURL: url, token: { nil })
    }

    @Test func making() throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/node1"))
        let token: @Sendable () async -> String? = { "token" }
        _ = WsClient(baseURL: url, token: token)
        _ = WsClient(baseURL: url, token: token, session: .shared)
        _ = WsClient(baseURL: url, token: token, session: URLSession(configuration: .ephemeral))
    }

    @Test func streams() async throws {
        let client = try client()
        let context: AsyncThrowingStream<ContextEvent, Error> = client.events(contextIds: ["c"])
        let group = client.events(contextIds: [], groupIds: ["g"])
        let task = Task {
            for try await event in group { print(event.kind, event.contextId, event.groupId ?? "", event.payload) }
        }
        task.cancel()
        try await task.value
        withExtendedLifetime(context) {}
    }

    @Test func theSharedConnection() async throws {
        let client = try client()
        let failed = AsyncStream<any Error>.makeStream()
        let listener: EventListener = client.on { event in print(event) }
        client.onError { error in failed.continuation.yield(error) }
        client.connect()
        try await client.subscribe(contextIds: ["a", "b"])
        try await client.subscribe(contextIds: ["c"], groupIds: ["g"])
        try await client.unsubscribe(contextIds: ["a"])
        try await client.unsubscribe(contextIds: [], groupIds: ["g"])
        for await error in failed.stream {
            guard case MeroError.network = error else { return #expect(Bool(false), "\(error)") }
            break
        }
        listener.cancel()
        listener.cancel()
        client.close()
        await #expect(throws: MeroError.self) {
            let _: Int = try await client.execute(contextId: "c", method: "count", argsJson: ["a": 1])
        }
    }

    /// In an actor, in a class, across tasks.
    @Test func whereverItIsUsed() async throws {
        actor Owner {
            let client: WsClient
            init(_ client: WsClient) { self.client = client }
            func start() { client.connect() }
        }
        let client = try client()
        let owner = Owner(client)
        await owner.start()
        await Task.detached { client.close() }.value
    }
}
