import Foundation
import MeroKit
import MeroKitTestSupport
import Testing

@testable import TaskList

/// How an app tests itself: against a real node in the test's own process, without a network.
@Suite struct TaskListTests {
    /// The same test for both ways: the app's code does not know which one it takes.
    @Test func addsAndFinishes() async throws {
        let node = try await SignedInNode.start()
        let relay = try await SignedInRelay.start()
        let proof = ProofCredential(credential: relay.account.credential, keys: relay.account.keys)
        let clients = [
            (MeroTransportClient(mero: node.mero), node.contextId),
            (
                try MeroTransportClient(.relay(RelayTransportConfig(relay: relay.relay, proof: proof))),
                relay.contextId
            ),
        ]
        for (client, contextId) in clients {
            let tasks = TaskList(client, contextId: contextId)
            let first = try await tasks.add("Buy milk", now: Date(timeIntervalSince1970: 1))
            try await tasks.add("Call Ana", now: Date(timeIntervalSince1970: 2))
            #expect(try await tasks.finish(first))
            #expect(try await tasks.finish("not there") == false)
            let all = try await tasks.all()
            #expect(all.map(\.task) == [TaskItem(title: "Buy milk", isDone: true), TaskItem(title: "Call Ana")])
        }
        await relay.stop()
        await node.stop()
    }

    @Test func anExpiredSessionIsNotNoticed() async throws {
        let test = try await SignedInNode.start()
        let tasks = TaskList(MeroTransportClient(mero: test.mero), contextId: test.contextId)
        test.node.expireAccessTokens()
        try await tasks.add("Buy milk")
        #expect(try await tasks.all().count == 1)
        #expect(test.node.requestCount("POST", "/auth/refresh") == 1)
        await test.stop()
    }

    @Test func aRevokedSessionIsTold() async throws {
        let test = try await SignedInNode.start()
        let tasks = TaskList(MeroTransportClient(mero: test.mero), contextId: test.contextId)
        test.node.revokeFamilies()
        do {
            try await tasks.add("Buy milk")
            Issue.record("a revoked session still writes")
        } catch MeroError.authRevoked {
            #expect(test.node.handlerRuns("POST", "/jsonrpc") == 0)
        }
        await test.stop()
    }

    /// The other one's writes are seen, those included that happened while the connection was down.
    @Test func watchingSurvivesALostConnection() async throws {
        let test = try await SignedInNode.start()
        let tasks = TaskList(MeroTransportClient(mero: test.mero), contextId: test.contextId)
        let (counts, seen) = AsyncStream.makeStream(of: Int.self)
        let watching = Task { try await tasks.watch { seen.yield($0.count) } }
        var changes = counts.makeAsyncIterator()
        #expect(await changes.next() == 0)
        while test.node.streams.open.isEmpty { await Task.yield() }
        test.node.streams.cutAll()
        try await tasks.add("Buy milk")
        while let count = await changes.next() { if count == 1 { break } }
        watching.cancel()
        await test.stop()
    }
}
