import Foundation
import MeroDevNode
import MeroKit
import MeroKitTestSupport
import Testing

/// The test doubles that apps use, through the client that they stand in for.
@Suite(.serialized) struct TestSupportTests {
    private func url() throws -> URL { try #require(URL(string: "http://node.example")) }

    @Test func theFakeNodeKeepsASession() async throws {
        let node = FakeNode()
        node.install()
        node.rpcOutputs = ["get": "blue"]
        let mero = Mero(
            config: MeroConfig(baseURL: try url(), credentials: Credentials(username: "u", password: "p")),
            session: MockURLProtocol.makeSession())
        try await mero.authenticate()
        node.expireAccessToken()
        let value: String = try await mero.rpc.execute(contextId: "c", method: "get")
        #expect(value == "blue" && node.tokenCalls == 1 && node.refreshCalls == 1 && node.rpcCalls == 2)
        #expect(node.accessToken == "access-2" && node.refreshToken == "refresh-2")
        node.rpcOutputs = ["other": ["list": [1, 2]]]
        let absent: Int = try await mero.rpc.execute(contextId: "c", method: "get")
        #expect(absent == 0)
        node.revokeFamily()
        do {
            let _: String = try await mero.rpc.execute(contextId: "c", method: "get")
            Issue.record("a revoked family goes on")
        } catch MeroError.authRevoked(let reason, _) {
            #expect(reason == "token_reuse")
        }
        #expect(await !mero.isAuthenticated)
        try await mero.authenticate()
        await mero.logout()
        #expect(node.logoutCalls == 1 && node.lastLoggedOutRefreshToken == "refresh-3")
    }

    @Test func theFakeNodeAnswers42UnlessToldOtherwise() async throws {
        let node = FakeNode()
        node.install()
        let mero = Mero(
            config: MeroConfig(baseURL: try url(), credentials: Credentials(username: "u", password: "p")),
            session: MockURLProtocol.makeSession())
        try await mero.authenticate()
        let value: Int = try await mero.rpc.execute(contextId: "c", method: "whatever")
        #expect(value == 42)
    }

    @Test func theRecorderKeepsWhatWasSent() async throws {
        let recorder = RequestRecorder(answer: MockURLProtocol.Stub(body: Data("[1]".utf8)))
        recorder.install()
        let http = URLSessionHttpClient(baseURL: try url(), session: MockURLProtocol.makeSession())
        let answer: [Int] = try await http.post("/a%20b?c=d", json: ["n": 1])
        #expect(answer == [1])
        let request = try #require(recorder.requests.first)
        #expect(request.method == "POST" && request.path == "/a%20b" && request.query == "c=d")
        #expect(request.jsonBody == ["n": 1])
        recorder.appendCaptured(CapturedRequest(method: "GET", path: "/x", query: nil, body: nil))
        #expect(recorder.requests.count == 2)
    }

    @Test func theCounterCounts() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { counter.increment() } }
        }
        #expect(counter.count == 100)
    }
}

/// What app authors start in one line.
@Suite struct TestSupportServerTests {
    @Test func aSignedInNode() async throws {
        let test = try await SignedInNode.start()
        let _: JSONValue = try await test.mero.rpc.execute(
            contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
        let value: String = try await test.mero.rpc.execute(
            contextId: test.contextId, method: "get", argsJson: ["key": "k"])
        #expect(value == "v")
        await test.stop()
    }

    @Test func aSignedInRelay() async throws {
        let test = try await SignedInRelay.start()
        _ = try await test.relay.execute(
            contextId: test.contextId, method: "set", argsJson: ["key": "k", "value": "v"])
        #expect(test.node.delegatedWrites.count == 1)
        let contexts = try await test.mero.admin.getContexts().contexts
        #expect(contexts.map(\.id) == [test.contextId])
        await test.stop()
    }

    @Test func faultsAndClocksByScript() async throws {
        let test = try await TestCloud.start()
        let handles = FaultScript([
            ("GET /api/cloud/accounts/*", .status(503)), ("GET /api/cloud/accounts/*", .cutMidBody(after: 4)),
        ]).play(on: test.cloud)
        let account = try DevAccount(root: test.cloud.wallet.root)
        let client = CloudClient(
            baseURL: test.cloud.url,
            routingCredential: RoutingCredential(
                credential: account.credential, deviceSecret: account.keys.signSecret))
        for _ in 0..<2 {
            await #expect(throws: MeroError.self) { _ = try await client.getAccountRelays(account.accountId) }
        }
        #expect(handles.map(\.hits) == [1, 1])
        #expect(try await client.getAccountRelays(account.accountId).map(\.peerId) == [test.peerId])
        #expect(test.cloud.requests("GET", "/api/cloud/accounts/*").count == 4)
        let clock = TestClock(test.cloud.clock, test.relay.clock)
        clock.freeze()
        let start = clock.now
        clock.advance(by: 100)
        #expect(abs(test.relay.clock.now.timeIntervalSince(start) - 100) < 0.01)
        #expect(test.cloud.clock.now == test.relay.clock.now)
        test.cloud.stopHeartbeat(of: test.peerId)
        clock.advance(by: 91)
        #expect(try await client.getAccountRelays(account.accountId).map(\.fresh) == [false])
        await test.stop()
    }

    @Test func streamsByScript() async throws {
        let test = try await SignedInNode.start()
        let events = test.mero.events(contextIds: [test.contextId])
        let watcher = Task {
            var seen: [String] = []
            for try await event in events {
                seen.append(event.isGap ? "gap" : event.kind)
                if event.kind == "Last" { break }
            }
            return seen
        }
        try await EventScript([
            .event(#"{"type":"First","data":{}}"#), .cut, .event(#"{"type":"Last","data":{}}"#),
        ]).play(on: test.node, contextId: test.contextId)
        let seen = try await watcher.value
        #expect(seen.first == "First" && seen.last == "Last")
        #expect(test.node.requestCount("GET", "/sse") == 2)
        await test.stop()
    }

    @Test func aPersonWithoutABrowser() async throws {
        let person = WalletAuthenticator()
        let keys = DeviceKeys.generate()
        let url = try DeviceEnrolment.url(
            devicePublicKey: keys.signPublicKey, kemPublicKey: keys.kemPublicKey, callbackURL: "app://enrol",
            state: "s")
        person.closeNext()
        await #expect(throws: WebAuthenticationCancelled.self) {
            _ = try await person.authenticate(url: url, callback: .scheme("app"))
        }
        let back = try await person.authenticate(url: url, callback: .scheme("app"))
        let callback = try #require(try DeviceEnrolment.readCallback(back))
        #expect(try DeviceEnrolment.completeEnrolment(callback, keys: keys, expectState: "s").device == callback.device)
        #expect(person.pages == [url, url])
    }
}
