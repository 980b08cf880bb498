import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// A clear answer in the place of a subscription's: the stream stays as it is, whatever the same answer would mean if the
/// node had given it. Spec: 40, section 2.4; 80, sections 1.7 and 1.9.
@Suite("Sealed subscriptions") struct SealedSubscriptionTests {
    /// What a stream has said of itself since it opened.
    private final class Story: Sendable {
        private let news = Locked<[EventStreamStatus]>([])

        func add(_ status: EventStreamStatus) { news.withLock { $0.append(status) } }

        var all: [EventStreamStatus] { news.withLock { $0 } }
        /// Whether the connection was anything else after it had opened.
        var hasWavered: Bool {
            all.drop { $0.connection != .open }.contains { $0.connection != .open }
        }
        var isActive: Bool { all.last?.contexts.values.allSatisfy { $0 == .active } ?? false }
        var refusals: [HTTPError] {
            all.compactMap { status in
                if case MeroError.http(let answer)? = status.lastError { return answer }
                return nil
            }
        }
    }

    /// A session that the node knows no more (404), ids that are none (400, 422), a token that is refused (401, 403).
    private static let body = Data(#"{"error":{"code":"SESSION_NOT_FOUND","message":"no such session"}}"#.utf8)
    private static let headers = ["x-auth-error": "token_revoked"]

    @Test(arguments: [400, 401, 403, 404, 410, 422]) func aStreamOutlastsClearRefusals(status: Int) async throws {
        let fixture = try await SealedFixture.start()
        let proxy = try SealedProxy(to: fixture.node.port)
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed), at: proxy.url)
        let (node, context) = (fixture.node, fixture.context)
        let struck = Locked<DevFaultHandle?>(nil)
        proxy.set(
            .init(request: { number, envelope in
                // The first exchange is the stream, which has opened before it is subscribed to.
                if number == 1 {
                    let fault = node.inject(
                        .status(status, body: Self.body, headers: Self.headers), on: "POST /sealed/v2", times: nil)
                    struck.withLock { $0 = fault }
                }
                return [envelope]
            }))
        let (story, heard) = (Story(), Locked(0))
        let reading = Task {
            for try await event in mero.events(contextIds: [context], onStatus: { story.add($0) }) where !event.isGap {
                heard.withLock { $0 += 1 }
            }
        }
        // Asked again and again, with a pause, over the one stream.
        try await eventually { (struck.withLock { $0 }?.hits ?? 0) >= 4 }
        #expect(node.handlerRuns("GET", "/sse") == 1 && node.handlerRuns("POST", "/sse/subscription") == 0)
        #expect(!story.isActive)
        struck.withLock { $0 }?.remove()
        try await eventually {
            node.emit(.syncStatus(.syncing), context: context)
            // The node may deliver before its answer to the subscription has been read.
            return heard.withLock { $0 } > 0 && story.isActive
        }
        // Told, each time, as what it is.
        #expect(story.refusals.count >= 4)
        #expect(story.refusals.allSatisfy { $0.status == status && $0.cameInTheClear && $0.refusal == nil })
        #expect(story.refusals.allSatisfy { $0.headers["x-auth-error"] == nil })
        #expect(!story.hasWavered && story.isActive && story.all.last?.lastError == nil)
        #expect(node.handlerRuns("GET", "/sse") == 1 && node.handlerRuns("POST", "/sse/subscription") == 1)
        #expect(node.handlerRuns("POST", "/auth/refresh") == 0)
        #expect(await mero.isAuthenticated)
        #expect(fixture.inTheClear == [])
        reading.cancel()
        await mero.close()
        await fixture.stop()
        proxy.stop()
    }

    /// The same for what an app asks of a stream that it shares: the call fails, and nothing else does.
    @Test(arguments: [401, 404]) func aSharedStreamOutlastsClearRefusals(status: Int) async throws {
        let fixture = try await SealedFixture.start()
        let mero = try await fixture.signedIn(Sealing(key: fixture.fixed))
        let (node, context, sse) = (fixture.node, fixture.context, mero.sse)
        let (story, heard) = (Story(), Locked(0))
        let listeners = [
            sse.onStatus { story.add($0) },
            sse.on { event in if !event.isGap { heard.withLock { $0 += 1 } } },
        ]
        sse.connect()
        try await eventually { sse.status.connection == .open }
        for round in 0..<10 {
            node.inject(.status(status, body: Self.body, headers: Self.headers), on: "POST /sealed/v2")
            let isJoining = round % 2 == 0
            let error = await failure(of: {
                if isJoining {
                    try await sse.subscribe(contextIds: [context])
                } else {
                    try await sse.unsubscribe(contextIds: [context])
                }
            })
            guard case MeroError.http(let answer)? = error else {
                Issue.record("\(round): \(String(describing: error))")
                continue
            }
            #expect(answer.status == status && answer.cameInTheClear)
        }
        try await sse.subscribe(contextIds: [context])
        try await eventually {
            node.emit(.syncStatus(.syncing), context: context)
            // The node may deliver before its answer to the subscription has been read.
            return heard.withLock { $0 } > 0 && story.isActive
        }
        #expect(!story.hasWavered && story.isActive)
        #expect(node.handlerRuns("GET", "/sse") == 1)
        #expect(node.handlerRuns("POST", "/auth/refresh") == 0)
        #expect(await mero.isAuthenticated)
        withExtendedLifetime(listeners) {}
        await mero.close()
        await fixture.stop()
    }

    /// Whoever looks after the credential is not asked for another one, as with a 401 of the node's.
    @Test func aClearRefusalIsNoWordAboutACredential() async throws {
        let fixture = try await SealedFixture.start()
        let sealing = Sealing(key: fixture.fixed)
        let mero = try await fixture.signedIn(sealing)
        let token = try #require(await mero.currentTokenData()?.accessToken)
        let asked = Locked<[Int]>([])
        var credentials = StreamCredentials(source: .bearer { token })
        credentials.onRefused = { answer, _ in
            asked.withLock { $0.append(answer.status) }
            return .finish(MeroError.http(answer))
        }
        let sse = SseClient(
            baseURL: fixture.node.url, credentials: credentials,
            engine: EngineChoice.streamEngine(
                session: nil, options: HttpOptions(sealing: sealing), baseURL: fixture.node.url))
        sse.connect()
        try await eventually { sse.status.connection == .open }
        fixture.node.inject(.status(401), on: "POST /sealed/v2")
        let error = await failure(of: { try await sse.subscribe(contextIds: [fixture.context]) })
        #expect((error as? MeroError)?.httpStatus == 401 && asked.withLock { $0 } == [])
        #expect(sse.status.connection == .open)
        // The node's own word, out of the seal, is another matter.
        fixture.node.expireAccessTokens()
        _ = await failure(of: { try await sse.unsubscribe(contextIds: [fixture.context]) })
        #expect(asked.withLock { $0 } == [401])
        sse.close()
        await mero.close()
        await fixture.stop()
    }
}
