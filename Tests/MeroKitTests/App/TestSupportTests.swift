import Foundation
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
        node.revokeFamily()
        await #expect(throws: MeroError.self) {
            let _: String = try await mero.rpc.execute(contextId: "c", method: "get")
        }
        #expect(await !mero.isAuthenticated)
        try await mero.authenticate()
        await mero.logout()
        #expect(node.logoutCalls == 1 && node.lastLoggedOutRefreshToken == "refresh-3")
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
