import Foundation
import Testing

@testable import MeroKit

/// What every engine does with requests and answers that are as they should be.
@Suite("Engine behaviour") struct EngineBehaviourTests {
    @Test(
        arguments: EngineUnderTest.allCases,
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"])
    func methodWithoutBody(engine: EngineUnderTest, method: String) async throws {
        let server = try ScriptedServer.answering { request in
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n" + (request.method == "HEAD" ? "" : "ok")
        }
        let response = try await engine.make().perform(EngineRequest(server.url + "/m", method: method))
        #expect(response.status == 200)
        #expect(response.body == Data((method == "HEAD" ? "" : "ok").utf8))
        #expect(response.headers["content-length"] == "2")
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.body.isEmpty)
        #expect(request.values("Content-Type") == [])
        #expect(request.values("Expect") == [])
        #expect(request.values("Content-Length") == [] || request.values("Content-Length") == ["0"])
        #expect(request.values("Transfer-Encoding") == [])
    }

    @Test(arguments: EngineUnderTest.allCases, ["POST", "PUT", "PATCH", "DELETE"])
    func methodWithBody(engine: EngineUnderTest, method: String) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n" }
        let body = Data("{\"a\":\"\u{e9}\"}".utf8)
        let response = try await engine.make().perform(
            EngineRequest(
                server.url + "/m", method: method, headers: [("Content-Type", "application/json")],
                body: .bytes(body)))
        #expect(response.status == 201)
        #expect(response.body.isEmpty)
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.body == body)
        #expect(request.values("Content-Type") == ["application/json"])
        #expect(request.values("Content-Length") == ["\(body.count)"])
    }

    @Test(arguments: EngineUnderTest.allCases, ["POST", "PUT"])
    func emptyBody(engine: EngineUnderTest, method: String) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        _ = try await engine.make().perform(
            EngineRequest(
                server.url, method: method, headers: [("Content-Type", "application/json")], body: .bytes(Data())))
        let request = try #require(server.requests.first)
        #expect(request.values("Content-Length") == ["0"])
        #expect(request.values("Content-Type") == ["application/json"])
    }

    /// An empty header field is as close to none as Foundation lets us come.
    @Test(arguments: EngineUnderTest.allCases, ["POST", "PUT"])
    func bodyWithoutContentTypeGetsNone(engine: EngineUnderTest, method: String) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        _ = try await engine.make().perform(EngineRequest(server.url, method: method, body: .bytes(Data("x".utf8))))
        let request = try #require(server.requests.first)
        #expect(request.values("Content-Type").allSatisfy { $0.isEmpty })
        #expect(request.body == Data("x".utf8))
    }

    @Test(arguments: EngineUnderTest.allCases)
    func requestHeadersStandAsGiven(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        _ = try await engine.make().perform(
            EngineRequest(
                server.url,
                headers: [
                    ("Accept", "application/json"), ("Authorization", "Bearer abc.def"), ("X-Odd-Case", "a, b;c=\"d\""),
                    ("x-second", "1"), ("X-Empty", ""),
                ]))
        let request = try #require(server.requests.first)
        #expect(request.values("Accept") == ["application/json"])
        #expect(request.values("Authorization") == ["Bearer abc.def"])
        #expect(request.values("X-Odd-Case") == ["a, b;c=\"d\""])
        #expect(request.values("X-Second") == ["1"])
        #expect(request.values("X-Empty") == [""])
    }

    @Test(arguments: EngineUnderTest.allCases)
    func answerHeadersAreLowerCasedAndJoined(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in
            """
            HTTP/1.1 200 OK\r
            Content-Length: 0\r
            X-Auth-Error: token_expired\r
            X-Many: one\r
            Set-Cookie: a=1; Path=/\r
            X-Many: two\r
            x-many: three\r
            X-Empty:\r
            X-Spaced:   in between  \r
            Set-Cookie: b=2\r
            \r\n
            """
        }
        let response = try await engine.make().perform(EngineRequest(server.url))
        #expect(response.headers["x-auth-error"] == "token_expired")
        #expect(response.headers["x-many"] == "one, two, three")
        #expect(response.headers["set-cookie"] == "a=1; Path=/, b=2")
        #expect(response.headers["x-empty"] == "")
        #expect(response.headers["x-spaced"] == "in between")
        #expect(response.headers.keys.allSatisfy { $0 == $0.lowercased() })
    }

    @Test(arguments: EngineUnderTest.allCases)
    func answersSetNoCookies(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in
            "HTTP/1.1 200 OK\r\nSet-Cookie: session=1; Path=/\r\nContent-Length: 0\r\n\r\n"
        }
        let engine = try engine.make()
        for _ in 0..<2 { _ = try await engine.perform(EngineRequest(server.url + "/c")) }
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.values("Cookie") == [] })
    }

    @Test(arguments: EngineUnderTest.allCases)
    func answersAreNotCached(engine: EngineUnderTest) async throws {
        let count = Locked(0)
        let server = try ScriptedServer.answering { _ in
            let number = count.withLock { count -> Int in
                count += 1
                return count
            }
            return "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nETag: \"a\"\r\nContent-Length: 1\r\n\r\n\(number)"
        }
        let engine = try engine.make()
        let first = try await engine.perform(EngineRequest(server.url + "/c"))
        let second = try await engine.perform(EngineRequest(server.url + "/c"))
        #expect(first.body == Data("1".utf8))
        #expect(second.body == Data("2".utf8))
        #expect(server.requests.last?.values("If-None-Match") == [])
    }

    @Test(arguments: EngineUnderTest.allCases, ["204 No Content", "304 Not Modified", "200 OK"])
    func answersWithoutBody(engine: EngineUnderTest, status: String) async throws {
        let server = try ScriptedServer.answering { _ in
            "HTTP/1.1 \(status)\r\nX-A: b\r\n" + (status == "200 OK" ? "Content-Length: 0\r\n\r\n" : "\r\n")
        }
        let engine = try engine.make()
        for _ in 0..<2 {
            let response = try await engine.perform(EngineRequest(server.url))
            #expect(response.status == Int(status.prefix(3)))
            #expect(response.headers["x-a"] == "b")
            #expect(response.body.isEmpty)
        }
        // Nothing was waited for: the connection served the second call too.
        #expect(server.connections == 1)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func refusalsKeepTheirBody(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { request in
            let status = request.target.dropFirst()
            return "HTTP/1.1 \(status) Whatever\r\nContent-Length: 15\r\n\r\n{\"error\":\"nay\"}"
        }
        let engine = try engine.make()
        for status in [400, 401, 403, 404, 409, 413, 429, 500, 502, 503, 504, 599] {
            let response = try await engine.perform(EngineRequest(server.url + "/\(status)"))
            #expect(response.status == status)
            #expect(response.body == Data("{\"error\":\"nay\"}".utf8))
        }
    }

    @Test(arguments: EngineUnderTest.allCases, ["Basic realm=\"x\"", "Bearer", "Digest realm=\"x\", nonce=\"n\""])
    func challengesAreAnswers(engine: EngineUnderTest, challenge: String) async throws {
        let server = try ScriptedServer.answering { _ in
            "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 3\r\n\r\nnay"
        }
        let engine = try engine.make()
        for once in [false, true] {
            let response = try await engine.perform(EngineRequest(server.url, once: once))
            #expect(response.status == 401)
            #expect(response.headers["www-authenticate"] == challenge)
            #expect(response.body == Data("nay".utf8))
        }
        #expect(server.requests.count == 2)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func interimAnswersArePassedOver(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { request in
            "HTTP/1.1 \(request.target.dropFirst()) Interim\r\nX-Interim: 1\r\nX-Both: interim\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nX-Both: final\r\nContent-Length: 2\r\n\r\nok"
        }
        let engine = try engine.make()
        for status in [100, 102, 103] {
            let response = try await engine.perform(EngineRequest(server.url + "/\(status)"))
            #expect(response.status == 200)
            #expect(response.headers["x-both"] == "final")
            #expect(response.headers["x-interim"] == nil)
            #expect(response.body == Data("ok".utf8))
        }
    }

    @Test(
        arguments: EngineUnderTest.allCases,
        [
            "/admin-api/contexts/a%2Fb%20c", "/%C3%BC%25?limit=5&q=a%26b+c%2B", "/a//b/", "/?x=1", "/-._~!$&'()*+,;=:@",
        ])
    func percentEncodedTargetsAreKept(engine: EngineUnderTest, target: String) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        _ = try await engine.make().perform(EngineRequest(server.url + target))
        #expect(server.requests.map(\.target) == [target])
    }

    @Test(arguments: EngineUnderTest.allCases)
    func hostHeaderNamesThePort(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
        _ = try await engine.make().perform(EngineRequest(server.url))
        #expect(server.requests.first?.values("Host") == ["127.0.0.1:\(server.port)"])
        #expect(server.requests.first?.target == "/")
    }

    @Test(arguments: EngineUnderTest.allCases)
    func zippedAnswersAreUnpacked(engine: EngineUnderTest) async throws {
        // `hello hello hello hello hello`, zipped.
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8jATgIA9tJTOB0AAAA="))
        let server = try ScriptedServer { peer in
            while let request = try peer.readRequest() {
                #expect(request.values("Accept-Encoding").joined().contains("gzip"))
                try peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(zipped.count)\r\n\r\n")
                try peer.send(zipped)
            }
        }
        let response = try await engine.make().perform(EngineRequest(server.url))
        #expect(String(decoding: response.body, as: UTF8.self) == "hello hello hello hello hello")
    }

    @Test(arguments: EngineUnderTest.allCases)
    func chunkedAnswersAreJoined(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            while try peer.readRequest() != nil {
                try peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                for part in ["5\r\nhel", "lo\r\n6;ext=1\r\n worl", "d\r\n", "0\r\n\r", "\n"] { try peer.send(part) }
            }
        }
        let engine = try engine.make()
        for _ in 0..<2 {
            let response = try await engine.perform(EngineRequest(server.url))
            #expect(String(decoding: response.body, as: UTF8.self) == "hello world")
        }
        #expect(server.connections == 1)
    }

    @Test(arguments: EngineUnderTest.allCases)
    func anAnswerMayEndWithItsConnection(engine: EngineUnderTest) async throws {
        let server = try ScriptedServer { peer in
            _ = try peer.readRequest()
            try peer.send("HTTP/1.0 200 OK\r\n\r\nall of it")
        }
        let response = try await engine.make().perform(EngineRequest(server.url))
        #expect(response.body == Data("all of it".utf8))
    }

    @Test(arguments: EngineUnderTest.allCases, [301, 302, 303, 307, 308])
    func redirectsAreAnswers(engine: EngineUnderTest, status: Int) async throws {
        let server = try ScriptedServer.answering { request in
            request.target == "/start"
                ? "HTTP/1.1 \(status) Moved\r\nLocation: /other?x=1\r\nContent-Length: 5\r\n\r\nmoved"
                : "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        }
        let engine = try engine.make()
        for method in ["GET", "POST"] {
            let response = try await engine.perform(EngineRequest(server.url + "/start", method: method))
            #expect(response.status == status)
            #expect(response.headers["location"] == "/other?x=1")
            #expect(response.body == Data("moved".utf8))
        }
        #expect(server.requests.map(\.target) == ["/start", "/start"])
        #expect(server.requests.map(\.method) == ["GET", "POST"])
    }

    @Test(arguments: EngineUnderTest.allCases, [nil, "", "ht tp://[:bad", "ftp://127.0.0.1/x", "\u{e9}\u{fffd}"])
    func redirectsToNowhereAreAnswersToo(engine: EngineUnderTest, location: String?) async throws {
        let server = try ScriptedServer.answering { _ in
            "HTTP/1.1 302 Found\r\n" + (location.map { "Location: \($0)\r\n" } ?? "")
                + "X-A: b\r\nContent-Length: 0\r\n\r\n"
        }
        let response = try await engine.make().perform(EngineRequest(server.url))
        #expect(response.status == 302)
        #expect(response.headers["location"] == location)
        #expect(response.headers["x-a"] == "b")
        #expect(server.requests.count == 1)
    }

    @Test(
        arguments: EngineUnderTest.allCases,
        [
            EngineRequest("http://127.0.0.1:1/a\r\nX-Injected: 1"), EngineRequest("http://127.0.0.1:1/a\u{0}b"),
            EngineRequest("http://127.0.0.1:1/a b"), EngineRequest("http://"), EngineRequest(""),
            EngineRequest("/relative"), EngineRequest("file:///etc/hostname"), EngineRequest("ftp://127.0.0.1/x"),
            EngineRequest("http://127.0.0.1:1/", method: "GET\r\nX: 1"),
            EngineRequest("http://127.0.0.1:1/", method: ""),
            EngineRequest("http://127.0.0.1:1/", headers: [("X-A", "b\r\nX-Injected: 1")]),
            EngineRequest("http://127.0.0.1:1/", headers: [("X-A", "b\nc")]),
            EngineRequest("http://127.0.0.1:1/", headers: [("X-A", "b\u{0}c")]),
            EngineRequest("http://127.0.0.1:1/", headers: [("X-A: x\r\nX-Injected", "1")]),
            EngineRequest("http://127.0.0.1:1/", headers: [("", "1")]),
        ])
    func requestsThatCannotBeSentAreRefused(engine: EngineUnderTest, request: EngineRequest) async throws {
        let engine = try engine.make()
        let error = await engineError { try await engine.perform(request) }
        #expect(error?.kind == .invalidRequest)
        #expect(error?.mayHaveReachedNode == false)
    }
}
