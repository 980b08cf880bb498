import Foundation
import Testing

@testable import MeroKit

/// The pipeline above the engines: headers, decoding, classification of answers, redirects.
@Suite struct PipelineTests {
    private func client(
        _ engine: ScriptedEngine, base: String = "https://n.example/p/", hooks: TransportHooks = TransportHooks(),
        policy: RetryPolicy = .documented
    ) -> URLSessionHttpClient {
        URLSessionHttpClient(
            baseURL: URL(string: base) ?? URL(fileURLWithPath: "/"), hooks: hooks, engine: engine, retryPolicy: policy)
    }

    private func failure(_ body: () async throws -> Void) async -> MeroError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? MeroError
        }
    }

    // MARK: Headers

    @Test func sendsTheBearerToTheBaseOriginOnly() async throws {
        let engine = ScriptedEngine { _, _ in .status(200) }
        let http = client(engine, hooks: TransportHooks(getAuthToken: { "secret" }))
        try await http.sendVoid(HttpRequest(path: "/x"))
        try await http.sendVoid(HttpRequest(path: "https://n.example/elsewhere"))
        for path in ["https://other.example/x", "http://n.example/x", "https://n.example:444/x"] {
            try await http.sendVoid(HttpRequest(path: path))
        }
        #expect(
            engine.requests.map { $0.header("Authorization") } == ["Bearer secret", "Bearer secret", nil, nil, nil])
        #expect(engine.requests[0].url == "https://n.example/p/x")
    }

    @Test(arguments: [nil, "", "  \n"])
    func aBlankTokenSendsNoHeader(token: String?) async throws {
        let engine = ScriptedEngine { _, _ in .status(200) }
        try await client(engine, hooks: TransportHooks(getAuthToken: { token })).sendVoid(HttpRequest(path: "/x"))
        #expect(engine.requests[0].headers.isEmpty)
    }

    @Test func callersHeadersWinWhateverTheirCase() async throws {
        let engine = ScriptedEngine { _, _ in .status(200) }
        let http = client(engine, hooks: TransportHooks(getAuthToken: { "secret" }))
        try await http.sendVoid(
            HttpRequest(
                path: "/x", method: .post, body: .json(Data("{}".utf8)),
                headers: ["AUTHORIZATION": "Bearer mine", "content-TYPE": "text/x"]))
        let request = engine.requests[0]
        #expect(request.headers.count == 2)
        #expect(request.header("authorization") == "Bearer mine" && request.header("content-type") == "text/x")
    }

    @Test func aBodyBringsItsContentType() async throws {
        let engine = ScriptedEngine { _, _ in .status(200) }
        let http = client(engine)
        try await http.sendVoid(HttpRequest(path: "/x", method: .post, body: .json(Data("{}".utf8))))
        try await http.sendVoid(HttpRequest(path: "/x", method: .put, body: .data(Data([1]), contentType: "a/b")))
        try await http.sendVoid(
            HttpRequest(path: "/x", method: .put, body: .file(URL(fileURLWithPath: "/f"), contentType: "c/d")))
        let _: Empty = try await http.post("/x")
        let _: Empty = try await http.put("/x", json: ["a": 1])
        #expect(
            engine.requests.map { $0.header("Content-Type") } == [
                "application/json", "a/b", "c/d", nil, "application/json",
            ]
        )
        #expect(engine.requests.map(\.method) == ["POST", "PUT", "PUT", "POST", "PUT"])
    }

    // MARK: Bodies

    @Test func anEmptyBodyIsAValueOnlyWhereNothingIsOne() async throws {
        let http = client(ScriptedEngine { _, _ in .status(204) })
        let _: Empty = try await http.get("/x")
        let optional: Int? = try await http.get("/x")
        let json: JSONValue = try await http.get("/x")
        #expect(optional == nil && json == .null)
        let error = await failure { let _: Int = try await http.get("/x") }
        guard case .emptyResponse(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text == "Empty response from /x")
    }

    @Test func whatDoesNotDecodeSaysHowItBegan() async throws {
        let body = String(repeating: "<ä>", count: 200)
        let http = client(ScriptedEngine { _, _ in .status(201, [:], body) })
        let error = await failure { let _: [String: Int] = try await http.get("/x") }
        guard case .decoding(let text) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(text == "status 201: " + String(repeating: "<ä>", count: 50))
    }

    // MARK: Refusals

    @Test func anErrorKeepsTheFirst64KiB() async throws {
        let body = String(repeating: "x", count: 65_537)
        let http = client(ScriptedEngine { _, _ in .status(404, ["x-a": "b"], body) })
        let error = await failure { try await http.sendVoid(HttpRequest(path: "/x")) }
        guard case .http(let answer) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(answer.bodyText?.utf8.count == 65_536)
        #expect(answer.message == "HTTP 404 Not Found" && answer.url == "https://n.example/p/x")
        #expect(answer.headers == ["x-a": "b"])
    }

    @Test(arguments: [(RetryPolicy.documented, 3), (.onlyIfUnsent, 1), (.never, 1)])
    func retriesServerErrorsByPolicy(policy: RetryPolicy, sent: Int) async {
        let engine = ScriptedEngine { _, _ in .status(503) }
        let error = await failure {
            try await client(engine, policy: policy).sendVoid(HttpRequest(path: "/x", method: .post))
        }
        #expect(error?.httpStatus == 503 && engine.requests.count == sent)
        #expect(engine.requests.allSatisfy { $0.sendAtMostOnce == (policy != .documented) })
    }

    @Test func sendOnceWinsOverEveryPolicy() async {
        let engine = ScriptedEngine { _, _ in .status(503) }
        var request = HttpRequest(path: "/x", method: .post)
        request.sendOnce = true
        let error = await failure { [request] in try await client(engine).sendVoid(request) }
        #expect(error?.httpStatus == 503)
        #expect(engine.requests.map(\.sendAtMostOnce) == [true])
    }

    @Test func succeedsAtTheThirdAttempt() async throws {
        let engine = ScriptedEngine { _, number in number < 2 ? .status(503) : .status(200, [:], "42") }
        let value: Int = try await client(engine).get("/x")
        #expect(value == 42 && engine.requests.count == 3)
    }

    @Test(arguments: [
        (EngineError.Kind.unreachable, false, 3, 3), (.timedOut, true, 3, 1), (.connectionLost, true, 3, 1),
        (.timedOut, false, 3, 3), (.tooLarge, true, 1, 1), (.file, false, 1, 1), (.closed, true, 1, 1),
        (.invalidRequest, false, 1, 1),
    ])
    func networkFailuresByPolicy(
        kind: EngineError.Kind, reached: Bool, documented: Int, onlyIfUnsent: Int
    ) async {
        for (policy, expected) in [(RetryPolicy.documented, documented), (.onlyIfUnsent, onlyIfUnsent), (.never, 1)] {
            let engine = ScriptedEngine { _, _ in
                throw EngineError(kind: kind, mayHaveReachedNode: reached, message: "why")
            }
            let error = await failure { try await client(engine, policy: policy).sendVoid(HttpRequest(path: "/x")) }
            #expect(error?.localizedDescription == "Network error: why")
            #expect(engine.requests.count == expected, "\(kind) \(policy)")
        }
    }

    @Test func anUnusableAddressSendsNothing() async {
        let engine = ScriptedEngine { _, _ in .status(200) }
        let error = await failure { try await client(engine).sendVoid(HttpRequest(path: "/a b")) }
        #expect(error?.localizedDescription == "Network error: Invalid URL: /a b")
        #expect(engine.requests.isEmpty)
    }

    // MARK: Redirects (spec 00, ruling 29)

    @Test(arguments: [
        (301, HTTPMethod.get, true), (302, .get, true), (303, .get, true), (307, .get, true), (308, .get, true),
        (301, .head, true), (301, .post, false), (302, .post, false), (303, .post, false), (303, .delete, false),
        (307, .post, true), (308, .put, true), (300, .get, false), (304, .get, false), (305, .get, false),
    ])
    func followsByStatusAndMethod(status: Int, method: HTTPMethod, followed: Bool) async {
        let engine = ScriptedEngine { _, number in
            number == 0 ? .status(status, ["location": "/next"]) : .status(200)
        }
        let body: HttpBody? = [.get, .head].contains(method) ? nil : .json(Data("{}".utf8))
        let error = await failure {
            try await client(engine).sendVoid(HttpRequest(path: "/x", method: method, body: body))
        }
        #expect(error?.httpStatus == (followed ? nil : status))
        #expect(engine.requests.map(\.method) == Array(repeating: method.rawValue, count: followed ? 2 : 1))
        if followed { #expect(engine.requests[1].url == "https://n.example/next") }
    }

    @Test(arguments: [
        ("https://n.example/y", true), ("https://n.example:443/y", true), ("y", true), ("//n.example/y", true),
        ("https://n.example:444/y", false), ("http://n.example/y", false), ("https://evil.example/y", false),
        ("//evil.example/y", false), ("ftp://n.example/y", false), ("", false),
        ("https://n.example@evil.example/", false),
    ])
    func followsToTheSameHostOnly(location: String, followed: Bool) async {
        let engine = ScriptedEngine { _, number in
            number == 0 ? .status(307, location.isEmpty ? [:] : ["location": location]) : .status(200)
        }
        let hooks = TransportHooks(getAuthToken: { "secret" })
        let error = await failure { try await client(engine, hooks: hooks).sendVoid(HttpRequest(path: "/x")) }
        #expect(error?.httpStatus == (followed ? nil : 307))
        #expect(engine.requests.count == (followed ? 2 : 1))
    }

    @Test func anUpgradeToHTTPSIsFollowedWithoutCredentials() async throws {
        let engine = ScriptedEngine { _, number in
            number.isMultiple(of: 2) ? .status(308, ["location": "https://n.example/y"]) : .status(200)
        }
        let http = client(engine, base: "http://n.example", hooks: TransportHooks(getAuthToken: { "secret" }))
        try await http.sendVoid(HttpRequest(path: "/x"))
        try await http.sendVoid(HttpRequest(path: "/x", headers: ["authorization": "Bearer mine", "x-a": "b"]))
        #expect(engine.requests.map { $0.header("Authorization") } == ["Bearer secret", nil, "Bearer mine", nil])
        #expect(engine.requests[3].header("x-a") == "b")
    }

    @Test func followsAtMostFive() async {
        let engine = ScriptedEngine { _, number in .status(302, ["location": "/\(number)"]) }
        let error = await failure { try await client(engine).sendVoid(HttpRequest(path: "/x")) }
        #expect(error?.httpStatus == 302 && engine.requests.count == 6)
    }

    // MARK: Cancellation

    @Test func cancellationIsNotANetworkFailure() async {
        let engine = ScriptedEngine { _, _ in
            try await Task.sleep(nanoseconds: 60_000_000_000)
            return .status(200)
        }
        let http = client(engine)
        let task = Task { try await http.sendVoid(HttpRequest(path: "/x")) }
        while engine.requests.isEmpty { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await http.sendVoid(HttpRequest(path: "/x"))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(engine.requests.count == 1)
    }
}
