import Foundation
import MeroDevNode
import Testing

@testable import MeroKit

/// Every fault on every way to send something: the documented error, no hang, no crash.
@Suite struct FaultTests {
    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func aDelayIsWaitedFor(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine)
        fixture.node.inject(.delay(0.05), on: surface.route)
        try await surface.run(fixture)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func aSlowAnswerArrives(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine)
        fixture.node.inject(.slowBody(chunk: 5, interval: 0.005), on: surface.route)
        try await surface.run(fixture)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func aCutConnectionIsANetworkError(engine: EngineUnderTest, surface: Surface) async throws {
        for fault in [DevFault.cutBeforeHandler, .cutAfterHandler] {
            let fixture = try await NodeFixture.start(engine, timeout: 30)
            let (method, path) = surface.methodAndPath
            fixture.node.inject(fault, on: surface.route, times: nil)
            let error = await meroError { try await surface.run(fixture, sendOnce: false) }
            guard case .network = error else { return #expect(Bool(false), "\(String(describing: error))") }
            // Three attempts; the HTTP stack may have repeated some of them on a fresh connection.
            #expect(fixture.node.requestCount(method, path) >= 3)
            fixture.node.removeFaults()
            try await surface.run(fixture)
            await fixture.stop()
        }
    }

    @Test(arguments: EngineUnderTest.allCases, [Surface.send, .sendVoid, .sendRaw, .download, .rpc])
    func aCutBodyIsANetworkErrorAndLeavesNoFile(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine, timeout: 30, policy: .never)
        let folder = try TemporaryFolder()
        try Data("before".utf8).write(to: folder.file("body"))
        fixture.node.inject(.cutMidBody(after: 7), on: surface.route)
        let error = await meroError { try await surface.run(fixture, folder: folder) }
        guard case .network = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(folder.contents == ["body"])
        #expect(try Data(contentsOf: folder.file("body")) == Data("before".utf8))
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func twoFailuresAreRetried(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine)
        let (method, path) = surface.methodAndPath
        fixture.node.inject(.status(503), on: surface.route, times: 2)
        try await surface.run(fixture)
        #expect(fixture.node.requestCount(method, path) == 3)
        fixture.node.inject(.status(500), on: surface.route, times: 3)
        let error = await meroError { try await surface.run(fixture) }
        #expect(error?.httpStatus == 500)
        #expect(fixture.node.requestCount(method, path) == 6)
        fixture.node.inject(.status(429, retryAfter: "3600"), on: surface.route)
        let slow = await meroError { try await surface.run(fixture) }
        guard case .http(let http) = slow else { return #expect(Bool(false), "\(String(describing: slow))") }
        #expect(http.status == 429 && http.headers["retry-after"] == "3600")
        fixture.node.inject(.status(404), on: surface.route)
        #expect(await meroError { try await surface.run(fixture) }?.httpStatus == 404)
        #expect(fixture.node.requestCount(method, path) == 8)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func anExpiredTokenHeals(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine)
        fixture.node.expireAccessTokens()
        try await surface.run(fixture)
        #expect(fixture.node.requestCount("POST", "/auth/refresh") == 1)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func aRevokedKeyEndsTheSession(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine)
        fixture.node.inject(
            .status(403, headers: ["x-auth-error": "token_revoked"]), on: surface.route)
        let error = await meroError { try await surface.run(fixture) }
        guard case .authRevoked("token_revoked", _) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(await !fixture.mero.isAuthenticated)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func silenceTimesOut(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine, timeout: 1, policy: .never)
        fixture.node.inject(.stall, on: surface.route)
        let error = await meroError { try await surface.run(fixture) }
        guard case .network = error else { return #expect(Bool(false), "\(String(describing: error))") }
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func cancellationEndsAStallPromptly(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine)
        let folder = try TemporaryFolder()
        fixture.node.inject(.stall, on: surface.route, times: nil)
        let (method, path) = surface.methodAndPath
        let task = Task { try await surface.run(fixture, folder: folder) }
        try await eventually { fixture.node.requestCount(method, path) == 1 }
        let start = Date()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(Date().timeIntervalSince(start) < 20)
        #expect(fixture.node.requestCount(method, path) == 1)
        #expect(folder.contents.isEmpty)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases, Surface.allCases)
    func aNodeThatIsNotThereIsANetworkError(engine: EngineUnderTest, surface: Surface) async throws {
        let fixture = try await NodeFixture.start(engine, timeout: 30)
        try await fixture.node.refuseConnections(true)
        let error = await meroError { try await surface.run(fixture) }
        guard case .network = error else { return #expect(Bool(false), "\(String(describing: error))") }
        try await fixture.node.refuseConnections(false)
        try await surface.run(fixture)
        await fixture.stop()
    }

    /// A warm, reused connection that dies after the handler ran.
    @Test(arguments: EngineUnderTest.allCases, [RetryPolicy.documented, .onlyIfUnsent, .never])
    func aWriteThatMustNotRunTwiceRunsOnce(engine: EngineUnderTest, policy: RetryPolicy) async throws {
        let fixture = try await NodeFixture.start(engine, timeout: 30, policy: policy)
        let rpc = await fixture.mero.rpc
        let http = await fixture.mero.http
        let _: UInt64 = try await rpc.execute(contextId: fixture.probe, method: "increment")
        let body = JsonRpcRequest.execute(
            contextId: fixture.probe, method: "increment", arguments: Data("{}".utf8), executorPublicKey: nil)
        var request = HttpRequest(path: "/jsonrpc", method: .post, body: .json(body))
        // Under the documented policy it is the request that asks for it.
        request.sendOnce = policy == .documented
        let before = fixture.node.handlerRuns("POST", "/jsonrpc")
        fixture.node.inject(.cutAfterHandler, on: "POST /jsonrpc")
        let error = await meroError { [request] in try await http.sendVoid(request) }
        guard case .network = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == before + 1)
        let count: Int = try await rpc.execute(contextId: fixture.probe, method: "count")
        #expect(count == 2)
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func whatCannotHaveArrivedIsSentAgain(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine, timeout: 30, policy: .onlyIfUnsent)
        try await fixture.node.refuseConnections(true)
        let node = fixture.node
        let reopened = Task {
            try await Task.sleep(nanoseconds: 100_000_000)
            try await node.refuseConnections(false)
        }
        let _: UInt64 = try await fixture.mero.rpc.execute(contextId: fixture.probe, method: "increment")
        try await reopened.value
        #expect(fixture.node.handlerRuns("POST", "/jsonrpc") == 1)
        await fixture.stop()
    }

    // MARK: Hostile answers

    static let hostile: [Data] = {
        var random = SeededGenerator(seed: 0x5eed)
        var bodies = [
            Data(), Data("{".utf8), Data(#"{"jsonrpc":"2.0","id":1,"result":{"output":"#.utf8), Data("nul".utf8),
            Data(String(repeating: "[", count: 10_000).utf8),
            Data((String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)).utf8),
            Data((#"{"result":{"output":"# + String(repeating: "[", count: 10_000)).utf8),
            Data([0xff, 0xfe, 0xfd]), Data([0x22, 0xc3, 0x28, 0x22]), Data(#"{"result":{"output":"\ud800"}}"#.utf8),
            Data(#"{"result":{"output":1e400}}"#.utf8), Data(#"{"result":{"output":99999999999999999999999}}"#.utf8),
            Data(#"{"error":{"code":1e400}}"#.utf8), Data(#"{"error":12}"#.utf8), Data(#"{"result":[]}"#.utf8),
            Data([0xef, 0xbb, 0xbf]) + Data(#"{"result":{"output":1}}"#.utf8),
        ]
        for _ in 0..<40 {
            bodies.append(
                Data(
                    (0..<Int.random(in: 1...200, using: &random)).map { _ in
                        UInt8.random(in: .min ... .max, using: &random)
                    }))
        }
        return bodies
    }()

    @Test(arguments: EngineUnderTest.allCases)
    func hostileAnswersAreTypedErrors(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine)
        let rpc = await fixture.mero.rpc
        let http = await fixture.mero.http
        for (index, body) in Self.hostile.enumerated() {
            fixture.node.inject(.answer(body), on: "/*", times: 3)
            let viaRpc = await meroError {
                let _: Int = try await rpc.execute(contextId: fixture.probe, method: "count")
            }
            switch viaRpc {
            case .decoding, .rpc, .emptyResponse: break
            default: Issue.record("\(index): \(String(describing: viaRpc))")
            }
            let viaSend = await meroError { let _: [Int] = try await http.get("/admin-api/identity") }
            switch viaSend {
            case .decoding, .emptyResponse: break
            default: Issue.record("\(index): \(String(describing: viaSend))")
            }
            // As an error's body.
            fixture.node.removeFaults()
            fixture.node.inject(.status(400, body: body), on: "POST /jsonrpc")
            let refused = await meroError {
                let _: Int = try await rpc.execute(contextId: fixture.probe, method: "count")
            }
            #expect(refused?.httpStatus == 400)
            _ = refused?.refusal
        }
        await fixture.stop()
    }

    @Test(arguments: EngineUnderTest.allCases)
    func anAnswerOverTheLimitIsRefusedOnce(engine: EngineUnderTest) async throws {
        let fixture = try await NodeFixture.start(engine, options: HttpOptions(replyLimit: 10_000))
        let rpc = await fixture.mero.rpc
        let text: String = try await rpc.execute(contextId: fixture.probe, method: "bytes", argsJson: ["count": 9_000])
        #expect(text.count == 9_000)
        let before = fixture.node.requestCount("POST", "/jsonrpc")
        let error = await meroError {
            let _: String = try await rpc.execute(
                contextId: fixture.probe, method: "bytes", argsJson: ["count": 11_000])
        }
        guard case .network(let detail) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(detail.contains("10000"))
        #expect(fixture.node.requestCount("POST", "/jsonrpc") == before + 1)
        await fixture.stop()
    }
}
