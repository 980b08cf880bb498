import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Events on their whole way, from a contract's call to the consumer, and what becomes of them when things go wrong.
@Suite("Events from a node")
struct EventsNodeTests {
    /// What a consumer of a stream has seen, in order.
    private final class Watcher: Sendable {
        private let seen = Locked<[ContextEvent]>([])
        private let end = Locked<Result<Void, any Error>?>(nil)
        private let task: Task<Void, Never>

        init(_ stream: AsyncThrowingStream<ContextEvent, any Error>) {
            task = Task { [seen, end] in
                do {
                    for try await event in stream { seen.withLock { $0.append(event) } }
                    end.withLock { $0 = .success(()) }
                } catch {
                    end.withLock { $0 = .failure(error) }
                }
            }
        }

        var events: [ContextEvent] { seen.withLock { $0 } }
        var kinds: [String] { events.map(\.kind) }
        var hasEnded: Bool { end.withLock { $0 != nil } }
        var error: (any Error)? {
            if case .failure(let error)? = end.withLock({ $0 }) { return error }
            return nil
        }

        func stop() async {
            task.cancel()
            await task.value
        }
    }

    /// A watcher of the node whose subscription is there.
    private func watch(
        _ fixture: NodeFixture, contexts: [String], groups: [String] = []
    ) async throws -> Watcher {
        let status = Locked(EventStreamStatus())
        let watcher = Watcher(
            fixture.mero.sse.events(contextIds: contexts, groupIds: groups) { new in status.withLock { $0 = new } })
        try await eventually { status.withLock { $0.isComplete } || watcher.hasEnded }
        return watcher
    }

    private func set(_ fixture: NodeFixture, _ key: String, _ value: String) async throws {
        let _: Empty = try await fixture.mero.rpc.execute(
            contextId: fixture.keyValue, method: "set", argsJson: ["key": .string(key), "value": .string(value)])
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aWriteIsSeen(engine: EngineUnderTest) async throws {
        struct Inserted: Decodable, Equatable {
            let key: String
            let value: String
        }
        let fixture = try await NodeFixture.start(engine)
        let watcher = try await watch(fixture, contexts: [fixture.keyValue])
        try await set(fixture, "colour", "blue")
        try await eventually { !watcher.events.isEmpty }
        let event = try #require(watcher.events.first)
        #expect(event.contextId == fixture.keyValue && event.kind == "StateMutation")
        guard case .stateMutation(let mutation) = event.content else { return #expect(Bool(false), "\(event)") }
        #expect(mutation.newRoot?.count == 64)
        #expect(mutation.events.map(\.kind) == ["Inserted"])
        #expect(try mutation.events.first?.decode(Inserted.self) == Inserted(key: "colour", value: "blue"))
        #expect(event.payload["type"] == "StateMutation")
        await watcher.stop()
        #expect(watcher.error == nil)
        try await eventually { fixture.node.streams.open.isEmpty }
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func everyOtherKindComesToo(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let group = try fixture.node.createGroup()
        let watcher = try await watch(fixture, contexts: [fixture.probe], groups: [group])
        let account = String(repeating: "ab", count: 32)
        fixture.node.emit(.syncStatus(.backingOff(retryInSeconds: 8), failureCount: 2), context: fixture.probe)
        fixture.node.emit(.appVersionChanged(from: "1.0.0", to: "2.0.0"), context: fixture.probe)
        fixture.node.emit(.stateMutation(newRoot: "00", events: nil), context: fixture.probe)
        fixture.node.emit(.other(type: "Brand\"New", data: ["x": [1, 2]]), context: fixture.probe)
        fixture.node.emit(.other(type: "NoData", data: nil), group: group)
        try fixture.node.addMember(account, role: .readOnly, group: group)
        try fixture.node.removeMember(account, group: group)
        fixture.node.emit(
            .cascadeProgress(subgroupId: "s", localContextsSwapped: 1, localContextsTotal: 2), group: group)
        fixture.node.emit(.migrationCompleted(toVersion: "2", completedAt: 1_796_000_000), group: group)
        try await eventually { watcher.events.count >= 9 }
        #expect(
            watcher.kinds == [
                "SyncStatus", "AppVersionChanged", "StateMutation", "Brand\"New", "NoData", "MemberAdded",
                "MemberRemoved",
                "CascadeProgress", "MigrationCompleted",
            ])
        let events = watcher.events
        guard case .syncStatus(let sync) = events[0].content, case .memberAdded(let added) = events[5].content else {
            return #expect(Bool(false), "\(events)")
        }
        #expect(sync.failureCount == 2)
        #expect(added.memberAccount == account && added.knownRole == .readOnly)
        #expect(events[3].payload["data"] == ["x": [1, 2]])
        #expect(events[4].groupId == group && events[4].contextId.isEmpty)
        await watcher.stop()
        await fixture.stop()
    }

    /// One byte a packet, every frame twice, and all at once: the same events.
    @Test(arguments: EngineUnderTest.allCases)
    func howFramesAreCutIsOfNoConsequence(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let watcher = try await watch(fixture, contexts: [fixture.keyValue])
        fixture.node.streams.split(bytes: 1)
        try await set(fixture, "smile 😀", "ü")
        try await eventually { watcher.events.count == 1 }
        fixture.node.streams.split(bytes: nil)
        fixture.node.streams.repeatFrames(times: 3)
        try await set(fixture, "a", "b")
        try await eventually { watcher.events.count == 4 }
        #expect(watcher.events.allSatisfy { $0.contextId == fixture.keyValue && $0.contractEvents.count == 1 })
        #expect(
            watcher.events[0].contractEvents.first.map { String(decoding: $0.data, as: UTF8.self) }?.contains("😀")
                == true)
        await watcher.stop()
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aNodeThatRestartsIsFoundAgain(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let watcher = try await watch(fixture, contexts: [fixture.keyValue, fixture.probe])
        for round in 1...3 {
            switch round {
            case 1: fixture.node.streams.cutAll()
            case 2: fixture.node.streams.announceClose(reason: "maintenance")
            default: try await fixture.node.restart()
            }
            try await eventually { watcher.events.filter(\.isGap).count == 2 * round }
        }
        try await set(fixture, "k", "v")
        try await eventually { watcher.kinds.last == "StateMutation" }
        #expect(Set(watcher.events.prefix(2).map(\.contextId)) == [fixture.keyValue, fixture.probe])
        await watcher.stop()
        await fixture.stop()
    }

    /// An expired token is found out by the node's answer, and refreshed once for all streams and calls.
    @Test(arguments: EngineUnderTest.allCases)
    func anExpiredTokenIsRefreshedOnce(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        var watchers: [Watcher] = []
        for _ in 0..<5 { watchers.append(try await watch(fixture, contexts: [fixture.keyValue])) }
        fixture.node.expireAccessTokens()
        fixture.node.clearRequests()
        try await set(fixture, "while the streams are open", "still served")
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 1)
        try await eventually { watchers.allSatisfy { $0.kinds == ["StateMutation"] } }
        fixture.node.expireAccessTokens()
        fixture.node.clearRequests()
        fixture.node.streams.cutAll()
        try await eventually { watchers.allSatisfy { $0.kinds.last == "Gap" } }
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 1)
        for watcher in watchers { await watcher.stop() }
        await fixture.stop()
    }

    /// A token that only looks expired here is shown all the same: a node refuses to refresh one that is not.
    @Test func aTokenThatOnlyLooksExpiredIsNotRefreshed() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let tokens = fixture.node.mintTokens()
        await fixture.mero.setTokenData(
            TokenData(
                accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                expiresAt: Date(timeIntervalSince1970: 1)))
        let watcher = try await watch(fixture, contexts: [fixture.keyValue])
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 0)
        await watcher.stop()
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func aRevokedSessionEndsStreamAndSession(engine: EngineUnderTest) async throws {
        let revoked = Locked<[String]>([])
        let fixture = try await NodeFixture.start(
            engine, onAuthRevoked: { reason in revoked.withLock { $0.append(reason) } })
        let watcher = try await watch(fixture, contexts: [fixture.keyValue])
        fixture.node.revokeFamilies()
        fixture.node.streams.cutAll()
        try await eventually { watcher.hasEnded }
        guard case .authRevoked(let reason, _) = watcher.error as? MeroError else {
            return #expect(Bool(false), "\(String(describing: watcher.error))")
        }
        #expect(reason == "token_revoked")
        #expect(await !fixture.mero.isAuthenticated)
        #expect(fixture.store.getTokens() == nil)
        #expect(revoked.withLock { $0 } == ["token_revoked"])
        await fixture.stop()
    }

    @Test func aTokenWithoutThePermissionIsRefusedForGood() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let tokens = fixture.node.mintTokens(permissions: ["context:execute"])
        await fixture.mero.setTokenData(
            TokenData(
                accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                expiresAt: Date(timeIntervalSinceNow: 3600)))
        let error = await meroError {
            for try await _ in fixture.mero.events(contextIds: [fixture.keyValue]) {}
        }
        guard case .http(let answer) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(answer.status == 403 && answer.headers["x-auth-error"] == "permission_denied")
        #expect(await fixture.mero.isAuthenticated)
        await fixture.stop()
    }

    @Test func withoutATokenItWaitsForOne() async throws {
        let fixture = try await NodeFixture.start(.allCases[0], signedIn: false)
        let client = SseClient(
            baseURL: fixture.node.url,
            credentials: StreamCredentials(source: .bearer { await fixture.mero.currentTokenData()?.accessToken }),
            engine: try EngineUnderTest.allCases[0].make(), timing: SseConnection.Timing(retryDelay: 0.02))
        client.connect()
        try await eventually { client.status.connection == .waiting }
        #expect(fixture.node.requestCount("GET", "/sse") == 0)
        guard case .noCredentials = client.status.lastError as? MeroError else { return #expect(Bool(false)) }
        try await fixture.mero.authenticate()
        try await eventually { client.status.connection == .open }
        client.close()
        await fixture.stop()
    }

    @Test func whatTheNodeLeavesOutIsShown() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let other = String(repeating: "ee", count: 32)
        let sse = fixture.mero.sse
        try await sse.subscribe(contextIds: [fixture.keyValue.uppercased(), other], groupIds: [other])
        sse.connect()
        try await eventually {
            sse.status.contexts == [fixture.keyValue.uppercased(): .active, other: .refused]
                && sse.status.groups == [other: .refused]
        }
        await fixture.mero.close()
        #expect(sse.status.connection == .idle && sse.status.contexts.isEmpty)
        try await eventually { fixture.node.streams.open.isEmpty }
        await fixture.stop()
    }

    @Test func loggingOutClosesWhatIsSharedAndNothingElse() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let watcher = try await watch(fixture, contexts: [fixture.keyValue])
        #expect(fixture.mero.sse === fixture.mero.sse && fixture.mero.ephemeral === fixture.mero.ephemeral)
        fixture.mero.sse.connect()
        try await eventually { fixture.node.streams.open.count == 2 }
        await fixture.mero.logout()
        try await eventually { fixture.node.streams.open.count == 1 }
        fixture.node.emit(.appVersionChanged(), context: fixture.keyValue)
        try await eventually { watcher.kinds == ["AppVersionChanged"] }
        await watcher.stop()
        await fixture.stop()
    }

    @Test func severalListenersOnOneConnection() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let sse = fixture.mero.sse
        let seen = Locked<[Int: [String]]>([:])
        let listeners = (0..<3).map { number in
            sse.on { event in seen.withLock { $0[number, default: []].append(event.kind) } }
        }
        sse.connect()
        try await sse.subscribe(contextIds: [fixture.keyValue])
        try await eventually { sse.status.isComplete }
        for number in 0..<10 { try await set(fixture, "\(number)", "x") }
        try await eventually { seen.withLock { $0.values.map(\.count) } == [10, 10, 10] }
        #expect(fixture.node.streams.open.count == 1)
        for listener in listeners { listener.cancel() }
        try await sse.unsubscribe(contextIds: [fixture.keyValue])
        try await set(fixture, "unheard", "x")
        await fixture.stop()
        #expect(seen.withLock { $0.values.map(\.count) } == [10, 10, 10])
    }

    /// A `Mero`'s own WebSocket shares the session: its refreshes, and its end.
    @Test func theWebSocketSharesTheSession() async throws {
        let fixture = try await NodeFixture.start(.allCases[0])
        let ws = fixture.mero.ws
        #expect(ws === fixture.mero.ws)
        fixture.node.expireAccessTokens()
        let watcher = Watcher(ws.events(contextIds: [fixture.keyValue]))
        try await eventually {
            fixture.node.emit(.appVersionChanged(), context: fixture.keyValue) == 1 && !watcher.events.isEmpty
        }
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 1)
        let sum: Int = try await fixture.mero.rpc.execute(contextId: fixture.probe, method: "count")
        #expect(sum == 0 && fixture.node.requestCount("POST", "/auth/refresh") == 1)
        fixture.node.revokeFamilies()
        fixture.node.streams.cutAll()
        try await eventually { watcher.hasEnded }
        guard case .authRevoked = watcher.error as? MeroError else {
            return #expect(Bool(false), "\(String(describing: watcher.error))")
        }
        #expect(await !fixture.mero.isAuthenticated)
        await fixture.stop()
    }

    /// Nothing of many streams is left: no connection, no descriptor, no task.
    @Test(arguments: EngineUnderTest.allCases)
    func manyStreamsLeaveNothing(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        for _ in 0..<3 {
            var watchers: [Watcher] = []
            for _ in 0..<30 { watchers.append(Watcher(fixture.mero.events(contextIds: [fixture.keyValue]))) }
            try await eventually { fixture.node.streams.open.count == 30 }
            for watcher in watchers { await watcher.stop() }
            try await eventually { fixture.node.streams.open.isEmpty }
            #expect(watchers.allSatisfy { $0.error == nil })
        }
        await fixture.stop()
    }
}
